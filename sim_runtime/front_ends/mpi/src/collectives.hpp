// Collective operations as algorithms over messages of their own context.
//
// The algorithms are fixed (binomial trees, a dissemination barrier, direct exchanges), sources are
// always named, and so collectives add no choice of message.  All sizes are in bytes of packed
// data.
#pragma once

#include <cstddef>

#include "call.hpp"
#include "reductions.hpp"

namespace orrery::mpi {

/// One collective call of one rank, after it was found to agree with the others' calls.
class Collective {
 public:
  /// Compares the call with what the other ranks do; a difference is a finding.
  Collective(const Call& call, Communicator& communicator, const CollectiveCall& arguments);

  [[nodiscard]] std::int32_t rank() const { return communicator_.rank; }
  [[nodiscard]] std::int32_t size() const { return communicator_.size; }
  [[nodiscard]] ScratchPool& scratch() const { return call_.state.scratch; }

  void send(std::int32_t destination, const void* data, std::size_t size_bytes) const;
  /// A message of another size is a finding: the ranks disagree on how much is exchanged.
  void receive(std::int32_t source, void* data, std::size_t size_bytes) const;
  /// Both at once, so that nobody waits for anybody's buffer.
  void exchange(std::int32_t destination, const void* outgoing, std::size_t outgoing_bytes,
                std::int32_t source, void* incoming, std::size_t incoming_bytes) const;

  /// MPI_SUCCESS, or what went wrong with a connection: then nobody may rely on the result.
  [[nodiscard]] int error() const { return error_; }

  void barrier() const;
  void broadcast(std::int32_t root, std::byte* data, std::size_t size_bytes) const;

 private:
  void note(std::uint32_t flags, std::int32_t peer) const;
  void take(OrreryRequest id, std::int32_t source, void* data, std::size_t size_bytes) const;
  [[nodiscard]] OrreryEnvelope envelope(std::int32_t source, std::int32_t destination,
                                        std::size_t size_bytes) const;

  const Call& call_;
  Communicator& communicator_;
  std::int32_t tag_;
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

/// What a reduction works on.
struct Reduction {
  const Operation& operation;
  const Datatype& type;
  MPI_Datatype handle;
  int count;
  [[nodiscard]] std::size_t size_bytes() const {
    return static_cast<std::size_t>(count) * type.size_bytes;
  }
};

/// Reduces `contribution` of all ranks, in rank order, into `result` at the root.  An operation
/// that does not commute, or not quite (floating point), gives the same result in every run.
void reduce(const Collective& collective, const Reduction& reduction, std::int32_t root,
            const void* contribution, void* result);

/// Copies `count` elements from one buffer to another.
void copy_elements(ScratchPool& pool, const Datatype& from_type, std::size_t from_count,
                   const void* from, const Datatype& to_type, std::size_t to_count, void* to);

}  // namespace orrery::mpi
