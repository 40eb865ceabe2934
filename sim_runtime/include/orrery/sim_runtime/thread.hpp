// A handle to a simulated thread.
#pragma once

#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/source_location.hpp>

namespace orrery {

namespace detail {
class Machine;
}

/// Owns a simulated thread, as `std::jthread` does a real one: joins when destroyed.  Made by
/// `World::thread` and `World::process`.
///
///     orrery::Mutex mutex(world);
///     auto worker = world.thread("worker", [&] { std::scoped_lock guard(mutex); });
class [[nodiscard]] Thread {
 public:
  Thread() = default;
  Thread(detail::Machine& machine, TaskId task) : machine_(&machine), task_(task) {}
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();

  [[nodiscard]] TaskId id() const { return task_; }
  [[nodiscard]] bool joinable() const { return machine_ != nullptr; }
  /// Waits until the thread has ended.  Joining oneself, or twice, is a finding.
  void join(SourceLocation where = SourceLocation::current());
  /// Lets go of the thread.  If it can never end, that is a finding of kind `leak`.
  void detach();

 private:
  detail::Machine* machine_ = nullptr;
  TaskId task_;
};

}  // namespace orrery
