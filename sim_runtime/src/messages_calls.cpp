// Remote calls: messages that are answered where they arrive, with no task of the other end.
#include <utility>

#include <orrery/network_model/usage_error.hpp>

#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {

RequestHandle MessageSystem::start_call(const MessagePattern& to, std::span<const std::byte> bytes,
                                        const char* name, const SourceLocation& where,
                                        std::uint64_t note) {
  Operation operation;
  announce_send(to, bytes.size(), where, operation);
  if (machine_.is_unwinding()) return 0;
  // As a buffered message: however large it is, nobody has to be ready for it.
  const MessageIndex index = create(to, bytes, SendMode::buffered, /*is_call=*/true);
  messages_[index].note = note;
  tell_sent(operation, index);
  dispatch(index);
  const RequestHandle handle = new_request(false, to, where);
  requests_[handle].call = name;
  if (is_cut_off(to.destination, to.source)) {
    messages_[index].cancelled = true;
    requests_[handle].has_failed = requests_[handle].complete = true;
  } else {
    requests_[handle].message = index;
    messages_[index].send_request = handle;
  }
  return handle;
}

void MessageSystem::take_call(MessageIndex index) {
  MessageState& message = messages_[index];
  message.phase = MessageState::Phase::called;
  ensure(call_handler_.function != nullptr, "somebody answers remote calls",
         message.envelope.destination, message.envelope.tag);
  const auto& [context, source, destination, tag] = message.envelope;
  const OrreryEnvelope envelope{context,     source, destination, tag, message.payload.size(),
                                message.note};
  delivered_call_ = message.sender;
  call_handler_.function(call_handler_.argument, index, &envelope, message.payload.data());
  delivered_call_ = {};
}

void MessageSystem::answer_call(std::uint64_t call, std::span<const std::byte> answer) {
  const auto index = static_cast<MessageIndex>(call);
  MessageState& message = messages_[index];
  ensure(message.is_call && message.phase == MessageState::Phase::called,
         "a call is answered once, after it was handed over", index);
  if (message.cancelled) {  // the connection broke meanwhile: nobody waits for it
    message.phase = MessageState::Phase::done;
    drop(index);
    return;
  }
  message.payload.assign(answer.begin(), answer.end());
  message.received_by = delivered_call_;
  start_phase(index, MessageState::Phase::answer);
}

void MessageSystem::take_answer(MessageIndex index) {
  MessageState& message = messages_[index];
  message.phase = MessageState::Phase::done;
  complete(message.send_request, message.received_by);
}

bool MessageSystem::has_payload(const RequestState& request) const {
  if (request.message == no_message) return false;
  return request.is_receive || (request.call != nullptr && request.complete);
}

}  // namespace orrery::detail
