// What all objects that tasks can wait for have in common.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/operation.hpp>
#include <orrery/sim_runtime/source_location.hpp>

namespace orrery::detail {

class Machine;
struct Task;

/// An object with a name, and the list of tasks that are parked with an operation on it whose
/// outcome depends on the object's state.  After each change of state the machine asks
/// `is_enabled` again for each of them.
class SynchronizationObject {
 public:
  SynchronizationObject(Machine& machine, const char* type, std::string_view name);
  SynchronizationObject(const SynchronizationObject&) = delete;
  SynchronizationObject& operator=(const SynchronizationObject&) = delete;
  virtual ~SynchronizationObject() = default;

  [[nodiscard]] ObjectId id() const { return id_; }
  /// May `task` execute `operation` in the state as it is now?
  [[nodiscard]] virtual bool is_enabled(const Operation& operation, TaskId task) const = 0;
  /// Is it enabled only because sleepers may wake without a notification?
  [[nodiscard]] virtual bool wakes_by_itself(const Operation&, TaskId) const { return false; }

  /// Who holds the object, and since where: for reports of deadlocks.
  struct Holder {
    TaskId task;
    SourceLocation where;
  };
  [[nodiscard]] virtual std::vector<Holder> holders() const { return {}; }

 protected:
  Machine* machine_;  // NOLINT(*-non-private-*)
  ObjectId id_;       // NOLINT(*-non-private-*)

 private:
  friend class Machine;
  friend class ProgramObjects;
  Task* first_waiter_ = nullptr;
};

}  // namespace orrery::detail
