// Waiting for a condition in simulated shared memory.
#pragma once

#include <concepts>
#include <condition_variable>
#include <vector>

#include <orrery/sim_runtime/mutex.hpp>

namespace orrery {

/// A condition variable.  A notification wakes sleepers only; which one is a choice.  Spurious
/// wake-ups are a choice too where `SimulationOptions::spurious_wakeups` is set.
///
///     orrery::Lock lock(mutex);
///     ready.wait(lock, [&] { return !queue.empty(); });
class ConditionVariable final : private detail::SynchronizationObject {
 public:
  explicit ConditionVariable(World& world, std::string_view name = {});

  /// `lock` is an `orrery::Lock` or a `std::unique_lock<orrery::Mutex>` that holds its mutex.
  template <typename Guard>
  void wait(Guard& lock, SourceLocation where = SourceLocation::current()) {
    sleep(*lock.mutex(), VirtualTime::never(), where);
  }
  /// Returns `timeout` if the deadline came before the notification.
  template <typename Guard>
  std::cv_status wait_for(Guard& lock, VirtualDuration timeout,
                          SourceLocation where = SourceLocation::current()) {
    return sleep(*lock.mutex(), deadline_after(timeout), where);
  }
  template <typename Guard, typename Predicate>
  requires std::predicate<Predicate&>
  void wait(Guard& lock, Predicate holds, SourceLocation where = SourceLocation::current()) {
    while (!holds()) wait(lock, where);
  }
  void notify_one(SourceLocation where = SourceLocation::current());
  void notify_all(SourceLocation where = SourceLocation::current());
  using SynchronizationObject::id;

 private:
  friend class detail::ProgramObjects;
  friend class detail::ProgramThreads;
  struct Sleeper {
    TaskId task;
    OperationId wait;
    Mutex* mutex;
  };
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  [[nodiscard]] bool wakes_by_itself(const Operation&, TaskId) const override { return true; }
  [[nodiscard]] VirtualTime deadline_after(VirtualDuration timeout) const;
  std::cv_status sleep(Mutex& mutex, VirtualTime deadline, const SourceLocation& where);
  void tell_asleep(const Mutex& mutex, const SourceLocation& where) const;
  void wake(std::size_t index);
  std::vector<Sleeper> sleepers_;  ///< oldest first
};

}  // namespace orrery
