#include "passed_guards.hpp"

#include <orrery/sim_runtime/runtime_table.h>

#include "rank_context.hpp"

namespace orrery::host {

void come_to_made(const std::int64_t* guard, std::uintptr_t program_counter) {
  // Nobody can meet a rank before it has started a thread.
  RankContext& rank = *running().user;
  if (rank.threads.size() < 2) return;
  if (!rank.passed_guards.is_new_to(guard, running().thread->handle())) return;
  guarded_runtime().once_begin(const_cast<std::int64_t*>(guard), 1, program_counter);
  has_made(guard);
}

void has_begun(const std::int64_t* guard, bool is_to_make) {
  if (!is_to_make) return has_made(guard);
  RankContext& rank = *running().user;
  const HostScope ours;
  rank.passed_guards.begin(guard);
}

void has_made(const std::int64_t* guard) {
  RankContext& rank = *running().user;
  const pthread_t thread = running().thread->handle();
  const HostScope ours;
  rank.passed_guards.pass(guard, thread);
}

}  // namespace orrery::host
