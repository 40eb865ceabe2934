// Matched probes: the message that one finds belongs to it (MPI 3.1, section 3.8.2).
#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {

RequestHandle MessageSystem::claim(const MessagePattern& pattern, bool is_poll,
                                   const SourceLocation& where) {
  const MessageIndex index = look(pattern, is_poll, /*takes=*/true, where);
  if (index == no_message) return 0;
  Mailbox& box = mailbox(pattern.destination);
  box.remove(index);
  MessageState& message = messages_[index];
  const RequestHandle handle = new_request(true, message.envelope, where);
  message.phase = MessageState::Phase::claimed;
  message.receive_request = handle;
  requests_[handle].message = index;
  machine_.reconsider(box);
  machine_.checkpoints().may_have_got();
  return handle;
}

void MessageSystem::start_claimed(RequestHandle handle, const SourceLocation& where) {
  const MessagePattern pattern = requests_[handle].pattern;
  Operation operation;
  operation.kind = OperationKind::post_receive;
  operation.peer = pattern.source;
  operation.tag = pattern.tag;
  operation.value = pattern.context;
  operation.object = mailbox(pattern.destination).id();
  operation.deadline = VirtualTime::never();
  operation.where = &where;
  machine_.announce(operation);
  machine_.faults().before_operation();
  if (machine_.is_unwinding()) return;
  RequestState& request = requests_[handle];
  request.started_by = machine_.running().current_id();
  request.started_at = where;
  match(handle, request.message);
  machine_.told(operation);
}

}  // namespace orrery::detail
