// Loops with `ordered(n)`, as compilers call them: iterations have numbers from 0 in each of the
// nested loops.
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>

#include "doacross.hpp"
#include "interposed/caller.hpp"
#include "reductions.hpp"

namespace {

using namespace orrery::openmp;
using Unsigned = unsigned long long;

static_assert(sizeof(long) == sizeof(std::uint64_t) && sizeof(Unsigned) == sizeof(std::uint64_t));

template <typename Number>
bool start(unsigned nested, const Number* counts, Schedule schedule, std::uint64_t chunk,
           Number* begin, Number* end, std::uintptr_t program_counter) {
  enter_doacross({reinterpret_cast<const std::uint64_t*>(counts), nested}, schedule, chunk);
  Values values;
  if (begin == nullptr) return true;
  if (!next_values(values, program_counter)) return false;
  *begin = static_cast<Number>(values.begin);
  *end = static_cast<Number>(values.end);
  return true;
}

/// With any schedule, with memory of the loop's own, and with reductions of tasks.
template <typename Number>
bool start_any(unsigned nested, const Number* counts, long schedule, Number chunk, Number* begin,
               Number* end, std::uintptr_t* reductions, void** memory,
               std::uintptr_t program_counter) {
  enter_doacross({reinterpret_cast<const std::uint64_t*>(counts), nested},
                 schedule_numbered(schedule), static_cast<std::uint64_t>(chunk));
  take_extras(reductions, memory);
  Values values;
  if (begin == nullptr) return true;
  if (!next_values(values, program_counter)) return false;
  *begin = static_cast<Number>(values.begin);
  *end = static_cast<Number>(values.end);
  return true;
}

void post(const void* numbers, std::uintptr_t program_counter) {
  post_iteration({static_cast<const std::uint64_t*>(numbers), nested_loops()}, program_counter);
}

/// The numbers after the first are further arguments.
void await_numbers(std::uint64_t first, va_list more, std::uintptr_t program_counter) {
  constexpr std::size_t nested_max = 64;
  std::array<std::uint64_t, nested_max> numbers{first};
  const std::size_t count = std::min(nested_loops(), nested_max);
  for (std::size_t i = 1; i < count; ++i) numbers[i] = va_arg(more, std::uint64_t);
  await_iteration({numbers.data(), count}, program_counter);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_openmp_doacross;
const char orrery_interposed_openmp_doacross = 0;

bool GOMP_loop_doacross_static_start(unsigned nested, long* counts, long chunk, long* begin,
                                     long* end) {
  return start(nested, counts, Schedule::fixed, static_cast<std::uint64_t>(chunk), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_doacross_dynamic_start(unsigned nested, long* counts, long chunk, long* begin,
                                      long* end) {
  return start(nested, counts, Schedule::dynamic, static_cast<std::uint64_t>(chunk), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_doacross_guided_start(unsigned nested, long* counts, long chunk, long* begin,
                                     long* end) {
  return start(nested, counts, Schedule::guided, static_cast<std::uint64_t>(chunk), begin, end,
               ORRERY_CALLER);
}
bool GOMP_loop_doacross_runtime_start(unsigned nested, long* counts, long* begin, long* end) {
  return start(nested, counts, Schedule::runtime, 0, begin, end, ORRERY_CALLER);
}
bool GOMP_loop_doacross_start(unsigned nested, long* counts, long schedule, long chunk, long* begin,
                              long* end, std::uintptr_t* reductions, void** memory) {
  return start_any(nested, counts, schedule, chunk, begin, end, reductions, memory, ORRERY_CALLER);
}

bool GOMP_loop_ull_doacross_static_start(unsigned nested, Unsigned* counts, Unsigned chunk,
                                         Unsigned* begin, Unsigned* end) {
  return start(nested, counts, Schedule::fixed, chunk, begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_doacross_dynamic_start(unsigned nested, Unsigned* counts, Unsigned chunk,
                                          Unsigned* begin, Unsigned* end) {
  return start(nested, counts, Schedule::dynamic, chunk, begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_doacross_guided_start(unsigned nested, Unsigned* counts, Unsigned chunk,
                                         Unsigned* begin, Unsigned* end) {
  return start(nested, counts, Schedule::guided, chunk, begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_doacross_runtime_start(unsigned nested, Unsigned* counts, Unsigned* begin,
                                          Unsigned* end) {
  return start(nested, counts, Schedule::runtime, 0, begin, end, ORRERY_CALLER);
}
bool GOMP_loop_ull_doacross_start(unsigned nested, Unsigned* counts, long schedule, Unsigned chunk,
                                  Unsigned* begin, Unsigned* end, std::uintptr_t* reductions,
                                  void** memory) {
  return start_any(nested, counts, schedule, chunk, begin, end, reductions, memory, ORRERY_CALLER);
}

void GOMP_doacross_post(long* numbers) {
  post(numbers, ORRERY_CALLER);
}
void GOMP_doacross_ull_post(Unsigned* numbers) {
  post(numbers, ORRERY_CALLER);
}

void GOMP_doacross_wait(long first, ...) {
  va_list more;
  va_start(more, first);
  await_numbers(static_cast<std::uint64_t>(first), more, ORRERY_CALLER);
  va_end(more);
}
void GOMP_doacross_ull_wait(Unsigned first, ...) {
  va_list more;
  va_start(more, first);
  await_numbers(first, more, ORRERY_CALLER);
  va_end(more);
}
}
