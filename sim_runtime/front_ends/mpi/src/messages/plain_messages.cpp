#include "plain_messages.hpp"

#include <algorithm>
#include <cstring>

namespace orrery::mpi {

void PlainMessages::note(std::uint32_t flags, std::int32_t peer) const {
  if ((flags & ORRERY_REQUEST_FAILED) == 0 || error_ != MPI_SUCCESS) return;
  error_ = call_.fail_connection(communicator_, communicator_.peers().rank_of(peer));
}

void PlainMessages::send(std::int32_t peer, const void* data, std::size_t size_bytes) const {
  const OrreryEnvelope message{context_, call_.state.rank, peer, tag_, size_bytes, 0};
  note(call_.table.send(&message, data, ORRERY_SEND_STANDARD, call_.pc), peer);
}

void PlainMessages::receive(std::int32_t peer, void* data, std::size_t size_bytes) const {
  const OrreryEnvelope pattern{context_, peer, call_.state.rank, tag_, 0, 0};
  take(call_.table.receive(&pattern, call_.pc), peer, data, size_bytes);
}

void PlainMessages::exchange(std::int32_t peer, const void* outgoing, std::size_t outgoing_bytes,
                             void* incoming, std::size_t incoming_bytes) const {
  const OrreryEnvelope pattern{context_, peer, call_.state.rank, tag_, 0, 0};
  const OrreryRequest id = call_.table.start_receive(&pattern, call_.pc);
  send(peer, outgoing, outgoing_bytes);
  std::int32_t index = 0;
  call_.table.select(&id, 1, ORRERY_SELECT_ALL, &index, call_.pc);
  take(id, peer, incoming, incoming_bytes);
}

void PlainMessages::take(OrreryRequest id, std::int32_t peer, void* data,
                         std::size_t size_bytes) const {
  OrreryEnvelope message{};
  const std::uint32_t flags = call_.table.inspect(id, &message);
  note(flags, peer);
  if ((flags & ORRERY_REQUEST_FAILED) == 0 && size_bytes > 0)
    std::memcpy(data, call_.table.payload(id),
                std::min(size_bytes, static_cast<std::size_t>(message.size_bytes)));
  call_.table.release(id);
}

}  // namespace orrery::mpi
