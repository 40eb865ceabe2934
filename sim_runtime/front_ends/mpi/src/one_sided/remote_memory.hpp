// The target's side of one-sided communication: what happens when a remote call arrives.
//
// A put, a get or an accumulate is a remote call of the machine (`start_call`): it is done to the
// target's memory when it is delivered, so the order of one-sided operations is the order of
// deliveries, and the target takes no part.  Locks are remote calls too, which are answered when
// their turn has come.
#pragma once

#include <cstdint>
#include <functional>

#include <orrery/sim_runtime/runtime_table.h>

#include "ranks/rank_state.hpp"

namespace orrery::mpi {

/// What a remote call is; the tag of its message.
enum class RemoteCall : std::int32_t {
  memory,  ///< its note is the number of a RemoteOperation
  lock_shared,
  lock_exclusive,
  /// Somebody says that no lock is in the way (MPI_MODE_NOCHECK); the answer is one byte, which is
  /// not 0 if that is not so.
  lock_shared_unchecked,
  lock_exclusive_unchecked,
  unlock
};

/// Of a window's block of contexts: after messages and collectives.
enum class WindowContext : std::uint32_t {
  locks = 2,
  /// Accumulates of one origin are ordered (section 11.7.2) ...
  ordered = 3,
  /// ... and all else between two synchronisations is not: it is spread over several.
  first_unordered = 4,
  last_unordered = 7
};

/// Answers the remote calls of a job; `argument` is the job.
void answer_remote_call(void* argument, std::uint64_t call, const OrreryEnvelope* envelope,
                        const void* data);

/// Where `displacement` of a target lies; null of a dynamic window that has nothing attached there.
struct TargetPlace {
  std::byte* address = nullptr;
  std::uintptr_t begin = 0;  ///< what the operation touches
  std::uintptr_t end = 0;
  bool is_inside = false;
};
TargetPlace place_at_target(const SharedWindow& window, const RemoteOperation& operation);

/// Calls `visit(begin, end)` for each run of bytes that the operation accesses there.
void for_each_accessed_range(const RemoteOperation& operation, std::byte* base,
                             const std::function<void(std::uintptr_t, std::uintptr_t)>& visit);

/// An operation is complete at the target.  Accesses of a fence or an exposure epoch meet others
/// until that is over; those under a lock do no more.
void leave_log(RemoteOperation& operation);

/// The bytes that an operation moves to the target, and back.
std::size_t bytes_to_target(const RemoteOperation& operation);
std::size_t bytes_to_origin(const RemoteOperation& operation);

}  // namespace orrery::mpi
