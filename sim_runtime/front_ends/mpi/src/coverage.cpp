// For programs that were built to count what they execute, and are run by themselves: nobody
// counts. In simulation the host's function is found first.

extern "C" [[gnu::visibility("default")]] void __sanitizer_cov_trace_pc() {}
