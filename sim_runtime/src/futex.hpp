// A word of memory that tasks sleep on: the kernel's futex.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/sim_runtime/synchronization_object.hpp>
#include <orrery/sim_runtime/virtual_clock.hpp>

namespace orrery::detail {

/// Sleepers on a word, and how they are woken: Franke, Russell and Kirkwood 2002, with the bit sets
/// and the requeueing that Linux added.  Which sleepers a wake takes is a choice.
class Futex final : public SynchronizationObject {
 public:
  /// `is_hosts`: the host waits on it, for a pipe or the like.  The system's own waits never wake
  /// by themselves, so nor do these, however often they would look again.
  Futex(Machine& machine, bool is_hosts)
      : SynchronizationObject(machine, "futex", {}), is_hosts_(is_hosts) {}

  enum class Result : std::uint8_t { woken, changed, timed_out };
  /// `is_programs`: whether it sleeps is asked for, as a real run may have seen it otherwise.
  Result wait(const std::uint32_t* word, std::uint32_t expected, std::uint32_t bits,
              VirtualTime deadline, bool is_programs, const SourceLocation& where);
  /// Returns how many were woken; at most `moved_count` of the others wait on `moved_to` then.
  int wake(int count, std::uint32_t bits, Futex* moved_to, int moved_count,
           const SourceLocation& where);

 private:
  struct Sleeper {
    TaskId task;
    OperationId wait;
    std::uint32_t bits;
    Futex* origin;  ///< on which it is parked, wherever it is moved
  };
  [[nodiscard]] bool is_enabled(const Operation& operation, TaskId task) const override;
  [[nodiscard]] bool wakes_by_itself(const Operation&, TaskId task) const override;
  std::size_t choose(std::uint32_t bits) const;
  void forget(TaskId task);

  bool is_hosts_;
  std::vector<Sleeper> sleepers_;  ///< oldest first
  std::vector<TaskId> woken_;      ///< parked here, and free to go on
  std::vector<Futex*> moved_to_;   ///< where sleepers of ours may be
};

}  // namespace orrery::detail
