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
  if (call.root == MPI_ROOT) add(", root %s", "MPI_ROOT");
  if (call.root == MPI_PROC_NULL) add(", root %s", "MPI_PROC_NULL");
  if (call.root >= 0) add(", root %d", call.root);
  add("%s", ")");
}

}  // namespace

Collective::Collective(const Call& call, Communicator& communicator,
                       const CollectiveCall& arguments)
    : call_(call),
      communicator_(&communicator),
      number_(communicator.collectives++),
      tag_(static_cast<std::int32_t>(number_ % tag_limit)) {
  if (communicator.size > 1 || communicator.is_inter()) compare(arguments);
}

void Collective::compare(const CollectiveCall& arguments) {
  const Membership* const remote = communicator_->remote.get();
  const std::int32_t own_leader = communicator_->world_rank(0);
  const CollectiveLedger::Key key{
      communicator_->context,
      remote == nullptr ? own_leader : std::min(own_leader, remote->world_rank(0)), number_};
  const std::int32_t everyone = communicator_->size + (remote == nullptr ? 0 : remote->size());
  CollectiveLedger& ledger = call_.job.ledger();
  std::optional<CollectiveLedger::Mismatch> mismatch;
  if (call_.state.checks_use) mismatch = ledger.enter(key, caller(arguments), everyone, arguments);
  if (mismatch) fail_mismatch(*mismatch, arguments);
  if (arguments.may_synchronise) synchronises_ = ledger.synchronises(key, call_.table);
}

bool Collective::in_first_group() const {
  return communicator_->world_rank(0) < communicator_->remote->world_rank(0);
}

CollectiveCaller Collective::caller(const CollectiveCall& arguments) const {
  CollectiveCaller caller{.rank = world_rank(rank()), .pc = call_.pc};
  if (arguments.root == no_root) return caller;
  if (!is_between_groups()) {
    caller.is_root = arguments.root == rank();
    caller.root_rank = world_rank(arguments.root);
    return caller;
  }
  const bool is_here = arguments.root == MPI_ROOT || arguments.root == MPI_PROC_NULL;
  caller.root_group = is_here == in_first_group() ? 0 : 1;
  caller.is_root = arguments.root == MPI_ROOT;
  if (caller.is_root) caller.root_rank = caller.rank;
  if (!is_here) caller.root_rank = world_rank(Peer::remote(arguments.root));
  return caller;
}

void Collective::fail_mismatch(const CollectiveLedger::Mismatch& mismatch,
                               const CollectiveCall& arguments) const {
  char first[200];
  char second[200];
  describe_call(mismatch.first.call, first, sizeof(first));
  describe_call(arguments, second, sizeof(second));
  const CollectiveCaller& other = mismatch.first.caller;
  const std::int32_t local = communicator_->local_rank(other.rank);
  const bool is_remote = local < 0;
  const unsigned long long ordinal = number_ + 1;
  const OrreryPlace there{other.rank, other.pc, "called here"};
  call_.fail_always_between(
      Misuse::collective_mismatch, there,
      "rank %d of %s calls %s, but rank %d%s calls %s as its collective operation number %llu "
      "there: %s. All ranks of a communicator must make the same collective calls in the same "
      "order "
      "(MPI 3.1, section %s)",
      rank(), communicator_->name, second,
      is_remote ? communicator_->remote->rank_of(other.rank) : local,
      is_remote ? " of the other group" : "", first, ordinal, mismatch.what,
      is_between_groups() ? "5.2.3" : "5.1");
}

void Collective::goes_by(const char* algorithm) const {
  if (rank() == 0 && !is_between_groups()) call_.table.collective_begun(call_.name, algorithm);
}

void Collective::goes_between_by(const char* algorithm) const {
  call_.table.collective_begun(call_.name, algorithm);
}

std::int32_t Collective::world_rank(Peer peer) const {
  if (peer.is_remote) return communicator_->remote->world_rank(peer.rank);
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
  if (size() > dissemination_ranks_max || is_between_groups()) {
    gather_signals();
    if (is_between_groups() && rank() == 0)
      exchange(Peer::remote(0), nullptr, 0, Peer::remote(0), nullptr, 0);
    broadcast(0, nullptr, 0);
    return;
  }
  for (std::int32_t distance = 1; distance < size(); distance *= 2)
    exchange((rank() + distance) % size(), nullptr, 0, (rank() + size() - distance) % size(),
             nullptr, 0);
}

// Up a binomial tree, to rank 0.
void Collective::gather_signals() const {
  std::int32_t distance = 1;
  for (; distance < size() && (rank() & distance) == 0; distance *= 2)
    if (rank() + distance < size()) receive(rank() + distance, nullptr, 0);
  if (rank() != 0) send(rank() - distance, nullptr, 0);
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
