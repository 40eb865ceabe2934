// `orrery_checkpoint()`: the program asks for a checkpoint of its rank.

extern "C" {

/// Set by whoever hosts the program; null: nobody is to be asked.
__attribute__((visibility("default"))) void (*orrery_front_end_ask_for_checkpoint)() = nullptr;

/// A program that may run without Orrery declares it so, and looks whether it is there:
///
///     void orrery_checkpoint(void) __attribute__((weak));
///     if (orrery_checkpoint) orrery_checkpoint();
///
/// The rank's next interval begins with its next send, receive, wait or poll.
__attribute__((visibility("default"))) void orrery_checkpoint() {
  if (orrery_front_end_ask_for_checkpoint != nullptr) orrery_front_end_ask_for_checkpoint();
}
}
