// Sending and receiving.
#include <algorithm>

#include "one_sided/local_accesses.hpp"
#include "ranks/loans.hpp"
#include "requests.hpp"

namespace orrery::mpi {
namespace {

// What goes over the network: the program's own memory if it is one run, else a packed copy.
class PackedView {
 public:
  PackedView(const Call& call, const Transfer& transfer) : data_(transfer.buffer) {
    if (transfer.size_bytes() == 0) return;
    data_ = find_packed(*transfer.type, transfer.count, transfer.buffer);
    if (data_ != nullptr) return;
    copy_.emplace(call.state.scratch, transfer.size_bytes());
    pack(*transfer.type, transfer.count, transfer.buffer, copy_->data());
    data_ = copy_->data();
  }
  [[nodiscard]] const void* data() const { return data_; }

 private:
  std::optional<Scratch> copy_;
  const void* data_;
};

OrreryEnvelope envelope_of(const Transfer& transfer) {
  const Communicator& communicator = *transfer.communicator;
  return {communicator.context,
          communicator.world_rank(communicator.rank),
          communicator.peers().world_rank(transfer.peer),
          transfer.tag,
          transfer.size_bytes(),
          0};
}

}  // namespace

int check_send(const Call& call, const void* buffer, int count, MPI_Datatype type, int destination,
               int tag, MPI_Comm communicator, Transfer& transfer) {
  if (const int error = call.check_communicator(communicator, transfer.communicator)) return error;
  const Communicator& found = *transfer.communicator;
  if (const int error = call.check_destination(found, destination)) return error;
  if (const int error = call.check_send_tag(found, tag)) return error;
  if (const int error = call.check_data(&found, buffer, count, type, "buf", transfer.type))
    return error;
  transfer.buffer = const_cast<void*>(buffer);
  transfer.count = static_cast<std::size_t>(count);
  transfer.peer = destination;
  transfer.tag = tag;
  return MPI_SUCCESS;
}

int check_receive(const Call& call, void* buffer, int count, MPI_Datatype type, int source, int tag,
                  MPI_Comm communicator, Transfer& transfer) {
  if (const int error = call.check_communicator(communicator, transfer.communicator)) return error;
  const Communicator& found = *transfer.communicator;
  if (const int error = call.check_source(found, source)) return error;
  if (const int error = call.check_receive_tag(found, tag)) return error;
  if (const int error = call.check_data(&found, buffer, count, type, "buf", transfer.type))
    return error;
  transfer.buffer = buffer;
  transfer.count = static_cast<std::size_t>(count);
  transfer.peer = source;
  transfer.tag = tag;
  return call.check_no_overlap(&found, *transfer.type, transfer.count, "datatype");
}

namespace {

int check_attached_buffer(const Call& call, const Transfer& transfer) {
  const RankState& state = call.state;
  const std::size_t needed = transfer.size_bytes() + MPI_BSEND_OVERHEAD;
  const auto attached = static_cast<std::size_t>(state.attached_size_bytes);
  if (state.buffer_bytes_used + needed <= attached) return MPI_SUCCESS;
  if (needed > attached)
    return call.fail(transfer.communicator, {MPI_ERR_BUFFER, Misuse::attached_buffer},
                     "the message needs %zu bytes of buffer (MPI_BSEND_OVERHEAD included), and %zu "
                     "are attached with MPI_Buffer_attach (MPI 3.1, section 3.6)",
                     needed, attached);
  return call.fail(
      transfer.communicator, {MPI_ERR_BUFFER, Misuse::attached_buffer},
      "the message needs %zu bytes of buffer (MPI_BSEND_OVERHEAD included), and of the "
      "%zu that are attached %zu are taken by messages (%u) that may not have been "
      "received yet (MPI 3.1, section 3.6)",
      needed, attached, state.buffer_bytes_used, state.buffer_messages);
}

void check_receive_posted(const Call& call, const Transfer& transfer) {
  const OrreryEnvelope envelope = envelope_of(transfer);
  if (call.table.has_receive(&envelope) != 0) return;
  call.fail_always(
      Misuse::ready_send,
      "rank %d has posted no receive for this message with tag %d, and a ready send needs one; a "
      "blocking receive does not count, since nobody can know that it has begun (MPI 3.1, section "
      "3.4)",
      transfer.peer, transfer.tag);
}

OrrerySendMode mode_of(const Call& call, SendKind kind) {
  switch (kind) {
    case SendKind::buffered: return ORRERY_SEND_BUFFERED;
    case SendKind::synchronous: return ORRERY_SEND_SYNCHRONOUS;
    case SendKind::ready: return ORRERY_SEND_STANDARD;
    case SendKind::standard: break;
  }
  return call.job.send_buffering().waits(call.table) ? ORRERY_SEND_SYNCHRONOUS
                                                     : ORRERY_SEND_STANDARD;
}

// What the receiver will want to know.
std::uint64_t note_of(const Call& call, const Transfer& transfer, SendKind kind) {
  SentMessage message{.rank = call.state.rank,
                      .kind = kind,
                      .pc = call.pc,
                      .signature = signature(*transfer.type, transfer.count),
                      .is_packed = is_packed(*transfer.type),
                      .type = transfer.type->name,
                      .count = transfer.count};
  if (kind == SendKind::buffered) {
    message.buffer_bytes = transfer.size_bytes() + MPI_BSEND_OVERHEAD;
    call.state.buffer_bytes_used += message.buffer_bytes;
    ++call.state.buffer_messages;
  }
  return call.job.sent().add(message);
}

}  // namespace

int check_mode(const Call& call, const Transfer& transfer, SendKind kind) {
  if (transfer.peer == MPI_PROC_NULL) return MPI_SUCCESS;
  if (kind == SendKind::buffered) return check_attached_buffer(call, transfer);
  if (kind == SendKind::ready) check_receive_posted(call, transfer);
  return MPI_SUCCESS;
}

OrreryEnvelope pattern_of(const Communicator& communicator, std::int32_t source, std::int32_t tag) {
  return {communicator.context,
          source == MPI_ANY_SOURCE ? ORRERY_ANY_SOURCE : communicator.peers().world_rank(source),
          communicator.world_rank(communicator.rank),
          tag == MPI_ANY_TAG ? ORRERY_ANY_TAG : tag,
          0,
          0};
}

BufferView view_of(const Transfer& transfer, BufferUse use) {
  return {transfer.buffer, transfer.type, transfer.count, use};
}

int send(const Call& call, const Transfer& transfer, SendKind kind) {
  if (transfer.peer == MPI_PROC_NULL) return MPI_SUCCESS;
  call.state.owned.check_use(call, view_of(transfer, BufferUse::reads));
  OrreryEnvelope envelope = envelope_of(transfer);
  envelope.note = note_of(call, transfer, kind);
  const PackedView view(call, transfer);
  const LentWhileCalling lent(call, view_of(transfer, BufferUse::reads));
  const std::uint32_t flags = call.table.send(&envelope, view.data(), mode_of(call, kind), call.pc);
  if ((flags & ORRERY_REQUEST_FAILED) == 0) return MPI_SUCCESS;
  return call.fail_connection(*transfer.communicator, transfer.peer);
}

StartedSend start_send(const Call& call, const Transfer& transfer, SendKind kind) {
  if (transfer.peer == MPI_PROC_NULL) return {};
  OrreryEnvelope envelope = envelope_of(transfer);
  envelope.note = note_of(call, transfer, kind);
  const PackedView view(call, transfer);
  return {call.table.start_send(&envelope, view.data(), mode_of(call, kind), call.pc),
          envelope.note};
}

OrreryRequest start_receive(const Call& call, const Transfer& transfer) {
  if (transfer.peer == MPI_PROC_NULL) return 0;
  const OrreryEnvelope pattern = pattern_of(*transfer.communicator, transfer.peer, transfer.tag);
  return call.table.start_receive(&pattern, call.pc);
}

int receive(const Call& call, const Transfer& transfer, MPI_Status* status) {
  if (transfer.peer == MPI_PROC_NULL) {
    fill_null_process_status(status);
    return MPI_SUCCESS;
  }
  call.state.owned.check_use(call, view_of(transfer, BufferUse::writes));
  const OrreryEnvelope pattern = pattern_of(*transfer.communicator, transfer.peer, transfer.tag);
  const LentWhileCalling lent(call, view_of(transfer, BufferUse::writes));
  return finish_receive(call, transfer, call.table.receive(&pattern, call.pc), status);
}

int finish_receive(const Call& call, const Transfer& transfer, OrreryRequest id,
                   MPI_Status* status) {
  OrreryEnvelope envelope{};
  const std::uint32_t flags = call.table.inspect(id, &envelope);
  if ((flags & ORRERY_REQUEST_FAILED) != 0) {
    call.table.release(id);
    fill_empty_status(status);
    return call.fail_connection(*transfer.communicator, transfer.peer);
  }
  if ((flags & ORRERY_REQUEST_CANCELLED) != 0) {
    call.table.release(id);
    fill_empty_status(status);
    if (status != MPI_STATUS_IGNORE) status->_cancelled = 1;
    return MPI_SUCCESS;
  }
  const SentMessage sent = call.job.sent().take(envelope.note);
  call.job.free_buffer(sent);
  const std::size_t room = transfer.size_bytes();
  const auto size = static_cast<std::size_t>(envelope.size_bytes);
  const std::size_t taken = std::min(size, room);
  check_local_store(call, view_of(transfer, BufferUse::writes));
  unpack(*transfer.type, transfer.count, transfer.buffer,
         static_cast<const std::byte*>(call.table.payload(id)), taken);
  call.table.release(id);
  const Communicator& communicator = *transfer.communicator;
  envelope.size_bytes = taken;
  fill_status(communicator, envelope, status);
  const std::int32_t source = communicator.peers().rank_of(envelope.source);
  const OrreryPlace sender{sent.rank, sent.pc, "sent here"};
  if (size > room)
    return call.fail_between(
        &communicator, MPI_ERR_TRUNCATE, sender,
        "the message from rank %d with tag %d has %zu bytes, and the buffer has room for "
        "%zu (%zu elements of %s) (MPI 3.1, section 3.2.4)",
        source, envelope.tag, size, room, transfer.count, transfer.type->name);
  const bool fits = sent.is_packed || is_packed(*transfer.type) ||
                    sent.signature == signature(*transfer.type, transfer.count, size);
  if (fits) return MPI_SUCCESS;
  call.fail_always_between(
      Misuse::type_mismatch, sender,
      "the message from rank %d with tag %d was sent as %zu elements of %s and is received as %s: "
      "their type signatures differ (MPI 3.1, section 3.3.1)",
      source, envelope.tag, sent.count, sent.type, transfer.type->name);
}

void fill_status(const Communicator& communicator, const OrreryEnvelope& envelope,
                 MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = communicator.peers().rank_of(envelope.source);
  status->MPI_TAG = envelope.tag;
  status->_cancelled = 0;
  status->_ucount = static_cast<std::size_t>(envelope.size_bytes);
}

void fill_empty_status(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  status->MPI_ERROR = MPI_SUCCESS;
  status->_cancelled = 0;
  status->_ucount = 0;
}

void copy_status(const MPI_Status& from, MPI_Status* to) {
  if (to == MPI_STATUS_IGNORE) return;
  to->MPI_SOURCE = from.MPI_SOURCE;
  to->MPI_TAG = from.MPI_TAG;
  to->_cancelled = from._cancelled;
  to->_ucount = from._ucount;
}

void fill_null_process_status(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_PROC_NULL;
  status->MPI_TAG = MPI_ANY_TAG;
  status->_cancelled = 0;
  status->_ucount = 0;
}

}  // namespace orrery::mpi
