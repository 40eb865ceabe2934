// Counting, meeting and doing once, in simulated shared memory.
#pragma once

#include <cstdint>
#include <limits>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/sim_runtime/source_location.hpp>
#include <orrery/sim_runtime/synchronization_object.hpp>

namespace orrery {

class World;

namespace detail {
class ProgramObjects;
class ProgramThreads;
}  // namespace detail

/// A counting semaphore.  Which of several waiters goes on is a choice.
///
///     orrery::Semaphore slots(world, 3);
///     slots.acquire();
///     slots.release();
class Semaphore : private detail::SynchronizationObject {
 public:
  Semaphore(World& world, std::uint64_t initial, std::string_view name = {});
  void acquire(SourceLocation where = SourceLocation::current());
  bool try_acquire(SourceLocation where = SourceLocation::current());
  bool try_acquire_for(VirtualDuration timeout, SourceLocation where = SourceLocation::current());
  void release(std::uint64_t count = 1, SourceLocation where = SourceLocation::current());
  using SynchronizationObject::id;

 private:
  friend class detail::ProgramObjects;
  friend class detail::ProgramThreads;
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  bool acquire_until(VirtualTime deadline, const SourceLocation& where);
  std::uint64_t count_;
  OperationId last_release_;
};

/// A meeting point of a fixed number of tasks, reusable.  `arrive_and_wait` returns when all have
/// arrived.
class Barrier : private detail::SynchronizationObject {
 public:
  /// Throws `UsageError` for 0 participants.
  Barrier(World& world, std::uint32_t participants, std::string_view name = {});
  /// Returns true to one of them: the last to arrive.
  bool arrive_and_wait(SourceLocation where = SourceLocation::current());
  using SynchronizationObject::id;

 private:
  friend class detail::ProgramObjects;
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  std::uint32_t participants_;
  std::uint32_t arrived_ = 0;
  std::uint64_t phase_ = 0;
  OperationId last_arrival_;
};

/// Counts down to zero, once.  Counting below zero is a finding.
class Latch : private detail::SynchronizationObject {
 public:
  Latch(World& world, std::uint64_t count, std::string_view name = {});
  void count_down(std::uint64_t by = 1, SourceLocation where = SourceLocation::current());
  void wait(SourceLocation where = SourceLocation::current());
  using SynchronizationObject::id;

 private:
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  std::uint64_t count_;
  OperationId last_count_down_;
};

/// Runs a function once, whoever comes first; the others wait until it is done.
///
///     static_once.call([&] { table = make_table(); });
class OnceFlag : private detail::SynchronizationObject {
 public:
  explicit OnceFlag(World& world, std::string_view name = {});
  /// If `function` throws, the flag stays unset and the next caller tries again.
  template <typename Function>
  void call(Function&& function, SourceLocation where = SourceLocation::current()) {
    if (!begin(where)) return;
    Attempt attempt{this, &where};
    function();
    attempt.succeeded = true;
  }
  using SynchronizationObject::id;

 private:
  friend class detail::ProgramObjects;
  friend class detail::ProgramThreads;
  enum class State : std::uint8_t { unset, running, done };
  struct Attempt {
    OnceFlag* flag;
    const SourceLocation* where;
    bool succeeded = false;
    ~Attempt() noexcept(false) { flag->end(succeeded, *where); }
  };
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  bool begin(const SourceLocation& where);
  void end(bool succeeded, const SourceLocation& where);
  State state_ = State::unset;
  OperationId last_end_;
};

}  // namespace orrery
