#include "epochs.hpp"

#include <algorithm>

#include "exposure.hpp"

namespace orrery::mpi {
namespace {

OrreryPlace begun_at(const Call& call, std::uintptr_t pc) {
  return {call.state.rank, pc, "begun here"};
}

// What is open and is no lock or fence.
int fail_with_open(const Call& call, Window& window, const char* what) {
  const Epochs& epochs = window.epochs;
  if (epochs.is_started)
    return call.fail_between(&window, MPI_ERR_RMA_SYNC, begun_at(call, epochs.start_pc),
                             "%s while the access epoch of MPI_Win_start on %s is open; "
                             "MPI_Win_complete ends it (MPI 3.1, section 11.5.2)",
                             what, window.name);
  return call.fail_between(&window, MPI_ERR_RMA_SYNC, begun_at(call, epochs.post_pc),
                           "%s while the exposure epoch of MPI_Win_post on %s is open; "
                           "MPI_Win_wait ends it (MPI 3.1, section 11.5.2)",
                           what, window.name);
}

int fail_locked(const Call& call, Window& window, const char* what) {
  const Epochs& epochs = window.epochs;
  if (epochs.has_locked_all)
    return call.fail_between(&window, MPI_ERR_RMA_SYNC, begun_at(call, epochs.lock_all_pc),
                             "%s while %s is locked by MPI_Win_lock_all; MPI_Win_unlock_all ends "
                             "that epoch (MPI 3.1, section 11.5.3)",
                             what, window.name);
  const auto held = std::find_if(epochs.locks.begin(), epochs.locks.end(),
                                 [](const Epochs::Lock& lock) { return lock.is_held; });
  return call.fail_between(&window, MPI_ERR_RMA_SYNC, begun_at(call, held->pc),
                           "%s while rank %d of %s is locked; MPI_Win_unlock ends that epoch (MPI "
                           "3.1, section 11.5.3)",
                           what, static_cast<int>(held - epochs.locks.begin()), window.name);
}

bool has_locks(const Epochs& epochs) {
  return epochs.has_locked_all || epochs.lock_count > 0;
}

// An epoch of another kind begins: what was accessed since the last fence needs one more.
int leave_fences(const Call& call, Window& window) {
  Epochs& epochs = window.epochs;
  if (epochs.fence_operations > 0)
    return call.fail_between(
        &window, MPI_ERR_RMA_SYNC, {call.state.rank, epochs.fence_operation_pc, "accessed here"},
        "another kind of epoch begins on %s, but no MPI_Win_fence has completed what was accessed "
        "after the last one (MPI 3.1, section 11.5)",
        window.name);
  epochs.fence_is_open = false;
  return MPI_SUCCESS;
}

}  // namespace

Epochs::Lock& lock_of(Window& window, std::int32_t target) {
  auto& locks = window.epochs.locks;
  if (locks.empty()) locks.resize(static_cast<std::size_t>(window.size()));
  return locks[static_cast<std::size_t>(target)];
}

int check_access(const Call& call, Window& window, std::int32_t target, AccessPeriod& period) {
  Epochs& epochs = window.epochs;
  if (epochs.has_locked_all || (epochs.lock_count > 0 && lock_of(window, target).is_held)) {
    period = {AccessPeriod::Kind::lock, 0};
    return MPI_SUCCESS;
  }
  if (epochs.is_started) {
    period = {AccessPeriod::Kind::post, 0};
    if (std::binary_search(epochs.started.begin(), epochs.started.end(), target))
      return await_post(call, window, target);
    return call.fail_between(&window, MPI_ERR_RMA_SYNC, begun_at(call, epochs.start_pc),
                             "rank %d of %s is not in the group that MPI_Win_start was given (MPI "
                             "3.1, section 11.5.2)",
                             target, window.name);
  }
  if (epochs.lock_count > 0) {
    const auto held = std::find_if(epochs.locks.begin(), epochs.locks.end(),
                                   [](const Epochs::Lock& lock) { return lock.is_held; });
    return call.fail_between(&window, MPI_ERR_RMA_SYNC, begun_at(call, held->pc),
                             "rank %d of %s is not locked, and rank %d is (MPI 3.1, section "
                             "11.5.3)",
                             target, window.name, static_cast<int>(held - epochs.locks.begin()));
  }
  if (epochs.fence_is_open) {
    period = {AccessPeriod::Kind::fence, epochs.fences};
    if (epochs.fence_operations++ == 0) epochs.fence_operation_pc = call.pc;
    return MPI_SUCCESS;
  }
  return call.fail(&window, MPI_ERR_RMA_SYNC,
                   "no epoch is open in which rank %d of %s could be accessed: MPI_Win_fence, "
                   "MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all begins one (MPI 3.1, section "
                   "11.5)",
                   target, window.name);
}

int check_passive(const Call& call, Window& window, std::int32_t target) {
  Epochs& epochs = window.epochs;
  if (epochs.has_locked_all) return MPI_SUCCESS;
  if (epochs.lock_count > 0 && lock_of(window, target).is_held) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_RMA_SYNC,
                   "rank %d of %s is not locked, and this call needs MPI_Win_lock or "
                   "MPI_Win_lock_all (MPI 3.1, sections 11.3.5 and 11.5.4)",
                   target, window.name);
}

int check_any_passive(const Call& call, Window& window) {
  if (has_locks(window.epochs)) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_RMA_SYNC,
                   "no rank of %s is locked, and this call needs MPI_Win_lock or MPI_Win_lock_all "
                   "(MPI 3.1, section 11.5.4)",
                   window.name);
}

int check_fence(const Call& call, Window& window, int assertion) {
  const Epochs& epochs = window.epochs;
  if (has_locks(epochs)) return fail_locked(call, window, "called");
  if (epochs.is_started || epochs.is_posted) return fail_with_open(call, window, "called");
  if ((assertion & MPI_MODE_NOPRECEDE) == 0 || epochs.fence_operations == 0) return MPI_SUCCESS;
  return call.fail_between(&window, MPI_ERR_ASSERT,
                           {call.state.rank, epochs.fence_operation_pc, "accessed here"},
                           "MPI_MODE_NOPRECEDE says that this fence completes nothing, but %s was "
                           "accessed since the last one (MPI 3.1, section 11.5.5)",
                           window.name);
}

int check_start(const Call& call, Window& window) {
  const Epochs& epochs = window.epochs;
  if (has_locks(epochs)) return fail_locked(call, window, "called");
  if (epochs.is_started) return fail_with_open(call, window, "called");
  return leave_fences(call, window);
}

int check_post(const Call& call, Window& window) {
  Epochs& epochs = window.epochs;
  if (epochs.is_posted)
    return call.fail_between(&window, MPI_ERR_RMA_SYNC, begun_at(call, epochs.post_pc),
                             "called while the exposure epoch of an earlier MPI_Win_post on %s is "
                             "open; MPI_Win_wait ends it (MPI 3.1, section 11.5.2)",
                             window.name);
  return leave_fences(call, window);
}

int check_lock(const Call& call, Window& window, std::int32_t target) {
  Epochs& epochs = window.epochs;
  if (epochs.has_locked_all) return fail_locked(call, window, "called");
  if (target < 0 && epochs.lock_count > 0) return fail_locked(call, window, "called");
  if (target >= 0 && epochs.lock_count > 0 && lock_of(window, target).is_held)
    return call.fail_between(&window, MPI_ERR_RMA_SYNC, begun_at(call, lock_of(window, target).pc),
                             "rank %d of %s is locked already, and not unlocked since (MPI 3.1, "
                             "section 11.5.3)",
                             target, window.name);
  if (epochs.is_started) return fail_with_open(call, window, "called");
  return leave_fences(call, window);
}

int check_all_closed(const Call& call, Window& window) {
  const Epochs& epochs = window.epochs;
  if (has_locks(epochs)) return fail_locked(call, window, "called");
  if (epochs.is_started || epochs.is_posted) return fail_with_open(call, window, "called");
  if (epochs.fence_operations == 0) return MPI_SUCCESS;
  return call.fail_between(&window, MPI_ERR_RMA_SYNC,
                           {call.state.rank, epochs.fence_operation_pc, "accessed here"},
                           "no MPI_Win_fence has completed what was accessed on %s after the last "
                           "one (MPI 3.1, section 11.2.5)",
                           window.name);
}

int check_assertion(const Call& call, const Window& window, int assertion, int allowed) {
  if ((assertion & ~allowed) == 0) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_ASSERT,
                   "argument assert is %d, which is no combination of the assertions that this "
                   "call knows (MPI 3.1, section 11.5.5)",
                   assertion);
}

int check_target(const Call& call, const Window& window, int rank, const char* argument,
                 bool null_allowed) {
  if (rank >= 0 && rank < window.size()) return MPI_SUCCESS;
  if (null_allowed && rank == MPI_PROC_NULL) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_RANK,
                   "argument %s is %d, but the ranks of %s are 0 to %d (MPI 3.1, section 11.3)",
                   argument, rank, window.name, window.size() - 1);
}

}  // namespace orrery::mpi
