// Messages between processes that are no collective operation of one communicator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "calls/call.hpp"

namespace orrery::mpi {

/// The context, in a communicator's block, of what some of its processes say to each other while
/// they make a communicator.
inline constexpr std::uint32_t making_context = 2;

/// Sends and receives for one call.  Peers are ranks of the job.
class PlainMessages {
 public:
  /// Errors are those of `communicator`.
  PlainMessages(const Call& call, const Communicator& communicator, std::uint32_t context,
                std::int32_t tag)
      : call_(call), communicator_(communicator), context_(context), tag_(tag) {}

  void send(std::int32_t peer, const void* data, std::size_t size_bytes) const;
  /// Of messages that are longer, the beginning.
  void receive(std::int32_t peer, void* data, std::size_t size_bytes) const;
  /// Both at once.
  void exchange(std::int32_t peer, const void* outgoing, std::size_t outgoing_bytes, void* incoming,
                std::size_t incoming_bytes) const;
  /// MPI_SUCCESS, or what went wrong with a connection.
  [[nodiscard]] int error() const { return error_; }

 private:
  void note(std::uint32_t flags, std::int32_t peer) const;
  void take(OrreryRequest id, std::int32_t peer, void* data, std::size_t size_bytes) const;

  const Call& call_;
  const Communicator& communicator_;
  std::uint32_t context_;
  std::int32_t tag_;
  mutable int error_ = MPI_SUCCESS;
};

}  // namespace orrery::mpi
