#include "checkpoint_teller.hpp"

#include <exception>
#include <string>

#include <orrery/sim_runtime/outside.hpp>

#include "machine.hpp"

namespace orrery::detail {
namespace {

CarriedMessage carried(const MessageSystem& messages, const MessageState& message) {
  const auto& [context, source, destination, tag] = message.envelope;
  return {.send = message.sender,
          .context = context,
          .source = source,
          .destination = destination,
          .tag = tag,
          .note = message.note,
          .is_call = message.is_call,
          .is_rendezvous = message.is_rendezvous,
          .content = message.payload,
          .note_content = messages.note_content(message)};
}

}  // namespace

std::int32_t CheckpointTeller::rank_of_first(const Task& task) const {
  const Process& process = machine_.process_at(task.process);
  return process.first_task == task.id ? process.rank : -1;
}

void CheckpointTeller::tell_coming(OperationKind kind) {
  if (machine_.is_unwinding() || !machine_.has_running()) return;
  const Task& task = machine_.running();
  const std::int32_t rank = rank_of_first(task);
  const OperationId coming{task.id, task.current_id().number + 1};
  if (rank < 0 || coming == last_) return;
  last_ = coming;
  try {
    checkpointer_->before_operation({rank, coming, kind, machine_.now()});
  } catch (...) {
    machine_.fail_with(std::current_exception());
  }
}

void CheckpointTeller::take_time(bool at_end) {
  if (machine_.is_unwinding() || !machine_.has_running()) return;
  const Task& task = machine_.running();
  const std::int32_t rank = rank_of_first(task);
  if (rank < 0 || (at_end && machine_.process_at(task.process).has_finished)) return;
  const VirtualDuration taken =
      at_end ? checkpointer_->time_taken_at_end(rank) : checkpointer_->time_taken(rank);
  if (taken > VirtualDuration::zero()) machine_.linger(taken);
}

void CheckpointTeller::tell_ended(const Task& task) {
  const std::int32_t rank = rank_of_first(task);
  if (rank >= 0) checkpointer_->rank_ended(rank, task.end_operation);
}

void CheckpointTeller::is_asked_for() {
  if (checkpointer_ == nullptr || machine_.is_unwinding() || !machine_.has_running()) return;
  const std::int32_t rank = machine_.process_at(machine_.running().process).rank;
  if (rank >= 0) checkpointer_->checkpoint_asked(rank);
}

void CheckpointTeller::tell_beyond_messages(const char* what) {
  if (machine_.is_unwinding() || !machine_.has_running()) return;
  const std::int32_t rank = machine_.process_at(machine_.running().process).rank;
  std::string place;
  if (const auto stack = machine_.own_stack(); !stack.empty()) {
    const SourceFrame& call = stack.front();
    place = call.file.empty()
                ? " in " + call.function
                : " at " + call.file + ":" + std::to_string(call.line) + " in " + call.function;
  }
  try {
    checkpointer_->goes_beyond_messages(rank, what + place);
  } catch (...) {
    machine_.fail_with(std::current_exception());
  }
}

void CheckpointTeller::tell_sent(const MessageState& message) {
  checkpointer_->sent(carried(machine_.messages(), message));
}

void CheckpointTeller::tell_reached(const MessageState& message, OperationId receiver) {
  checkpointer_->reached(carried(machine_.messages(), message), receiver);
}

}  // namespace orrery::detail

namespace orrery {

OutsideMessage copy_of(const CarriedMessage& message) {
  return {.send = message.send,
          .context = message.context,
          .source = message.source,
          .destination = message.destination,
          .tag = message.tag,
          .note = message.note,
          .note_content = {message.note_content.begin(), message.note_content.end()},
          .is_rendezvous = message.is_rendezvous,
          .content = {message.content.begin(), message.content.end()}};
}

}  // namespace orrery
