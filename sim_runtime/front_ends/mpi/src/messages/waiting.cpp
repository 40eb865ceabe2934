#include "waiting.hpp"

#include "ranks/rank_state.hpp"

namespace orrery::mpi {
namespace {

void name_request(RankState& state, OrreryWait& wait) {
  state.requests.for_each([&](const Request& request) {
    if (request.id == wait.request) wait.started_by = request.call;
  });
}

void name_holders(SharedWindow& window, OrreryWait& wait) {
  const std::int32_t target = window.group->rank_of(wait.message.destination);
  const WindowLock& lock = window.parts[static_cast<std::size_t>(target)].lock;
  for (const WindowLock::Holder& holder : lock.in_the_way_of(wait.call)) {
    if (wait.holder_count < ORRERY_WAIT_HOLDERS_MAX)
      wait.holders[wait.holder_count++] = holder.origin;
  }
}

}  // namespace

void tell_of_wait(OrreryWait* wait) {
  if (current_job() == nullptr) return;
  Job& job = *current_job();
  RankState* const state = job.find_rank(wait->rank);
  if (state == nullptr) return;
  wait->function = state->recent_calls.name_at(wait->pc);
  if (wait->request != 0) name_request(*state, *wait);
  // Of a block of contexts the first is for the program's messages; windows have none of those.
  const std::uint32_t offset = wait->message.context % Contexts::block_size;
  const auto window = job.windows().find(wait->message.context - offset);
  const bool is_of_window = window != job.windows().end();
  wait->is_internal = offset != 0 || is_of_window ? 1 : 0;
  if (wait->is_call != 0 && is_of_window) name_holders(window->second, *wait);
  if (wait->is_send == 0) return;
  // Where a collective operation waits because it is large, a library may as well not wait.
  const bool is_standard =
      wait->is_internal != 0 || job.sent().look_at(wait->message.note).kind == SendKind::standard;
  wait->could_buffer = is_standard ? 1 : 0;
}

}  // namespace orrery::mpi
