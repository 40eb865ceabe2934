// Waiting for a condition in simulated shared memory.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include <orrery/sim_runtime/mutex.hpp>

namespace orrery {

/// A condition variable.  A notification wakes sleepers only; which one is a choice.  Spurious
/// wake-ups are a choice too where `SimulationOptions::spurious_wakeups` is set.
///
///     std::unique_lock lock(mutex);
///     ready.wait(lock, [&] { return !queue.empty(); });
class ConditionVariable : private detail::SynchronizationObject {
 public:
  explicit ConditionVariable(World& world, std::string_view name = {});

  void wait(std::unique_lock<Mutex>& lock, SourceLocation where = SourceLocation::current());
  /// Returns `timeout` if the deadline came before the notification.
  std::cv_status wait_for(std::unique_lock<Mutex>& lock, VirtualDuration timeout,
                          SourceLocation where = SourceLocation::current());
  template <typename Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate holds,
            SourceLocation where = SourceLocation::current()) {
    while (!holds()) wait(lock, where);
  }
  void notify_one(SourceLocation where = SourceLocation::current());
  void notify_all(SourceLocation where = SourceLocation::current());
  using SynchronizationObject::id;

 private:
  struct Sleeper {
    TaskId task;
    OperationId wait;
    Mutex* mutex;
  };
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  std::cv_status sleep(Mutex& mutex, VirtualTime deadline, const SourceLocation& where);
  void wake(std::size_t index);
  std::vector<Sleeper> sleepers_;  ///< oldest first
};

}  // namespace orrery
