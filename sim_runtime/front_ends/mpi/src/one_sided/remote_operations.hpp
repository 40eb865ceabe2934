// The origin's side of one-sided communication.
#pragma once

#include "calls/call.hpp"
#include "window.hpp"

namespace orrery::mpi {

/// Starts an operation whose arguments are checked, with the data that go to the target (packed).
/// What comes of it is told when it is completed.
void start_remote(const Call& call, Window& window, std::uint32_t number, const void* data);

/// Completes, at both ends, all that was started for this target (-1: for all).
int flush(const Call& call, Window& window, std::int32_t target);
/// Completes it at this end only.
int flush_local(const Call& call, Window& window, std::int32_t target);

/// Sends a call that locks or unlocks, and for a lock waits until it is granted.
int take_lock(const Call& call, Window& window, std::int32_t target, bool exclusive,
              bool unchecked);
void give_lock_back(const Call& call, Window& window, std::int32_t target);

/// The request of an operation that has started with `has_request`.
MPI_Request make_remote_request(const Call& call, std::uint32_t number);
/// One that is complete, for MPI_PROC_NULL.
MPI_Request make_null_request(const Call& call);

}  // namespace orrery::mpi
