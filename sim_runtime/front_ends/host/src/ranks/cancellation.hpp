// Cancellation of threads, as `pthread_cancel` has it: deferred.
#pragma once

#include <cstdint>
#include <optional>

namespace orrery::host {

class ThreadContext;

/// Of a thread: what was asked of it, and where it has come to.
struct Cancellation {
  bool is_asked_for = false;
  bool is_enabled = true;
  bool is_at_point = false;  ///< in a function that it may be cancelled in
  bool ends_waits = false;   ///< what it waits for there ends
  /// So many such functions it has come to, twice; one more: within the last of them.  On real
  /// cores they are counted in the same way.
  std::uint64_t place = 0;
  /// In a replay by order: where it acted on a cancellation, and nowhere else; 0: it did not.
  std::optional<std::uint64_t> recorded;
  /// Where it lies is a semaphore of the machine: who cancels the thread releases it, and the
  /// thread acquires it where it acts on that.  So all recorders have that order.
  char requests = 0;
  /// Older logs do not count functions that wait for signals.
  bool counts_signal_waits = true;
};

/// A function that may wait, and in which a thread may be cancelled: before it does anything, or
/// when its waiting was ended for that.
class CancellationPoint {
 public:
  explicit CancellationPoint(std::uintptr_t program_counter, bool is_counted = true);
  ~CancellationPoint() noexcept(false);
  CancellationPoint(const CancellationPoint&) = delete;
  CancellationPoint& operator=(const CancellationPoint&) = delete;

 private:
  ThreadContext* thread_;  ///< null: it stands in such a function already
  std::uintptr_t program_counter_;
};

/// The calling thread asks another one, or itself, to end.
void cancel(ThreadContext& thread, std::uintptr_t program_counter);

}  // namespace orrery::host
