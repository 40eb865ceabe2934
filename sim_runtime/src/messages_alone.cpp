// Messages of a rank that goes on by itself: those to others leave the process, others' come in.
#include <orrery/sim_runtime/outside.hpp>

#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {
namespace {

OrreryEnvelope envelope_of(const MessagePattern& pattern, std::uint64_t size_bytes,
                           std::uint64_t note) {
  const auto& [context, source, destination, tag] = pattern;
  return {context, source, destination, tag, size_bytes, note};
}

}  // namespace

std::span<const std::byte> MessageSystem::note_content(const MessageState& message) const {
  if (note_carrier_ == nullptr) return {};
  const OrreryEnvelope envelope =
      envelope_of(message.envelope, message.payload.size(), message.note);
  std::uint64_t size_bytes = 0;
  const void* const content = note_carrier_->content(&envelope, &size_bytes);
  if (content == nullptr) return {};
  return {static_cast<const std::byte*>(content), size_bytes};
}

void MessageSystem::tell_carrier(const MessageState& message) const {
  if (note_carrier_ == nullptr) return;
  const OrreryEnvelope envelope =
      envelope_of(message.envelope, message.payload.size(), message.note);
  note_carrier_->leaves(&envelope);
}

void MessageSystem::part_from_others(std::int32_t rank) {
  lone_rank_ = rank;
  for (MessageState& message : messages_) {
    const bool is_in_use =
        message.phase != MessageState::Phase::done || message.receive_request != 0;
    const bool leaves =
        message.envelope.source == rank && is_elsewhere(message.envelope.destination);
    if (!is_in_use || !leaves || message.cancelled) continue;
    tell_carrier(message);
    const RequestHandle handle = message.send_request;
    if (handle == 0) continue;
    message.send_request = 0;
    requests_[handle].message = no_message;
    requests_[handle].had_to_wait = true;
    complete(handle, {});
  }
}

// Whoever receives it has told what had to be told; the sender does not hear of that.
RequestHandle MessageSystem::leave(MessageIndex index, const SourceLocation& where) {
  const MessageState& message = messages_[index];
  tell_carrier(message);
  const RequestHandle handle = new_request(false, message.envelope, where);
  RequestState& request = requests_[handle];
  request.complete = true;
  request.had_to_wait = message.is_rendezvous || message.is_synchronous;
  if (!request.had_to_wait) request.matched = message.sender;
  messages_[index].phase = MessageState::Phase::done;
  drop(index);
  return handle;
}

void MessageSystem::bring_in(const OutsideMessage& brought) {
  const MessagePattern to{brought.context, brought.source, brought.destination, brought.tag};
  const MessageIndex index = create(to, brought.content, brought.send);
  MessageState& message = messages_[index];
  message.is_rendezvous = brought.is_rendezvous;
  message.note = brought.note;
  if (note_carrier_ != nullptr && !brought.note_content.empty()) {
    const OrreryEnvelope envelope = envelope_of(to, brought.content.size(), brought.note);
    message.note =
        note_carrier_->arrives(&envelope, brought.note_content.data(), brought.note_content.size());
  }
  if (machine_.wants_matching()) tell_matching_sent({}, index);
  dispatch(index);
}

}  // namespace orrery::detail
