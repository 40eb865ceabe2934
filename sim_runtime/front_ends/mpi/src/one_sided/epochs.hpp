// Which accesses are allowed when (MPI 3.1, section 11.5).
#pragma once

#include "calls/call.hpp"
#include "window.hpp"

namespace orrery::mpi {

/// Is there an epoch in which `target` may be accessed?  Says which one.
int check_access(const Call& call, Window& window, std::int32_t target, AccessPeriod& period);
/// A passive-target epoch, which flushes and request-based operations need.
int check_passive(const Call& call, Window& window, std::int32_t target);
/// The same for all targets at once: any lock will do.
int check_any_passive(const Call& call, Window& window);

/// May a fence, an access epoch for a group, an exposure epoch or a lock begin now?
int check_fence(const Call& call, Window& window, int assertion);
int check_start(const Call& call, Window& window);
int check_post(const Call& call, Window& window);
/// `target` -1: of all ranks.
int check_lock(const Call& call, Window& window, std::int32_t target);
/// Is nothing open that MPI_Win_free would cut off?
int check_all_closed(const Call& call, Window& window);

/// The lock of this target; made when first asked for.
Epochs::Lock& lock_of(Window& window, std::int32_t target);

/// Is this one of the `allowed` assertions of section 11.5.5?
int check_assertion(const Call& call, const Window& window, int assertion, int allowed);
int check_target(const Call& call, const Window& window, int rank, const char* argument,
                 bool null_allowed);

}  // namespace orrery::mpi
