// Sending and receiving.
#include <algorithm>

#include "requests.hpp"

namespace orrery::mpi {
namespace {

// What goes over the network: the program's own memory if it is one run, else a packed copy.
class PackedView {
 public:
  PackedView(const Call& call, const Transfer& transfer) : data_(transfer.buffer) {
    if (transfer.size_bytes() == 0 || transfer.type->is_contiguous()) return;
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
  return {communicator.context, communicator.world_rank(communicator.rank),
          communicator.world_rank(transfer.peer), transfer.tag, transfer.size_bytes()};
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
  return MPI_SUCCESS;
}

int check_attached_buffer(const Call& call, const Transfer& transfer) {
  if (transfer.peer == MPI_PROC_NULL) return MPI_SUCCESS;
  const std::size_t needed = transfer.size_bytes() + MPI_BSEND_OVERHEAD;
  const auto attached = static_cast<std::size_t>(call.state.attached_size_bytes);
  if (needed <= attached) return MPI_SUCCESS;
  return call.fail(transfer.communicator, MPI_ERR_BUFFER,
                   "the message needs %zu bytes of buffer (MPI_BSEND_OVERHEAD included), and %zu "
                   "are attached with MPI_Buffer_attach (MPI 3.1, section 3.6)",
                   needed, attached);
}

OrreryEnvelope pattern_of(const Communicator& communicator, std::int32_t source, std::int32_t tag) {
  return {communicator.context,
          source == MPI_ANY_SOURCE ? ORRERY_ANY_SOURCE : communicator.world_rank(source),
          communicator.world_rank(communicator.rank), tag == MPI_ANY_TAG ? ORRERY_ANY_TAG : tag, 0};
}

void send(const Call& call, const Transfer& transfer, OrrerySendMode mode) {
  if (transfer.peer == MPI_PROC_NULL) return;
  const OrreryEnvelope envelope = envelope_of(transfer);
  const PackedView view(call, transfer);
  call.table.send(&envelope, view.data(), mode, call.pc);
}

OrreryRequest start_send(const Call& call, const Transfer& transfer, OrrerySendMode mode) {
  if (transfer.peer == MPI_PROC_NULL) return 0;
  const OrreryEnvelope envelope = envelope_of(transfer);
  const PackedView view(call, transfer);
  return call.table.start_send(&envelope, view.data(), mode, call.pc);
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
  const OrreryEnvelope pattern = pattern_of(*transfer.communicator, transfer.peer, transfer.tag);
  return finish_receive(call, transfer, call.table.receive(&pattern, call.pc), status);
}

int finish_receive(const Call& call, const Transfer& transfer, OrreryRequest id,
                   MPI_Status* status) {
  OrreryEnvelope envelope{};
  if ((call.table.inspect(id, &envelope) & ORRERY_REQUEST_CANCELLED) != 0) {
    call.table.release(id);
    fill_empty_status(status);
    if (status != MPI_STATUS_IGNORE) status->_cancelled = 1;
    return MPI_SUCCESS;
  }
  const std::size_t room = transfer.size_bytes();
  const auto size = static_cast<std::size_t>(envelope.size_bytes);
  const std::size_t taken = std::min(size, room);
  unpack(*transfer.type, transfer.count, transfer.buffer,
         static_cast<const std::byte*>(call.table.payload(id)), taken);
  call.table.release(id);
  const Communicator& communicator = *transfer.communicator;
  envelope.size_bytes = taken;
  fill_status(communicator, envelope, status);
  if (size <= room) return MPI_SUCCESS;
  return call.fail(
      &communicator, MPI_ERR_TRUNCATE,
      "the message from rank %d with tag %d has %zu bytes, and the buffer has room for "
      "%zu (%zu elements of %s) (MPI 3.1, section 3.2.4)",
      communicator.local_rank(envelope.source), envelope.tag, size, room, transfer.count,
      transfer.type->name);
}

void fill_status(const Communicator& communicator, const OrreryEnvelope& envelope,
                 MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = communicator.local_rank(envelope.source);
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

void fill_null_process_status(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_PROC_NULL;
  status->MPI_TAG = MPI_ANY_TAG;
  status->_cancelled = 0;
  status->_ucount = 0;
}

}  // namespace orrery::mpi
