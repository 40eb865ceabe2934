// What a rank has that goes on by itself, instead of the other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery {

class Chooser;
class Observer;
struct Outcome;

/// A message whose sender goes on in another process.
struct OutsideMessage {
  OperationId send;
  std::uint32_t context = 0;
  std::int32_t source = 0;  ///< ranks of the whole job
  std::int32_t destination = 0;
  std::int32_t tag = 0;
  std::uint64_t note = 0;
  std::vector<std::byte> note_content;  ///< see `OrreryNoteCarrier`; empty: the note is all
  bool is_rendezvous = false;           ///< large: its receive takes two operations
  std::vector<std::byte> content;
  friend bool operator==(const OutsideMessage&, const OutsideMessage&) = default;
};

struct CarriedMessage;
/// The same, to be kept: of a message that is no call.
[[nodiscard]] OutsideMessage copy_of(const CarriedMessage& message);

/// Asked in a process in which one rank goes on by itself (`go_on_alone`).  Calls come
/// on the stacks of tasks.
class Outside {
 public:
  virtual ~Outside() = default;
  /// Nothing can go on here before the rank gets a message.  The next ones, each sender's in the
  /// order in which it has sent them; none: there are none to come.
  virtual std::vector<OutsideMessage> wait_for_messages() = 0;
  /// The number of the task that the rank makes now, larger than those of all tasks so far;
  /// nothing: the next one.
  virtual std::optional<TaskId> next_task() = 0;
  /// The run has come to an end by itself: a finding, or a limit.
  virtual void is_over(const Outcome& outcome) = 0;
};

/// To be called on the stack of a task of the rank, by a `Checkpointer`: from now on only the tasks
/// of this rank go on in the run, with another chooser and other observers, which must outlive it.
/// What the rank sends to others is received elsewhere (`Checkpointer::sent` hears of it), and
/// others' messages come from `outside`.  There is no way back: it is meant for processes that were
/// restored from an image.
void go_on_alone(std::int32_t rank, Outside& outside, Chooser& chooser,
                 std::span<Observer* const> observers);

}  // namespace orrery
