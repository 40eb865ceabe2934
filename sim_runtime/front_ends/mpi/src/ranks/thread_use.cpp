#include "thread_use.hpp"

#include <algorithm>
#include <iterator>

#include "calls/call.hpp"

namespace orrery::mpi {
namespace {

const char* level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    default: return "MPI_THREAD_MULTIPLE";
  }
}

OrreryPlace initialised_by(const RankState& state) {
  return {state.rank, state.initialised_at, "initialised here, by the main thread"};
}

// Another thread of the program's that is inside a call; null: none.
const InsideCall* find_other_inside(const RankState& state, OrreryThread thread) {
  const auto found = std::ranges::find_if(state.inside, [&](const InsideCall& one) {
    return one.thread != thread && !state.helpers.owns(one.thread);
  });
  return found == state.inside.end() ? nullptr : &*found;
}

}  // namespace

Presence::Presence(RankState& state, OrreryThread thread, const CallSite& site)
    : state_(&state), thread_(thread) {
  state.inside.push_back({thread, site});
}

void Presence::leave() {
  auto& inside = state_->inside;
  const auto own = std::find_if(inside.rbegin(), inside.rend(),
                                [&](const InsideCall& one) { return one.thread == thread_; });
  inside.erase(std::prev(own.base()));
}

void check_thread(const Call& call, OrreryThread thread) {
  const RankState& state = call.state;
  if (state.helpers.owns(thread)) return;  // a function of the program's, called by the library
  if (state.thread_level < MPI_THREAD_SERIALIZED) {
    if (thread == state.main_thread) return;
    call.fail_always_between(Misuse::thread_level, initialised_by(state),
                             "called by another thread than the main one, which has initialised "
                             "MPI at %s: only the main "
                             "thread may call MPI there (MPI 3.1, section 12.4.3)",
                             level_name(state.thread_level));
  }
  if (state.thread_level == MPI_THREAD_MULTIPLE) return;
  if (const InsideCall* const other = find_other_inside(state, thread)) {
    const OrreryPlace there{state.rank, other->site.pc, "called here, by another thread"};
    call.fail_always_between(
        Misuse::thread_level, there,
        "called while another thread of the rank is inside %s, and at MPI_THREAD_SERIALIZED the "
        "program has to see to it that calls of two threads never overlap (MPI 3.1, section "
        "12.4.3)",
        other->site.call);
  }
}

void check_main_thread(const Call& call) {
  const RankState& state = call.state;
  if (call.table.current_thread() != state.main_thread)
    call.fail_always_between(
        Misuse::thread_level, initialised_by(state),
        "called by another thread than the main one, which has initialised MPI "
        "(MPI 3.1, section 12.4.2)");
  if (const InsideCall* const other = find_other_inside(state, state.main_thread)) {
    const OrreryPlace there{state.rank, other->site.pc, "called here, by another thread"};
    call.fail_always_between(
        Misuse::thread_level, there,
        "called while another thread of the rank is inside %s: first all threads must have "
        "completed their calls (MPI 3.1, section 12.4.2)",
        other->site.call);
  }
}

}  // namespace orrery::mpi
