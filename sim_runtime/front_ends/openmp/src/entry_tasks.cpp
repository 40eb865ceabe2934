// Explicit tasks, as compilers call them.
#include <algorithm>

#include "interposed/caller.hpp"
#include "ranks/rank_context.hpp"
#include "reductions.hpp"
#include "refusal.hpp"
#include "tasks.hpp"

namespace {

using namespace orrery::openmp;
using Copy = void (*)(void*, void*);
using Unsigned = unsigned long long;

// What the flags of a task say.
constexpr unsigned flag_final = 1U << 1U;
constexpr unsigned flag_depends = 1U << 3U;
constexpr unsigned flag_up = 1U << 8U;
constexpr unsigned flag_grain_size = 1U << 9U;
constexpr unsigned flag_if = 1U << 10U;
constexpr unsigned flag_no_group = 1U << 11U;
constexpr unsigned flag_reduction = 1U << 12U;
constexpr unsigned flag_detached = 1U << 13U;

/// The tasks of a loop: each gets its part of the iterations.
struct TaskLoop {
  TaskRequest request;
  std::uint64_t iterations;
  std::uint64_t parts;
  Unsigned first;
  Unsigned increment;
  bool has_group;
  bool has_reductions;
};

std::uint64_t parts_of(std::uint64_t iterations, unsigned flags, std::uint64_t number) {
  if ((flags & flag_grain_size) != 0) number = iterations / std::max<std::uint64_t>(number, 1);
  if (number == 0 && (flags & flag_grain_size) == 0) {
    number = static_cast<std::uint64_t>(this_thread().place.team->size);
  }
  return std::clamp<std::uint64_t>(number, 1, iterations);
}

/// Behind its bounds, the data of a loop's tasks have the compiler's arrays.
void begin_reductions(const void* data) {
  auto* const arrays = static_cast<std::uintptr_t* const*>(data)[2];
  const Place& place = this_thread().place;
  Group& group = *place.task->group;
  make_parts(arrays, group.reductions, place.team->size);
  group.reductions = arrays;
}

void make_tasks(TaskLoop loop, std::uintptr_t program_counter) {
  if (loop.has_group) begin_group();
  if (loop.has_reductions) begin_reductions(loop.request.data);
  if (loop.iterations == 0) loop.parts = 0;
  const std::uint64_t share = loop.parts == 0 ? 0 : loop.iterations / loop.parts;
  const std::uint64_t more = loop.iterations - share * loop.parts;
  Unsigned from = loop.first;
  for (std::uint64_t part = 0; part < loop.parts; ++part) {
    const std::uint64_t count = share + (part < more ? 1 : 0);
    const Unsigned bounds[] = {from, from + count * loop.increment};
    loop.request.bounds = bounds;
    make_task(loop.request, program_counter);
    from = bounds[1];
  }
  if (loop.has_group) end_group(program_counter);
}

TaskRequest request_of(Function function, void* data, Copy copy, long size, long alignment,
                       unsigned flags) {
  if ((flags & flag_detached) != 0) refuse("detached tasks");
  return {.function = function,
          .data = data,
          .copy = copy,
          .size_bytes = size,
          .alignment = alignment,
          .may_wait = true,
          .is_final = (flags & flag_final) != 0};
}

}  // namespace

extern "C" {

extern const char orrery_interposed_openmp_tasks;
const char orrery_interposed_openmp_tasks = 0;

void GOMP_task(Function function, void* data, Copy copy, long size, long alignment, bool may_wait,
               unsigned flags, void** depend, int /*priority*/, void* /*event*/) {
  TaskRequest request = request_of(function, data, copy, size, alignment, flags);
  request.may_wait = may_wait;
  if ((flags & flag_depends) != 0) request.depend = depend;
  make_task(request, ORRERY_CALLER);
}

void GOMP_taskloop(Function function, void* data, Copy copy, long size, long alignment,
                   unsigned flags, unsigned long number, int /*priority*/, long first, long last,
                   long by) {
  TaskRequest request = request_of(function, data, copy, size, alignment, flags);
  request.may_wait = (flags & flag_if) != 0;
  const std::uint64_t iterations = iterations_of(first, last, by);
  make_tasks(
      {request, iterations, parts_of(iterations, flags, number), static_cast<Unsigned>(first),
       static_cast<Unsigned>(by), (flags & flag_no_group) == 0, (flags & flag_reduction) != 0},
      ORRERY_CALLER);
}

void GOMP_taskloop_ull(Function function, void* data, Copy copy, long size, long alignment,
                       unsigned flags, unsigned long number, int /*priority*/, Unsigned first,
                       Unsigned last, Unsigned by) {
  TaskRequest request = request_of(function, data, copy, size, alignment, flags);
  request.may_wait = (flags & flag_if) != 0;
  const std::uint64_t iterations = iterations_of((flags & flag_up) != 0, first, last, by);
  make_tasks({request, iterations, parts_of(iterations, flags, number), first, by,
              (flags & flag_no_group) == 0, (flags & flag_reduction) != 0},
             ORRERY_CALLER);
}

void GOMP_taskwait() {
  wait_for_children(ORRERY_CALLER);
}
void GOMP_taskwait_depend(void** depend) {
  wait_for_dependences(depend, ORRERY_CALLER);
}

void GOMP_taskyield() {
  run_some_task(this_thread(), nullptr, nullptr, ORRERY_CALLER);
}

void GOMP_taskgroup_start() {
  begin_group();
}
void GOMP_taskgroup_end() {
  end_group(ORRERY_CALLER);
}
}
