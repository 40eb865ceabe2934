// What becomes of each message, for observers.
#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {

void MessageSystem::tell_matching_sent(const Operation& operation, MessageIndex index) {
  const MessageState& message = messages_[index];
  const auto& [context, source, destination, tag] = message.envelope;
  MatchingStep step;
  step.send = message.sender;
  step.context = context;
  step.source = source;
  step.destination = destination;
  step.tag = tag;
  step.is_call = message.is_call;
  step.where = operation.where;
  machine_.tell_matching(step);
}

void MessageSystem::tell_receiver(MatchingStep::Kind kind, const RequestState& request,
                                  OperationId send) {
  if (!machine_.wants_matching()) return;
  const auto& [context, source, destination, tag] = request.pattern;
  MatchingStep step;
  step.kind = kind;
  step.send = send;
  step.receiver = request.started_by;
  step.context = context;
  step.source = source;
  step.destination = destination;
  step.tag = tag;
  step.where = &request.started_at;
  machine_.tell_matching(step);
}

}  // namespace orrery::detail
