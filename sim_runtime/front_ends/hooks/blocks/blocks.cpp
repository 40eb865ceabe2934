// What `-fsanitize-coverage=trace-pc` calls in each block of a program.
//
// In simulation the host counts them; natively nobody does.

extern "C" [[gnu::weak]] void orrery_count_block();

extern "C" void __sanitizer_cov_trace_pc() {
  if (orrery_count_block != nullptr) orrery_count_block();
}
