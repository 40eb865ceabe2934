#include "collectives.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace orrery::mpi {
namespace {

// Tags number the collectives of a communicator: messages of two of them never meet.
constexpr std::uint64_t tag_limit = 1U << 30U;

// Up to so many ranks a barrier sends more messages and takes less time.
constexpr std::int32_t dissemination_ranks_max = 16;

void describe_call(const CollectiveCall& call, char* text, std::size_t room) {
  int used = std::snprintf(text, room, "%s(count %llu, %s", call.name,
                           static_cast<unsigned long long>(call.count),
                           *call.type == '\0' ? "no type" : call.type);
  const auto add = [&](const char* format, auto value) {
    if (used < 0 || static_cast<std::size_t>(used) >= room) return;
    used += std::snprintf(text + used, room - static_cast<std::size_t>(used), format, value);
  };
  if (*call.operation != '\0') add(", %s", call.operation);
  if (call.root >= 0) add(", root %d", call.root);
  add("%s", ")");
}

}  // namespace

Collective::Collective(const Call& call, Communicator& communicator,
                       const CollectiveCall& arguments)
    : call_(call),
      communicator_(&communicator),
      tag_(static_cast<std::int32_t>(communicator.collectives % tag_limit)) {
  const std::uint64_t number = communicator.collectives++;
  if (communicator.size == 1) return;
  const CollectiveLedger::Key key{communicator.context, communicator.world_rank(0), number};
  const std::int32_t world_rank = communicator.world_rank(communicator.rank);
  CollectiveLedger& ledger = call.job.ledger();
  const auto mismatch = ledger.enter(key, world_rank, communicator.size, arguments);
  if (!mismatch) {
    if (arguments.may_synchronise) synchronises_ = ledger.synchronises(key, call.table);
    return;
  }
  char first[200];
  char second[200];
  describe_call(mismatch->first, first, sizeof(first));
  describe_call(arguments, second, sizeof(second));
  call.fail_always(
      Misuse::collective_mismatch,
      "rank %d of %s calls %s, but rank %d calls %s as its collective operation number %llu there: "
      "%s. All ranks of a communicator must make the same collective calls in the same order "
      "(MPI 3.1, section 5.1)",
      communicator.rank, communicator.name, second, communicator.local_rank(mismatch->first_rank),
      first, static_cast<unsigned long long>(number + 1), mismatch->what);
}

void Collective::goes_by(const char* algorithm) const {
  if (rank() == 0) call_.table.collective_begun(call_.name, algorithm);
}

std::int32_t Collective::world_rank(Peer peer) const {
  return communicator_->world_rank(peer.rank);
}

OrreryEnvelope Collective::envelope(std::int32_t source, std::int32_t destination,
                                    std::size_t size_bytes, std::uint64_t hash) const {
  return {communicator_->context + 1, source, destination, tag_, size_bytes, hash};
}

void Collective::send(Peer destination, const void* data, std::size_t size_bytes,
                      std::uint64_t hash) const {
  const OrreryEnvelope message =
      envelope(world_rank(rank()), world_rank(destination), size_bytes, hash);
  note(call_.table.send(&message, data, ORRERY_SEND_STANDARD, call_.pc), destination);
}

void Collective::note(std::uint32_t flags, Peer peer) const {
  if ((flags & ORRERY_REQUEST_FAILED) == 0 || error_ != MPI_SUCCESS) return;
  error_ = call_.fail_connection(*communicator_, peer.rank);
}

void Collective::receive(Peer source, void* data, std::size_t size_bytes,
                         std::uint64_t hash) const {
  const OrreryEnvelope pattern = envelope(world_rank(source), world_rank(rank()), 0, 0);
  take(call_.table.receive(&pattern, call_.pc), source, data, size_bytes, hash);
}

OrreryRequest Collective::start_receive(Peer source) const {
  const OrreryEnvelope pattern = envelope(world_rank(source), world_rank(rank()), 0, 0);
  return call_.table.start_receive(&pattern, call_.pc);
}

void Collective::finish_receive(OrreryRequest id, Peer source, void* data, std::size_t size_bytes,
                                std::uint64_t hash) const {
  std::int32_t index = 0;
  call_.table.select(&id, 1, ORRERY_SELECT_ALL, &index, call_.pc);
  take(id, source, data, size_bytes, hash);
}

void Collective::exchange(Peer destination, const void* outgoing, std::size_t outgoing_bytes,
                          Peer source, void* incoming, std::size_t incoming_bytes) const {
  const OrreryRequest id = start_receive(source);
  send(destination, outgoing, outgoing_bytes);
  finish_receive(id, source, incoming, incoming_bytes);
}

void Collective::take(OrreryRequest id, Peer source, void* data, std::size_t size_bytes,
                      std::uint64_t hash) const {
  OrreryEnvelope message{};
  const std::uint32_t flags = call_.table.inspect(id, &message);
  note(flags, source);
  if ((flags & ORRERY_REQUEST_FAILED) != 0) {
    // After a collective that failed nobody may rely on the buffer; zeros are the same every time.
    call_.table.release(id);
    if (size_bytes > 0) std::memset(data, 0, size_bytes);
    return;
  }
  const char* const group = source.is_remote ? "the other group of " : "";
  if (message.size_bytes != size_bytes) {
    call_.table.release(id);
    call_.fail_always(
        Misuse::collective_mismatch,
        "rank %d of %s%s sends %llu bytes here, and rank %d expects %zu: the counts and types of a "
        "collective operation must agree pairwise (MPI 3.1, section 5.1)",
        source.rank, group, communicator_->name,
        static_cast<unsigned long long>(message.size_bytes), rank(), size_bytes);
  }
  if (hash != 0 && message.note != 0 && message.note != hash) {
    call_.table.release(id);
    call_.fail_always(
        Misuse::type_mismatch,
        "rank %d of %s%s sends %zu bytes with another type signature here than rank %d expects "
        "(MPI 3.1, section 5.1)",
        source.rank, group, communicator_->name, size_bytes, rank());
  }
  if (size_bytes > 0) std::memcpy(data, call_.table.payload(id), size_bytes);
  call_.table.release(id);
}

// Dissemination: in round k everybody tells the rank 2^k further on (Hensgen, Finkel and Manber,
// 1988).  That takes log n latencies and n log n messages.  In a large communicator a binomial
// tree, there and back, takes twice as long and 2 (n - 1) messages: simulating those is what counts
// there.
void Collective::barrier() const {
  if (size() > dissemination_ranks_max) {
    std::int32_t distance = 1;
    for (; distance < size() && (rank() & distance) == 0; distance *= 2) {
      if (rank() + distance < size()) receive(rank() + distance, nullptr, 0);
    }
    if (rank() != 0) send(rank() - distance, nullptr, 0);
    broadcast(0, nullptr, 0);
    return;
  }
  for (std::int32_t distance = 1; distance < size(); distance *= 2)
    exchange((rank() + distance) % size(), nullptr, 0, (rank() + size() - distance) % size(),
             nullptr, 0);
}

// A binomial tree: who has the data sends it on over ever shorter distances.
void Collective::broadcast(std::int32_t root, std::byte* data, std::size_t size_bytes) const {
  const std::int32_t relative = (rank() - root + size()) % size();
  std::int32_t distance = 1;
  while (distance < size() && (relative & distance) == 0) distance *= 2;
  if (relative != 0) receive((rank() - distance + size()) % size(), data, size_bytes);
  for (distance /= 2; distance > 0; distance /= 2)
    if (relative + distance < size()) send((rank() + distance) % size(), data, size_bytes);
}

void copy_elements(ScratchPool& pool, const Datatype& from_type, std::size_t from_count,
                   const void* from, const Datatype& to_type, std::size_t to_count, void* to) {
  const std::size_t size = from_count * from_type.size_bytes;
  if (from_type.is_contiguous() && to_type.is_contiguous()) {
    if (size > 0) std::memmove(to, from, std::min(size, to_count * to_type.size_bytes));
    return;
  }
  const Scratch packed(pool, size);
  pack(from_type, from_count, from, packed.data());
  unpack(to_type, to_count, to, packed.data(), size);
}

}  // namespace orrery::mpi
