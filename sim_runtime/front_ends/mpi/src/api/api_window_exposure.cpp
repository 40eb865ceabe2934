// MPI 3.1, section 11.5.2: epochs of two groups that know each other.
#include <array>

#include "one_sided/epochs.hpp"
#include "one_sided/exposure.hpp"
#include "one_sided/remote_operations.hpp"
#include "one_sided/windows.hpp"
#include "ranks/loans.hpp"

using namespace orrery::mpi;

namespace {

// Is it left to the first access to wait for a target?
bool starts_early(const Call& call, SharedWindow& window) {
  if (!window.starts_early) {
    static constexpr std::array<const char*, 2> answers{
        "MPI_Win_start waits until its targets have posted",
        "MPI_Win_start leaves the waiting for its targets to the accesses"};
    const OrreryLeftOpen question{answers.data(), nullptr, answers.size(), 0};
    window.starts_early = call.table.left_open(&question) != 0;
  }
  return *window.starts_early;
}

void end_exposure(const Call& call, Window& window) {
  WindowPart& part = window.shared->parts[static_cast<std::size_t>(window.rank())];
  part.accesses.end_period({AccessPeriod::Kind::post, part.posts});
  return_targets(call, part, {AccessPeriod::Kind::post, part.posts + 1});
  part.is_posted = false;
  window.epochs.is_posted = false;
}

int check_posted(const Call& call, const Window& window) {
  if (window.epochs.is_posted) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_RMA_SYNC,
                   "no MPI_Win_post has begun an exposure epoch on %s (MPI 3.1, section 11.5.2)",
                   window.name);
}

}  // namespace

ORRERY_MPI_API int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_start");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = check_assertion(call, *window, assertion, MPI_MODE_NOCHECK)) return error;
  if (const int error = check_start(call, *window)) return error;
  Epochs& epochs = window->epochs;
  if (const int error = check_group_of(call, *window, group, epochs.started)) return error;
  for (const std::int32_t target : epochs.started) {
    const bool is_posted = window->shared->parts[static_cast<std::size_t>(target)].is_posted;
    if ((assertion & MPI_MODE_NOCHECK) != 0 && !is_posted)
      return call.fail(window, MPI_ERR_ASSERT,
                       "MPI_MODE_NOCHECK says that all targets have called MPI_Win_post, but rank "
                       "%d of %s has not (MPI 3.1, section 11.5.5)",
                       target, window->name);
  }
  epochs.unposted = epochs.started;
  if (!epochs.started.empty() && !starts_early(call, *window->shared))
    if (const int error = await_posts(call, *window)) return error;
  epochs.is_started = true;
  epochs.start_pc = call.pc;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_start);

ORRERY_MPI_API int MPI_Win_complete(MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_complete");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  Epochs& epochs = window->epochs;
  if (!epochs.is_started)
    return call.fail(window, MPI_ERR_RMA_SYNC,
                     "no MPI_Win_start has begun an access epoch on %s (MPI 3.1, section 11.5.2)",
                     window->name);
  int error = await_posts(call, *window);
  const int flushed = flush(call, *window, -1);
  if (error == MPI_SUCCESS) error = flushed;
  for (const std::int32_t target : epochs.started) {
    const int other = notify(call, *window, target, ExposureMessage::complete);
    if (error == MPI_SUCCESS) error = other;
  }
  epochs.is_started = false;
  return error;
}
ORRERY_PROFILED(MPI_Win_complete);

ORRERY_MPI_API int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_post");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  constexpr int allowed = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
  if (const int error = check_assertion(call, *window, assertion, allowed)) return error;
  if (const int error = check_post(call, *window)) return error;
  Epochs& epochs = window->epochs;
  if (const int error = check_group_of(call, *window, group, epochs.accessing)) return error;
  WindowPart& part = window->shared->parts[static_cast<std::size_t>(window->rank())];
  ++part.posts;
  part.is_posted = true;
  epochs.is_posted = true;
  epochs.post_pc = call.pc;
  const std::vector<std::int32_t> origins = epochs.accessing;
  for (const std::int32_t origin : origins)
    if (const int error = notify(call, *window, origin, ExposureMessage::posted)) return error;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_post);

ORRERY_MPI_API int MPI_Win_wait(MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Win_wait");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = check_posted(call, *window)) return error;
  auto& accessing = window->epochs.accessing;
  while (!accessing.empty()) {
    const int error = await(call, *window, accessing.front(), ExposureMessage::complete);
    accessing.erase(accessing.begin());
    if (error != MPI_SUCCESS) return error;
  }
  end_exposure(call, *window);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_wait);

ORRERY_MPI_API int MPI_Win_test(MPI_Win win, int* flag) {
  const Call call = ORRERY_CALL("MPI_Win_test");
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (const int error = call.check_result(flag, "flag")) return error;
  if (const int error = check_posted(call, *window)) return error;
  auto& accessing = window->epochs.accessing;
  *flag = 0;
  while (!accessing.empty()) {
    if (!has_come(call, *window, accessing.front(), ExposureMessage::complete)) return MPI_SUCCESS;
    const int error = await(call, *window, accessing.front(), ExposureMessage::complete);
    accessing.erase(accessing.begin());
    if (error != MPI_SUCCESS) return error;
  }
  *flag = 1;
  end_exposure(call, *window);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Win_test);
