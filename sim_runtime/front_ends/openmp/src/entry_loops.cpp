// Loops, as compilers call them: `GOMP_loop_SCHEDULE_start`, `_next`, and those with a region.
#include <cstddef>
#include <cstring>

#include "interposed/caller.hpp"
#include "ranks/rank_context.hpp"
#include "reductions.hpp"
#include "shares.hpp"

namespace {

using namespace orrery::openmp;
using Unsigned = unsigned long long;

template <typename Number>
bool give(Number* begin, Number* end, std::uintptr_t program_counter) {
  Values values;
  if (!next_values(values, program_counter)) return false;
  *begin = static_cast<Number>(values.begin);
  *end = static_cast<Number>(values.end);
  return true;
}

void begin_with_loop(Team& team, const void* request) {
  begin_loop(team, *static_cast<const LoopRequest*>(request));
}

template <typename Number>
bool start(const LoopRequest& request, Number* begin, Number* end, std::uintptr_t program_counter) {
  enter_loop(request);
  return give(begin, end, program_counter);
}

/// With any schedule, with memory of the loop's own, and with reductions of tasks.
template <typename Number>
bool start_any(const LoopRequest& request, Number* begin, Number* end, std::uintptr_t* reductions,
               void** memory, std::uintptr_t program_counter) {
  enter_loop(request);
  take_extras(reductions, memory);
  return begin == nullptr || give(begin, end, program_counter);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_openmp_loops;
const char orrery_interposed_openmp_loops = 0;

// What a loop may be called by: each has its own entry, and all of them do the same.

bool GOMP_loop_static_start(long first, long last, long by, long chunk, long* begin, long* end) {
  return start(loop_request(first, last, by, Schedule::fixed, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_static_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_static_start(bool up, Unsigned first, Unsigned last, Unsigned by, Unsigned chunk,
                                Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::fixed, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_static_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_dynamic_start(long first, long last, long by, long chunk, long* begin, long* end) {
  return start(loop_request(first, last, by, Schedule::dynamic, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_dynamic_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_dynamic_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                 Unsigned chunk, Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::dynamic, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_dynamic_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_guided_start(long first, long last, long by, long chunk, long* begin, long* end) {
  return start(loop_request(first, last, by, Schedule::guided, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_guided_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_guided_start(bool up, Unsigned first, Unsigned last, Unsigned by, Unsigned chunk,
                                Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::guided, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_guided_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_runtime_start(long first, long last, long by, long* begin, long* end) {
  return start(loop_request(first, last, by, Schedule::runtime, 0, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_runtime_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_runtime_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                 Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::runtime, 0, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_runtime_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_ordered_static_start(long first, long last, long by, long chunk, long* begin,
                                    long* end) {
  return start(loop_request(first, last, by, Schedule::fixed, chunk, true), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ordered_static_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_static_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                        Unsigned chunk, Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::fixed, chunk, true), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_static_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_ordered_dynamic_start(long first, long last, long by, long chunk, long* begin,
                                     long* end) {
  return start(loop_request(first, last, by, Schedule::dynamic, chunk, true), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ordered_dynamic_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_dynamic_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                         Unsigned chunk, Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::dynamic, chunk, true), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_dynamic_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_ordered_guided_start(long first, long last, long by, long chunk, long* begin,
                                    long* end) {
  return start(loop_request(first, last, by, Schedule::guided, chunk, true), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ordered_guided_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_guided_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                        Unsigned chunk, Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::guided, chunk, true), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_guided_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_ordered_runtime_start(long first, long last, long by, long* begin, long* end) {
  return start(loop_request(first, last, by, Schedule::runtime, 0, true), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ordered_runtime_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_runtime_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                         Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::runtime, 0, true), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_runtime_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_nonmonotonic_dynamic_start(long first, long last, long by, long chunk, long* begin,
                                          long* end) {
  return start(loop_request(first, last, by, Schedule::dynamic, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_nonmonotonic_dynamic_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                              Unsigned chunk, Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::dynamic, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_nonmonotonic_dynamic_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_nonmonotonic_guided_start(long first, long last, long by, long chunk, long* begin,
                                         long* end) {
  return start(loop_request(first, last, by, Schedule::guided, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_nonmonotonic_guided_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_nonmonotonic_guided_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                             Unsigned chunk, Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::guided, chunk, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_nonmonotonic_guided_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_nonmonotonic_runtime_start(long first, long last, long by, long* begin, long* end) {
  return start(loop_request(first, last, by, Schedule::runtime, 0, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_nonmonotonic_runtime_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_nonmonotonic_runtime_start(bool up, Unsigned first, Unsigned last, Unsigned by,
                                              Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::runtime, 0, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_nonmonotonic_runtime_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_maybe_nonmonotonic_runtime_start(long first, long last, long by, long* begin,
                                                long* end) {
  return start(loop_request(first, last, by, Schedule::runtime, 0, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long* begin, long* end) {
  return give(begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, Unsigned first, Unsigned last,
                                                    Unsigned by, Unsigned* begin, Unsigned* end) {
  return start(loop_request(up, first, last, by, Schedule::runtime, 0, false), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(Unsigned* begin, Unsigned* end) {
  return give(begin, end, ORRERY_CALLER);
}

bool GOMP_loop_start(long first, long last, long by, long schedule, long chunk, long* begin,
                     long* end, std::uintptr_t* reductions, void** memory) {
  return start_any(loop_request(first, last, by, schedule_numbered(schedule), chunk, false), begin,
                   end, reductions, memory, ORRERY_CALLER);
}
bool GOMP_loop_ull_start(bool up, Unsigned first, Unsigned last, Unsigned by, long schedule,
                         Unsigned chunk, Unsigned* begin, Unsigned* end, std::uintptr_t* reductions,
                         void** memory) {
  return start_any(loop_request(up, first, last, by, schedule_numbered(schedule), chunk, false),
                   begin, end, reductions, memory, ORRERY_CALLER);
}

bool GOMP_loop_ordered_start(long first, long last, long by, long schedule, long chunk, long* begin,
                             long* end, std::uintptr_t* reductions, void** memory) {
  return start_any(loop_request(first, last, by, schedule_numbered(schedule), chunk, true), begin,
                   end, reductions, memory, ORRERY_CALLER);
}
bool GOMP_loop_ull_ordered_start(bool up, Unsigned first, Unsigned last, Unsigned by, long schedule,
                                 Unsigned chunk, Unsigned* begin, Unsigned* end,
                                 std::uintptr_t* reductions, void** memory) {
  return start_any(loop_request(up, first, last, by, schedule_numbered(schedule), chunk, true),
                   begin, end, reductions, memory, ORRERY_CALLER);
}

// Regions that are one loop.

void GOMP_parallel_loop_static(Function function, void* data, unsigned threads, long first,
                               long last, long by, long chunk, unsigned /*flags*/) {
  const LoopRequest request = loop_request(first, last, by, Schedule::fixed, chunk, false);
  run_region(function, data, threads, ORRERY_CALLER, begin_with_loop, &request);
}

void GOMP_parallel_loop_dynamic(Function function, void* data, unsigned threads, long first,
                                long last, long by, long chunk, unsigned /*flags*/) {
  const LoopRequest request = loop_request(first, last, by, Schedule::dynamic, chunk, false);
  run_region(function, data, threads, ORRERY_CALLER, begin_with_loop, &request);
}

void GOMP_parallel_loop_guided(Function function, void* data, unsigned threads, long first,
                               long last, long by, long chunk, unsigned /*flags*/) {
  const LoopRequest request = loop_request(first, last, by, Schedule::guided, chunk, false);
  run_region(function, data, threads, ORRERY_CALLER, begin_with_loop, &request);
}

void GOMP_parallel_loop_runtime(Function function, void* data, unsigned threads, long first,
                                long last, long by, unsigned /*flags*/) {
  const LoopRequest request = loop_request(first, last, by, Schedule::runtime, 0, false);
  run_region(function, data, threads, ORRERY_CALLER, begin_with_loop, &request);
}

void GOMP_parallel_loop_nonmonotonic_dynamic(Function function, void* data, unsigned threads,
                                             long first, long last, long by, long chunk,
                                             unsigned /*flags*/) {
  const LoopRequest request = loop_request(first, last, by, Schedule::dynamic, chunk, false);
  run_region(function, data, threads, ORRERY_CALLER, begin_with_loop, &request);
}

void GOMP_parallel_loop_nonmonotonic_guided(Function function, void* data, unsigned threads,
                                            long first, long last, long by, long chunk,
                                            unsigned /*flags*/) {
  const LoopRequest request = loop_request(first, last, by, Schedule::guided, chunk, false);
  run_region(function, data, threads, ORRERY_CALLER, begin_with_loop, &request);
}

void GOMP_parallel_loop_nonmonotonic_runtime(Function function, void* data, unsigned threads,
                                             long first, long last, long by, unsigned /*flags*/) {
  const LoopRequest request = loop_request(first, last, by, Schedule::runtime, 0, false);
  run_region(function, data, threads, ORRERY_CALLER, begin_with_loop, &request);
}

void GOMP_parallel_loop_maybe_nonmonotonic_runtime(Function function, void* data, unsigned threads,
                                                   long first, long last, long by,
                                                   unsigned /*flags*/) {
  const LoopRequest request = loop_request(first, last, by, Schedule::runtime, 0, false);
  run_region(function, data, threads, ORRERY_CALLER, begin_with_loop, &request);
}

// Their ends.
void GOMP_loop_end() {
  leave_loop(ORRERY_CALLER);
  wait_for_team(ORRERY_CALLER);
}
void GOMP_loop_end_nowait() {
  leave_loop(ORRERY_CALLER);
}
bool GOMP_loop_end_cancel() {
  leave_loop(ORRERY_CALLER);
  wait_for_team(ORRERY_CALLER);
  return false;
}

void GOMP_ordered_start() {
  await_turn(ORRERY_CALLER);
}
// The turn is passed on with the chunk.
void GOMP_ordered_end() {}
}
