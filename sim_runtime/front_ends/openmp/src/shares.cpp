#include "shares.hpp"

#include "ranks/rank_context.hpp"

namespace orrery::openmp {
namespace {

using host::guarded_runtime;

// How a visible call says that it is one of these.
constexpr std::uint64_t share_call = 0x6f6d70;

void prepare_loop(Team& team, Share& share, const Settings& settings, const LoopRequest& request) {
  const bool is_of_settings = request.schedule == Schedule::runtime;
  const Schedule schedule = is_of_settings ? settings.schedule : request.schedule;
  const auto chunk = is_of_settings ? static_cast<std::uint64_t>(settings.chunk) : request.chunk;
  share.loop = Loop(request.iterations, schedule, chunk, team.size);
  share.is_begun = true;
  share.is_ordered = request.is_ordered;
  share.first_value = request.first_value;
  share.end_value = request.end_value;
  share.increment = request.increment;
  if (!request.is_ordered) return;
  guarded_runtime().object_forget(&share.token);
  guarded_runtime().semaphore_set(&share.token, 1);
}

void pass_turn(Thread& thread, std::uintptr_t program_counter) {
  Place& place = thread.place;
  if (!place.had_chunk) return;
  await_turn(program_counter);
  place.share->turn = place.chunk.end;
  place.has_token = false;
  place.had_chunk = false;
  if (place.team->size == 1) return;
  guarded_runtime().semaphore_release(&place.share->token, program_counter);
  tell_news(*place.team, program_counter);
}

bool next_chunk(Thread& thread, std::uintptr_t program_counter) {
  Place& place = thread.place;
  Share& share = *place.share;
  if (share.is_ordered) pass_turn(thread, program_counter);
  if (!share.loop.is_contended()) {
    place.had_chunk = share.loop.fixed_part(place.number, place.trip++, place.chunk);
    return place.had_chunk;
  }
  meet_others(thread, program_counter);
  place.had_chunk = share.loop.take(place.chunk);
  return place.had_chunk;
}

}  // namespace

void meet_others(const Thread& thread, std::uintptr_t program_counter) {
  if (thread.place.team->size > 1) guarded_runtime().visible_call(share_call, program_counter);
}

LoopRequest loop_request(long start, long end, long increment, Schedule schedule, long chunk,
                         bool is_ordered) {
  return {iterations_of(start, end, increment),
          static_cast<unsigned long long>(start),
          static_cast<unsigned long long>(end),
          static_cast<unsigned long long>(increment),
          schedule,
          chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0,
          is_ordered};
}

LoopRequest loop_request(bool is_up, unsigned long long start, unsigned long long end,
                         unsigned long long increment, Schedule schedule, unsigned long long chunk,
                         bool is_ordered) {
  return {iterations_of(is_up, start, end, increment),
          start,
          end,
          increment,
          schedule,
          chunk,
          is_ordered};
}

void enter_loop(const LoopRequest& request) {
  Thread& thread = this_thread();
  Share& share = enter_share(thread);
  if (!share.is_begun) {
    prepare_loop(*thread.place.team, share, thread.place.task->settings, request);
  }
}

void begin_loop(Team& team, const LoopRequest& request) {
  prepare_loop(team, add_first_share(team), this_thread().place.task->settings, request);
}

bool next_values(Values& values, std::uintptr_t program_counter) {
  Thread& thread = this_thread();
  if (!next_chunk(thread, program_counter)) return false;
  const Share& share = *thread.place.share;
  const Chunk& chunk = thread.place.chunk;
  values.begin = share.first_value + chunk.begin * share.increment;
  // Not beyond the loop's own end, which may be the last value that there is.
  values.end = chunk.end == share.loop.iterations()
                   ? share.end_value
                   : share.first_value + chunk.end * share.increment;
  return true;
}

void leave_loop(std::uintptr_t program_counter) {
  Thread& thread = this_thread();
  if (thread.place.share->is_ordered) pass_turn(thread, program_counter);
  leave_share(thread);
}

void await_turn(std::uintptr_t program_counter) {
  Place& place = this_thread().place;
  if (place.has_token || place.team->size == 1) return;
  while (place.share->turn != place.chunk.begin) await_news(*place.team, program_counter);
  guarded_runtime().semaphore_acquire(&place.share->token, ORRERY_LOCK_WAIT, ORRERY_NEVER,
                                      program_counter);
  place.has_token = true;
}

}  // namespace orrery::openmp
