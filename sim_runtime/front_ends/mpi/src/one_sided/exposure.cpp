#include "exposure.hpp"

#include <algorithm>

namespace orrery::mpi {
namespace {

OrreryEnvelope envelope(const Window& window, std::int32_t from, std::int32_t to,
                        ExposureMessage what) {
  const Communicator& communicator = window.communicator;
  return {communicator.context,
          communicator.world_rank(from),
          communicator.world_rank(to),
          static_cast<std::int32_t>(what),
          0,
          0};
}

int check_flags(const Call& call, Window& window, std::uint32_t flags, std::int32_t peer) {
  if ((flags & ORRERY_REQUEST_FAILED) == 0) return MPI_SUCCESS;
  if (window.errors->is_fatal()) return call.fail_connection(window.communicator, peer);
  return call.fail(&window, MPI_ERR_OTHER, "the connection to rank %d is broken", peer);
}

}  // namespace

int notify(const Call& call, Window& window, std::int32_t peer, ExposureMessage what) {
  const OrreryEnvelope message = envelope(window, window.rank(), peer, what);
  return check_flags(call, window,
                     call.table.send(&message, nullptr, ORRERY_SEND_BUFFERED, call.pc), peer);
}

int await(const Call& call, Window& window, std::int32_t peer, ExposureMessage what) {
  const OrreryEnvelope pattern = envelope(window, peer, window.rank(), what);
  const OrreryRequest id = call.table.receive(&pattern, call.pc);
  OrreryEnvelope ignored{};
  const std::uint32_t flags = call.table.inspect(id, &ignored);
  call.table.release(id);
  return check_flags(call, window, flags, peer);
}

bool has_come(const Call& call, const Window& window, std::int32_t peer, ExposureMessage what) {
  const OrreryEnvelope pattern = envelope(window, peer, window.rank(), what);
  OrreryEnvelope found{};
  return call.table.probe(&pattern, 1, &found, call.pc) != 0;
}

int await_post(const Call& call, Window& window, std::int32_t target) {
  auto& unposted = window.epochs.unposted;
  const auto place = std::ranges::find(unposted, target);
  if (place == unposted.end()) return MPI_SUCCESS;
  unposted.erase(place);
  return await(call, window, target, ExposureMessage::posted);
}

int await_posts(const Call& call, Window& window) {
  int error = MPI_SUCCESS;
  while (!window.epochs.unposted.empty()) {
    const int other = await_post(call, window, window.epochs.unposted.front());
    if (error == MPI_SUCCESS) error = other;
  }
  return error;
}

}  // namespace orrery::mpi
