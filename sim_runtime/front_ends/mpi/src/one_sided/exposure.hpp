// The messages between those that expose windows and those that access them (MPI 3.1, section
// 11.5.2).
#pragma once

#include "calls/call.hpp"
#include "window.hpp"

namespace orrery::mpi {

/// From MPI_Win_post to MPI_Win_start, and from MPI_Win_complete to MPI_Win_wait.
enum class ExposureMessage : std::int32_t { posted, complete };

int notify(const Call& call, Window& window, std::int32_t peer, ExposureMessage what);
/// Comes back when `peer` has sent it.
int await(const Call& call, Window& window, std::int32_t peer, ExposureMessage what);
/// Has `peer` sent it?  A poll.
bool has_come(const Call& call, const Window& window, std::int32_t peer, ExposureMessage what);

/// Waits for MPI_Win_post at this target, if MPI_Win_start has not.
int await_post(const Call& call, Window& window, std::int32_t target);
/// The same at all targets of the epoch.
int await_posts(const Call& call, Window& window);

}  // namespace orrery::mpi
