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

/// A mutex: plain or recursive, with try and timed locking.  Works with `std::scoped_lock` and
/// `std::unique_lock`.  Which of several waiters gets it is a choice.  Unlocking a mutex that the
/// task does not hold, destroying a held one, or ending while holding one is a finding.
///
///     orrery::Mutex mutex(world, "accounts");
///     std::scoped_lock guard(mutex);
class Mutex : private detail::SynchronizationObject {
 public:
  enum class Type : std::uint8_t { plain, recursive };
  explicit Mutex(World& world, std::string_view name = {}, Type type = Type::plain);
  ~Mutex();

  void lock(SourceLocation where = SourceLocation::current());
  bool try_lock(SourceLocation where = SourceLocation::current());
  bool try_lock_for(VirtualDuration timeout, SourceLocation where = SourceLocation::current());
  void unlock(SourceLocation where = SourceLocation::current());
  using SynchronizationObject::id;

 private:
  friend class ConditionVariable;
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  [[nodiscard]] std::vector<Holder> holders() const override;
  bool lock_until(VirtualTime deadline, const SourceLocation& where);
  void acquired(const SourceLocation& where);
  void released();

  Type type_;
  std::uint32_t depth_ = 0;  ///< how often the owner has locked it; 0: free
  TaskId owner_;
  SourceLocation locked_at_;
  OperationId last_release_;
};

/// Many readers or one writer.  Works with `std::shared_lock` and `std::unique_lock`.
class RwLock : private detail::SynchronizationObject {
 public:
  explicit RwLock(World& world, std::string_view name = {});
  ~RwLock();
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
  void acquire(OperationKind kind, const SourceLocation& where);
  bool try_acquire(OperationKind kind, const SourceLocation& where);
  void release(OperationKind kind, const SourceLocation& where);
  void acquired(bool writes, const SourceLocation& where);

  std::vector<Holder> holders_;
  bool is_written_ = false;
  OperationId last_release_;
};

}  // namespace orrery
