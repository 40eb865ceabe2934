// MPI 3.1, sections 11.5.1 and 11.5.4: fences and flushes.
#include "one_sided/epochs.hpp"
#include "one_sided/remote_operations.hpp"
#include "one_sided/windows.hpp"
#include "ranks/loans.hpp"

using namespace orrery::mpi;

namespace {

// What all ranks say alike of a fence, as the text by which their calls are compared.
const char* common_assertion(int assertion) {
  const bool precedes = (assertion & MPI_MODE_NOPRECEDE) == 0;
  const bool succeeds = (assertion & MPI_MODE_NOSUCCEED) == 0;
  if (precedes && succeeds) return "no assertion";
  if (precedes) return "MPI_MODE_NOSUCCEED";
  return succeeds ? "MPI_MODE_NOPRECEDE" : "MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED";
}

}  // namespace

ORRERY_MPI_API int MPI_Win_fence(int assertion, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_fence");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  constexpr int allowed =
      MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  if (const int error = check_assertion(call, *window, assertion, allowed)) return error;
  if (const int error = check_fence(call, *window, assertion)) return error;
  const int error = flush(call, *window, -1);
  Epochs& epochs = window->epochs;
  ++epochs.fences;
  epochs.fence_operations = 0;
  epochs.fence_pc = call.pc;
  epochs.fence_is_open = (assertion & MPI_MODE_NOSUCCEED) == 0;
  const int other = synchronize(call, *window, common_assertion(assertion));
  return_targets(call, window->shared->parts[static_cast<std::size_t>(window->rank())],
                 {AccessPeriod::Kind::fence, epochs.fences});
  return error != MPI_SUCCESS ? error : other;
}
ORRERY_PROFILED(MPI_Win_fence);

namespace {

// The four functions of section 11.5.4.
int flush_some(const Call& call, MPI_Win win, int rank, bool of_all, bool local) {
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (of_all) {
    if (const int error = check_any_passive(call, *window)) return error;
  } else {
    if (const int error = check_target(call, *window, rank, "rank", true)) return error;
    if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
    if (const int error = check_passive(call, *window, rank)) return error;
  }
  const std::int32_t target = of_all ? -1 : rank;
  return local ? flush_local(call, *window, target) : flush(call, *window, target);
}

}  // namespace

ORRERY_MPI_API int MPI_Win_flush(int rank, MPI_Win win) {
  return flush_some(ORRERY_CALL("MPI_Win_flush"), win, rank, false, false);
}
ORRERY_PROFILED(MPI_Win_flush);

ORRERY_MPI_API int MPI_Win_flush_all(MPI_Win win) {
  return flush_some(ORRERY_CALL("MPI_Win_flush_all"), win, 0, true, false);
}
ORRERY_PROFILED(MPI_Win_flush_all);

ORRERY_MPI_API int MPI_Win_flush_local(int rank, MPI_Win win) {
  return flush_some(ORRERY_CALL("MPI_Win_flush_local"), win, rank, false, true);
}
ORRERY_PROFILED(MPI_Win_flush_local);

ORRERY_MPI_API int MPI_Win_flush_local_all(MPI_Win win) {
  return flush_some(ORRERY_CALL("MPI_Win_flush_local_all"), win, 0, true, true);
}
ORRERY_PROFILED(MPI_Win_flush_local_all);

ORRERY_MPI_API int MPI_Win_sync(MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_sync");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  // The two copies of a window are one here (MPI_WIN_UNIFIED).  Programs call it again and again
  // until somebody has written, which takes until something else has happened.
  call.table.yield(call.pc);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_sync);
