// What the machine tells whoever divides runs of ranks into intervals, and a debugger.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/checkpointer.hpp>

#include "debugger_stops.hpp"

namespace orrery::detail {

class Machine;
struct MessageState;
struct Task;

/// Tells a `Checkpointer`, where there is one.
class CheckpointTeller {
 public:
  explicit CheckpointTeller(Machine& machine) : machine_(machine) {}
  void set(Checkpointer* checkpointer) { checkpointer_ = checkpointer; }
  void reset() { last_ = {}; }
  [[nodiscard]] bool is_on() const { return checkpointer_ != nullptr; }

  /// The running task is about to begin an operation, of which nothing has happened.  May be said
  /// again of the same one.  A debugger may let the process stand still here.
  void is_coming(OperationKind kind) {
    if (is_debugged()) tell_debugger(machine_);
    if (__builtin_expect(checkpointer_ != nullptr, 0)) tell_coming(kind);
  }
  /// The program of the running task asks for a checkpoint.
  void is_asked_for();
  void has_ended(const Task& task) {
    if (checkpointer_ != nullptr) tell_ended(task);
  }
  /// The running task is about to do what others see without a message: `what` says it.
  void is_beyond_messages(const char* what) {
    if (checkpointer_ != nullptr) tell_beyond_messages(what);
  }
  void is_sent(const MessageState& message) {
    if (__builtin_expect(checkpointer_ != nullptr, 0)) tell_sent(message);
  }
  /// An operation of the running task is over by which it may have got messages.
  void may_have_got() {
    if (__builtin_expect(checkpointer_ != nullptr, 0)) take_time(/*at_end=*/false);
  }
  /// The process of the running task has done its work.
  void is_done() {
    if (checkpointer_ != nullptr) take_time(/*at_end=*/true);
  }
  void is_reached(const MessageState& message, OperationId receiver) {
    if (__builtin_expect(checkpointer_ != nullptr, 0)) tell_reached(message, receiver);
  }

 private:
  void tell_coming(OperationKind kind);
  void take_time(bool at_end);
  void tell_ended(const Task& task);
  void tell_beyond_messages(const char* what);
  void tell_sent(const MessageState& message);
  void tell_reached(const MessageState& message, OperationId receiver);
  /// The rank whose first task this is; -1: of none.
  [[nodiscard]] std::int32_t rank_of_first(const Task& task) const;

  Machine& machine_;
  Checkpointer* checkpointer_ = nullptr;
  OperationId last_;  // that is coming
};

}  // namespace orrery::detail
