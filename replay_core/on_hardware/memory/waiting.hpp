// Waiting for another thread's access to be done.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace orrery::on_hardware {

/// Hooks come before accesses, so an access is known to be done when its thread comes to its next
/// hook.  If that takes long it is looked at what the thread does: it waits in the system, or has
/// computed since, for some milliseconds; then the access, which was the next thing to do, is done.
///
///     for (Waiting waiting(has_fence); is_taken();) {
///       const bool is_in_hook = holder.is_in_hook();
///       if (!waiting.has_passed(thread, is_in_hook) || !take_away()) waiting.pause();
///     }
///
/// (Who sleeps between two looks at the holder would not see it rest that goes on soon.)
class Waiting {
 public:
  /// `has_fence`: `AllThreadsFence` is there.  Else it takes much longer to be sure.
  explicit Waiting(bool has_fence) : has_fence_(has_fence) {}
  /// A little.
  void pause();
  /// True: the thread has done the access that it was about to do.  `is_in_hook`:
  /// it was still within the hook, before this; then nobody knows.  `thread`: as the system numbers
  /// it; 0: it has ended.
  [[nodiscard]] bool has_passed(pid_t thread, bool is_in_hook);
  /// It is another access that is waited for.
  void look_anew() { last_used_ns_ = -1; }
  /// Has it been long?  5 ms at least; very long: 100 ms.
  [[nodiscard]] bool is_long() const { return rounds_ >= rounds_yielding + rounds_long; }
  [[nodiscard]] bool is_very_long() const { return rounds_ >= rounds_yielding + 20 * rounds_long; }

 private:
  static constexpr std::uint32_t rounds_quick = 200;
  static constexpr std::uint32_t rounds_yielding = 400;
  static constexpr std::uint32_t rounds_long = 100;

  /// A yield that takes longer has given the processor to another thread.
  static constexpr std::int64_t yield_ns_max = 100'000;
  /// So often the thread must have gone on by so much of its processor's time.
  static constexpr std::int64_t step_ns = 100'000;
  static constexpr std::uint32_t steps_fenced = 16;
  static constexpr std::uint32_t steps_unfenced = 1000;

  bool has_fence_;
  std::uint32_t rounds_ = 0;
  std::uint32_t steps_computed_ = 0;
  std::int64_t last_used_ns_ = -1;  ///< of the thread's processor time
  pid_t thread_ = 0;
};

}  // namespace orrery::on_hardware
