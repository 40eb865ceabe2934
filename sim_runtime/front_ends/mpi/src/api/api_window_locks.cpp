// MPI 3.1, section 11.5.3: locks.
#include "one_sided/epochs.hpp"
#include "one_sided/remote_operations.hpp"
#include "one_sided/windows.hpp"

using namespace orrery::mpi;

namespace {

int check_locks_allowed(const Call& call, const Window& window) {
  for (const auto& [key, value] : window.hints)
    if (key == "no_locks" && value == "true")
      return call.fail(&window, MPI_ERR_RMA_SYNC,
                       "the info key no_locks says that %s is never locked (MPI 3.1, section "
                       "11.2.1)",
                       window.name);
  return MPI_SUCCESS;
}

}  // namespace

ORRERY_MPI_API int MPI_Win_lock(int lock_type, int rank, int assertion, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_lock");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED)
    return call.fail(window, MPI_ERR_LOCKTYPE,
                     "argument lock_type is %d, and must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE "
                     "(MPI 3.1, section 11.5.3)",
                     lock_type);
  if (const int error = check_target(call, *window, rank, "rank", true)) return error;
  if (const int error = check_assertion(call, *window, assertion, MPI_MODE_NOCHECK)) return error;
  if (const int error = check_locks_allowed(call, *window)) return error;
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (const int error = check_lock(call, *window, rank)) return error;
  if (const int error = take_lock(call, *window, rank, lock_type == MPI_LOCK_EXCLUSIVE,
                                  (assertion & MPI_MODE_NOCHECK) != 0))
    return error;
  Epochs::Lock& lock = lock_of(*window, rank);
  lock = {true, true, call.pc};
  ++window->epochs.lock_count;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_lock);

ORRERY_MPI_API int MPI_Win_unlock(int rank, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_unlock");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = check_target(call, *window, rank, "rank", true)) return error;
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (window->epochs.lock_count == 0 || !lock_of(*window, rank).is_held)
    return call.fail(window, MPI_ERR_RMA_SYNC,
                     "rank %d of %s is not locked by MPI_Win_lock (MPI 3.1, section 11.5.3)", rank,
                     window->name);
  const int error = flush(call, *window, rank);
  give_lock_back(call, *window, rank);
  lock_of(*window, rank) = {};
  --window->epochs.lock_count;
  return error;
}
ORRERY_PROFILED(MPI_Win_unlock);

ORRERY_MPI_API int MPI_Win_lock_all(int assertion, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_lock_all");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = check_assertion(call, *window, assertion, MPI_MODE_NOCHECK)) return error;
  if (const int error = check_locks_allowed(call, *window)) return error;
  if (const int error = check_lock(call, *window, -1)) return error;
  Epochs& epochs = window->epochs;
  // The others are locked when they are accessed first: this call promises no more (the standard
  // says that it is not collective, and a lock may wait until it is needed).  The rank's own part
  // may be accessed without a call, so that nobody must have it from now on.
  Epochs::Lock& own = lock_of(*window, window->rank());
  if (const int error = take_lock(call, *window, window->rank(), false, false)) return error;
  own.is_taken = true;
  epochs.has_locked_all = true;
  epochs.lock_all_pc = call.pc;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_lock_all);

ORRERY_MPI_API int MPI_Win_unlock_all(MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_unlock_all");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  Epochs& epochs = window->epochs;
  if (!epochs.has_locked_all)
    return call.fail(window, MPI_ERR_RMA_SYNC,
                     "%s is not locked by MPI_Win_lock_all (MPI 3.1, section 11.5.3)",
                     window->name);
  const int error = flush(call, *window, -1);
  for (std::int32_t target = 0; target < window->size(); ++target) {
    Epochs::Lock& lock = lock_of(*window, target);
    if (!lock.is_taken) continue;
    give_lock_back(call, *window, target);
    lock = {};
  }
  epochs.has_locked_all = false;
  return error;
}
ORRERY_PROFILED(MPI_Win_unlock_all);
