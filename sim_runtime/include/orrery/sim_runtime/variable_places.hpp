// Where the variables of a run lie, for recorders and replays that follow their values.
#pragma once

#include <cstdint>
#include <optional>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery {

/// An object's place in memory, as far as it has one.
struct VariablePlace {
  /// Of an object of an unchanged program: where that has it.  0: it is none.
  std::uintptr_t program_address = 0;
  /// Where its value lies.  0: it has none, or one of more than eight bytes.  Of memory of an
  /// unchanged program it is the aligned word of eight bytes.
  std::uintptr_t value_address = 0;
  std::uint32_t value_bytes = 0;
  /// Is it one that an unchanged program uses by atomic operations?  Plain accesses to the same
  /// word are another object.
  bool is_atomic = false;
  /// Is it one by which the host does what the program asks for: the lock of a pipe?  On real cores
  /// there is none.
  bool is_hosts = false;
  /// Is it a word that tasks of an unchanged program sleep on?
  bool is_futex = false;
};

/// The place of an object of the run that goes on on this thread.  Takes as long as there have been
/// objects since: to be asked once.
[[nodiscard]] VariablePlace place_of(ObjectId object);

/// Where in the program a task is to go on, as a return address: that of the operation for which it
/// waits.  0: not known.
[[nodiscard]] std::uintptr_t program_counter_of(TaskId task);

/// In how many words of eight bytes the access of an unchanged program lies for which a task waits,
/// or whose turn it is.  0: it is at none, or nobody has said.
[[nodiscard]] std::uint64_t access_words_of(TaskId task);

/// A place on the stack of a task of that run.
struct StackPlace {
  TaskId owner;  ///< of those that have had the stack, the last
  bool has_ended = false;
  /// Where the frames of an unchanged program's thread begin, as on real cores: what lies as far
  /// below that there is the same variable.  0: not known.
  std::uintptr_t line = 0;
};
[[nodiscard]] std::optional<StackPlace> stack_place(std::uintptr_t address);
/// Until that run ends no task gets the stack of one that has ended, but where very many have.
void keep_ended_stacks();

/// What the variable holds; 0 if its value has no place.  Only between a step of the run and the
/// next.
[[nodiscard]] std::uint64_t value_at(const VariablePlace& place);
/// Has it hold something else.  For replays that show a task what another time had.
void put_value(const VariablePlace& place, std::uint64_t value);

}  // namespace orrery
