// Mutual exclusion in simulated shared memory.
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/sim_runtime/source_location.hpp>
#include <orrery/sim_runtime/synchronization_object.hpp>

namespace orrery {

class World;

namespace detail {
class ProgramObjects;
class ProgramThreads;
}  // namespace detail

/// A mutex: plain or recursive, with try and timed locking.  Works with `std::scoped_lock` and
/// `std::unique_lock`.  Which of several waiters gets it is a choice.  Unlocking a mutex that the
/// task does not hold, destroying a held one, or ending while holding one is a finding.
///
///     orrery::Mutex mutex(world, "accounts");
///     orrery::Lock guard(mutex);
class Mutex final : private detail::SynchronizationObject {
 public:
  enum class Type : std::uint8_t { plain, recursive };
  explicit Mutex(World& world, std::string_view name = {}, Type type = Type::plain);
  ~Mutex() override;

  void lock(SourceLocation where = SourceLocation::current());
  bool try_lock(SourceLocation where = SourceLocation::current());
  bool try_lock_for(VirtualDuration timeout, SourceLocation where = SourceLocation::current());
  void unlock(SourceLocation where = SourceLocation::current());
  using SynchronizationObject::id;

 private:
  friend class ConditionVariable;
  friend class detail::ProgramObjects;
  friend class detail::ProgramThreads;
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  [[nodiscard]] std::vector<Holder> holders() const override;
  bool lock_until(VirtualTime deadline, const SourceLocation& where);
  bool try_lock_at(const SourceLocation& where);
  void unlock_at(const SourceLocation& where);
  void acquired(const SourceLocation& where);
  void released();

  Type type_;
  std::uint32_t depth_ = 0;  ///< how often the owner has locked it; 0: free
  TaskId owner_;
  SourceLocation locked_at_;
  OperationId last_release_;
  // As POSIX has it for robust mutexes of unchanged programs.
  enum class Robustness : std::uint8_t { none, consistent, owner_died, lost };
  Robustness robustness_ = Robustness::none;
};

/// Holds a mutex for a scope, like `std::unique_lock`; but knows the line that it stands on.  (The
/// guards of the standard library work too; their lines are found from the debug information.)
///
///     orrery::Lock lock(mutex);
///     while (queue.empty()) filled.wait(lock);
class [[nodiscard]] Lock {
 public:
  explicit Lock(Mutex& mutex, SourceLocation where = SourceLocation::current())
      : mutex_(&mutex), where_(where) {
    lock(where);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (owns_) mutex_->unlock(where_);
  }
  void lock(SourceLocation where = SourceLocation::current()) {
    mutex_->lock(where);
    owns_ = true;
  }
  void unlock(SourceLocation where = SourceLocation::current()) {
    owns_ = false;
    mutex_->unlock(where);
  }
  [[nodiscard]] Mutex* mutex() const { return mutex_; }

 private:
  Mutex* mutex_;
  bool owns_ = false;
  SourceLocation where_;
};

/// Many readers or one writer.  Works with `std::shared_lock` and `std::unique_lock`.
class RwLock final : private detail::SynchronizationObject {
 public:
  explicit RwLock(World& world, std::string_view name = {});
  ~RwLock() override;
  void lock(SourceLocation where = SourceLocation::current());
  bool try_lock(SourceLocation where = SourceLocation::current());
  void unlock(SourceLocation where = SourceLocation::current());
  void lock_shared(SourceLocation where = SourceLocation::current());
  bool try_lock_shared(SourceLocation where = SourceLocation::current());
  void unlock_shared(SourceLocation where = SourceLocation::current());
  using SynchronizationObject::id;

 private:
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  [[nodiscard]] std::vector<Holder> holders() const override { return holders_; }
  friend class detail::ProgramObjects;
  friend class detail::ProgramThreads;
  /// Returns false if the deadline won.
  bool acquire(OperationKind kind, const SourceLocation& where,
               VirtualTime deadline = VirtualTime::never());
  bool try_acquire(OperationKind kind, const SourceLocation& where);
  void release(OperationKind kind, const SourceLocation& where);
  void acquired(bool writes, const SourceLocation& where);

  std::vector<Holder> holders_;
  bool is_written_ = false;
  OperationId last_release_;
};

}  // namespace orrery
