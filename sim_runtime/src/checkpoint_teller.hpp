// What the machine tells whoever divides runs of ranks into intervals.
#pragma once

#include <cstdint>

#include <orrery/sim_runtime/checkpointer.hpp>

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

  /// The running task is about to begin an operation, of which nothing has happened.  May be said
  /// again of the same one.
  void is_coming(OperationKind kind) {
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
  void is_reached(const MessageState& message, OperationId receiver) {
    if (__builtin_expect(checkpointer_ != nullptr, 0)) tell_reached(message, receiver);
  }

 private:
  void tell_coming(OperationKind kind);
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
