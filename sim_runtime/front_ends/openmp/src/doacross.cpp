#include "doacross.hpp"

#include <algorithm>

#include "ranks/rank_context.hpp"

namespace orrery::openmp {
namespace {

using host::guarded_runtime;
using host::HostScope;

/// Of one iteration of the outermost loop: a thread does all that is in it, in order.
Share::Posts& posts_of(Share& share, std::uint64_t outermost) {
  const auto known = share.posts.find(outermost);
  if (known != share.posts.end()) return known->second;
  Share::Posts* made = nullptr;
  {
    const HostScope scope;
    made = &share.posts[outermost];
  }
  guarded_runtime().object_forget(&made->token);
  guarded_runtime().semaphore_set(&made->token, 0);
  return *made;
}

bool has_posted(const Share& share, std::span<const std::uint64_t> numbers) {
  const auto known = share.posts.find(numbers[0]);
  return known != share.posts.end() &&
         !std::ranges::lexicographical_compare(known->second.last, numbers);
}

}  // namespace

void enter_doacross(std::span<const std::uint64_t> counts, Schedule schedule, std::uint64_t chunk) {
  enter_loop({counts[0], 0, counts[0], 1, schedule, chunk, false});
  this_thread().place.share->nested_loops = counts.size();
}

void post_iteration(std::span<const std::uint64_t> numbers, std::uintptr_t program_counter) {
  const Place& place = this_thread().place;
  if (place.team->size == 1) return;
  Share::Posts& posts = posts_of(*place.share, numbers[0]);
  {
    const HostScope scope;
    posts.last.assign(numbers.begin(), numbers.end());
  }
  guarded_runtime().semaphore_release(&posts.token, program_counter);
  tell_news(*place.team, program_counter);
}

void await_iteration(std::span<const std::uint64_t> numbers, std::uintptr_t program_counter) {
  const Place& place = this_thread().place;
  if (place.team->size == 1) return;
  while (!has_posted(*place.share, numbers)) await_news(*place.team, program_counter);
  // What it did comes before; others may wait for it, too.
  Share::Posts& posts = posts_of(*place.share, numbers[0]);
  guarded_runtime().semaphore_acquire(&posts.token, ORRERY_LOCK_WAIT, ORRERY_NEVER,
                                      program_counter);
  guarded_runtime().semaphore_release(&posts.token, program_counter);
}

std::size_t nested_loops() {
  return this_thread().place.share->nested_loops;
}

}  // namespace orrery::openmp
