// What to call things when a person reads about a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/finding.hpp>
#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/source_location.hpp>

namespace orrery {

/// Names of the tasks and objects of one run, and source lines for its places.  Handed to choosers
/// and observers in `RunInfo`; valid until the next run begins.
class Names {
 public:
  virtual ~Names() = default;
  /// `rank 2`, `worker`, or `task 5` where the program gave no name.
  [[nodiscard]] virtual std::string task(TaskId task) const = 0;
  /// The process that it belongs to, 0 where that is not known.
  [[nodiscard]] virtual ProcessId process(TaskId /*task*/) const { return {}; }
  /// `mutex accounts`, `mailbox of rank 1`, or `mutex 0.3` where the program gave no name.
  [[nodiscard]] virtual std::string object(ObjectId object) const = 0;
  /// File, line and function of a place; task and role are left empty.
  [[nodiscard]] virtual FindingPlace place(const SourceLocation& where) const = 0;
  /// The same of the task that runs, with how it came there.
  [[nodiscard]] virtual FindingPlace place_here(const SourceLocation& where) const {
    return place(where);
  }
  /// The front end's function that the task which runs calls at this place: `MPI_Recv`.  Empty:
  /// not known.
  [[nodiscard]] virtual std::string_view call_here(const SourceLocation& /*where*/) const {
    return {};
  }
  /// The locks that the task which runs holds, in the order in which it took them.
  [[nodiscard]] virtual std::vector<HeldLock> locks_here() const { return {}; }
  /// What lies at this address of an unchanged program: `table[3].count`, `the stack of worker#1`.
  /// Empty: not known.
  [[nodiscard]] virtual std::string memory(std::uintptr_t /*address*/) const { return {}; }
  /// What this answer to the draw that is being asked means (`no standard send is buffered`), `{}`
  /// being who asks: for what a standard leaves open.  Empty: nothing but its value.
  [[nodiscard]] virtual std::string_view answer(std::uint64_t /*value*/) const { return {}; }
};

}  // namespace orrery
