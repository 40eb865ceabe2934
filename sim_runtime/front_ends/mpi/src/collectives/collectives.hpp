// Collective operations as algorithms over messages of their own context.
//
// Sources are always named, and so collectives add no choice of message.  Which algorithm is taken
// depends only on what all ranks know: the number of ranks and the amount of data.  All sizes are
// in bytes of packed data.
#pragma once

#include <cstddef>

#include "calls/call.hpp"
#include "collective_ledger.hpp"

namespace orrery::mpi {

/// Whom a message of a collective operation goes to or comes from.
struct Peer {
  std::int32_t rank = 0;
  bool is_remote = false;  ///< in the other group of an intercommunicator
  // NOLINTNEXTLINE(google-explicit-constructor): a rank of the own group is the common case.
  Peer(std::int32_t local_rank) : rank(local_rank) {}
  static Peer remote(std::int32_t rank) {
    Peer peer(rank);
    peer.is_remote = true;
    return peer;
  }
};

/// One collective call of one rank, after it was found to agree with the others' calls.  Value
/// type.
class Collective {
 public:
  /// Compares the call with what the other ranks do; a difference is a finding.
  Collective(const Call& call, Communicator& communicator, const CollectiveCall& arguments);

  [[nodiscard]] std::int32_t rank() const { return communicator_->rank; }
  [[nodiscard]] std::int32_t size() const { return communicator_->size; }
  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] ScratchPool& scratch() const { return call_.state.scratch; }
  /// Does nobody leave before all have come?  The standard lets some operations choose (section
  /// 5.1).
  [[nodiscard]] bool synchronises() const { return synchronises_; }
  /// Counts, for who asks, that this operation goes by this algorithm; as a part of one between two
  /// groups it says nothing.
  void goes_by(const char* algorithm) const;
  /// The same for a whole operation between two groups, called by one rank of them all.
  void goes_between_by(const char* algorithm) const;
  /// Is it one between the groups of an intercommunicator?  `rank` and `size` are of the own one.
  [[nodiscard]] bool is_between_groups() const { return communicator_->is_inter(); }
  [[nodiscard]] std::int32_t remote_size() const { return communicator_->remote->size(); }
  /// Is the own group the first of the two, as both see it?
  [[nodiscard]] bool in_first_group() const;

  /// `hash` is that of the data's type signature, and 0 where it need not be the receiver's.
  void send(Peer destination, const void* data, std::size_t size_bytes,
            std::uint64_t hash = 0) const;
  /// A message of another size, or with another signature, is a finding: the ranks disagree on what
  /// is exchanged.
  void receive(Peer source, void* data, std::size_t size_bytes, std::uint64_t hash = 0) const;
  /// Both at once, so that nobody waits for anybody's buffer.
  void exchange(Peer destination, const void* outgoing, std::size_t outgoing_bytes, Peer source,
                void* incoming, std::size_t incoming_bytes) const;
  /// A receive in two parts: of several from one source, the first to start gets the first message.
  [[nodiscard]] OrreryRequest start_receive(Peer source) const;
  void finish_receive(OrreryRequest id, Peer source, void* data, std::size_t size_bytes,
                      std::uint64_t hash = 0) const;

  /// MPI_SUCCESS, or what went wrong with a connection: then nobody may rely on the result.
  [[nodiscard]] int error() const { return error_; }

  /// Between two groups: of all ranks of both.
  void barrier() const;
  /// Along a binomial tree, in the own group.
  void broadcast(std::int32_t root, std::byte* data, std::size_t size_bytes) const;

 private:
  void compare(const CollectiveCall& arguments);
  [[nodiscard]] CollectiveCaller caller(const CollectiveCall& arguments) const;
  [[noreturn]] void fail_mismatch(const CollectiveLedger::Mismatch& mismatch,
                                  const CollectiveCall& arguments) const;
  void gather_signals() const;
  void note(std::uint32_t flags, Peer peer) const;
  void take(OrreryRequest id, Peer source, void* data, std::size_t size_bytes,
            std::uint64_t hash) const;
  [[nodiscard]] std::int32_t world_rank(Peer peer) const;
  [[nodiscard]] OrreryEnvelope envelope(std::int32_t source, std::int32_t destination,
                                        std::size_t size_bytes, std::uint64_t hash) const;

  Call call_;
  Communicator* communicator_;
  std::uint64_t number_;
  std::int32_t tag_;
  bool synchronises_ = false;
  mutable int error_ = MPI_SUCCESS;
};

/// Elements of one type in a temporary buffer, laid out as in a program's buffer.
class TypedScratch {
 public:
  TypedScratch(ScratchPool& pool, const Datatype& type, std::size_t count)
      : range_(footprint(type, count)),
        bytes_(pool, static_cast<std::size_t>(range_.end_bytes - range_.begin_bytes) + 1) {}
  /// What a call would be given as the buffer's address.
  [[nodiscard]] void* buffer() const { return bytes_.data() - range_.begin_bytes; }

 private:
  Footprint range_;
  Scratch bytes_;
};

/// Where the element `index` of a buffer is.
inline void* element_address(const Datatype& type, void* buffer, std::size_t index) {
  return static_cast<std::byte*>(buffer) + static_cast<std::ptrdiff_t>(index) * type.extent_bytes();
}

/// Copies `count` elements from one buffer to another.
void copy_elements(ScratchPool& pool, const Datatype& from_type, std::size_t from_count,
                   const void* from, const Datatype& to_type, std::size_t to_count, void* to);

}  // namespace orrery::mpi
