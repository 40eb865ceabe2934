// Variables in simulated shared memory.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include <orrery/sim_runtime/operation.hpp>
#include <orrery/sim_runtime/source_location.hpp>
#include <orrery/sim_runtime/synchronization_object.hpp>

namespace orrery {

class World;

namespace detail {

/// The part of shared variables that does not depend on their type.
class VariableBase : public SynchronizationObject {
 protected:
  VariableBase(World& world, const char* type, std::string_view name);
  /// Where the value lies, for those who follow it; of at most eight bytes.
  void set_value_place(const void* value, std::uint32_t size_bytes) const;
  template <typename T>
  void set_value_place(const T& value) const {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t)) {
      set_value_place(&value, sizeof(T));
    }
  }
  [[nodiscard]] bool is_enabled(const Operation&, TaskId) const override { return true; }
  /// Announces an access; `value` is what would be written.
  void announce(OperationKind kind, MemoryOrder order, std::uint64_t value,
                const SourceLocation& where) const;
  /// The same of plain memory, with what else is known of it.
  void announce(Operation access, const SourceLocation& where) const;
  /// Tells the observers what was read or written.
  void accessed(OperationKind kind, MemoryOrder order, std::uint64_t value,
                std::uint32_t size_bytes, const SourceLocation& where) const;
  /// As `accessed`, for an atomic load: a load that gives the same value again to a task that has
  /// done nothing but loads meanwhile is a failed poll, so that spin loops let others run.
  void loaded(MemoryOrder order, std::uint64_t value, std::uint32_t size_bytes,
              const SourceLocation& where) const;

  template <typename T>
  static std::uint64_t image(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t)) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(T));
      return bits;
    } else {
      return 0;
    }
  }
};

}  // namespace detail

/// A plain variable that several tasks can reach.  Each access is visible to the explorer, so that
/// what a data race can do happens.
///
///     orrery::Shared<int> balance(world, 100, "balance");
///     balance.store(balance.load() - 10);             // two steps: another task may come between
template <typename T>
class Shared : private detail::VariableBase {
 public:
  explicit Shared(World& world, T initial = {}, std::string_view name = {})
      : VariableBase(world, "variable", name), value_(std::move(initial)) {
    set_value_place(value_);
  }

  T load(SourceLocation where = SourceLocation::current()) const {
    announce(OperationKind::read, MemoryOrder::plain, 0, where);
    T result = value_;
    accessed(OperationKind::read, MemoryOrder::plain, image(result), sizeof(T), where);
    return result;
  }
  void store(T value, SourceLocation where = SourceLocation::current()) {
    announce(OperationKind::write, MemoryOrder::plain, image(value), where);
    value_ = std::move(value);
    accessed(OperationKind::write, MemoryOrder::plain, image(value_), sizeof(T), where);
  }
  operator T() const { return load(); }  // NOLINT(*-explicit-*)
  Shared& operator=(T value) {
    store(std::move(value));
    return *this;
  }
  /// The value without a visible operation, for checks after everybody has joined.
  [[nodiscard]] const T& unobserved() const { return value_; }
  using VariableBase::id;

 private:
  T value_;
};

/// An atomic variable: each member is one indivisible step.  Sequentially consistent in this
/// version; the order asked for is kept with the operation.
template <typename T>
class Atomic : private detail::VariableBase {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Atomic(World& world, T initial = {}, std::string_view name = {})
      : VariableBase(world, "atomic", name), value_(initial) {
    set_value_place(value_);
  }

  T load(MemoryOrder order = MemoryOrder::seq_cst,
         SourceLocation where = SourceLocation::current()) const {
    announce(OperationKind::read, order, 0, where);
    loaded(order, image(value_), sizeof(T), where);
    return value_;
  }
  void store(T value, MemoryOrder order = MemoryOrder::seq_cst,
             SourceLocation where = SourceLocation::current()) {
    announce(OperationKind::write, order, image(value), where);
    value_ = value;
    accessed(OperationKind::write, order, image(value), sizeof(T), where);
  }
  T exchange(T value, MemoryOrder order = MemoryOrder::seq_cst,
             SourceLocation where = SourceLocation::current()) {
    return update([&](T) { return value; }, order, where);
  }
  T fetch_add(T value, MemoryOrder order = MemoryOrder::seq_cst,
              SourceLocation where = SourceLocation::current()) {
    return update([&](T old) { return static_cast<T>(old + value); }, order, where);
  }
  T fetch_sub(T value, MemoryOrder order = MemoryOrder::seq_cst,
              SourceLocation where = SourceLocation::current()) {
    return update([&](T old) { return static_cast<T>(old - value); }, order, where);
  }
  /// As in the standard: writes `desired` if the value is `expected`, else loads into `expected`.
  bool compare_exchange(T& expected, T desired, MemoryOrder order = MemoryOrder::seq_cst,
                        SourceLocation where = SourceLocation::current()) {
    announce(OperationKind::read_modify_write, order, image(desired), where);
    const bool equal = image(value_) == image(expected);
    if (equal) {
      value_ = desired;
      accessed(OperationKind::read_modify_write, order, image(desired), sizeof(T), where);
    } else {
      expected = value_;
      loaded(order, image(value_), sizeof(T), where);
    }
    return equal;
  }
  using VariableBase::id;

 private:
  static_assert(sizeof(T) <= sizeof(std::uint64_t), "atomics have at most eight bytes");
  template <typename Function>
  T update(Function function, MemoryOrder order, const SourceLocation& where) {
    announce(OperationKind::read_modify_write, order, 0, where);
    const T old = value_;
    value_ = function(old);
    accessed(OperationKind::read_modify_write, order, image(value_), sizeof(T), where);
    return old;
  }
  T value_;
};

}  // namespace orrery
