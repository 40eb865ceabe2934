// Functions with a memory: each rank has its own.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <unistd.h>

#include <orrery/sim_runtime/told_questions.hpp>

#include "machine.hpp"
#include "ranks/next_function.hpp"
#include "ranks/rank_context.hpp"

using orrery::host::guarded_runtime;
using orrery::host::next_function;
using orrery::host::running;
using orrery::host::RuntimeGuard;

namespace {

/// All threads have the sequence in common: where nobody says who draws first, a thread is told in
/// a replay what it was told.
template <typename Number>
Number told(Number drawn) {
  const auto* const thread = running().thread;
  if (thread == nullptr || !thread->keeps_sequences || !thread->has_had_others()) return drawn;
  const RuntimeGuard guard(RuntimeGuard::Libraries::of_the_host);
  return std::bit_cast<Number>(orrery::detail::Machine::current()->choose_input(
      orrery::random_sequence_question, std::bit_cast<std::uint64_t>(drawn)));
}

long next_random(random_data& state) {
  std::int32_t value = 0;
  random_r(&state, &value);
  return told(static_cast<long>(value));
}

}  // namespace

extern "C" {

extern const char orrery_interposed_state;
const char orrery_interposed_state = 0;

// In the C library `rand` and `random` draw from one sequence.
int rand() noexcept {
  if (auto* const user = running().user) return static_cast<int>(next_random(user->random_state));
  static const auto next = next_function<int (*)()>("rand");
  return next();
}

long random() noexcept {
  if (auto* const user = running().user) return next_random(user->random_state);
  static const auto next = next_function<long (*)()>("random");
  return next();
}

void srand(unsigned seed) noexcept {
  if (auto* const user = running().user) {
    srandom_r(seed, &user->random_state);
    return;
  }
  next_function<void (*)(unsigned)>("srand")(seed);
}

void srandom(unsigned seed) noexcept {
  if (auto* const user = running().user) {
    srandom_r(seed, &user->random_state);
    return;
  }
  next_function<void (*)(unsigned)>("srandom")(seed);
}

double drand48() noexcept {
  if (auto* const user = running().user) {
    double value = 0;
    drand48_r(&user->drand48_state, &value);
    return told(value);
  }
  return next_function<double (*)()>("drand48")();
}

long lrand48() noexcept {
  if (auto* const user = running().user) {
    long value = 0;
    lrand48_r(&user->drand48_state, &value);
    return told(value);
  }
  return next_function<long (*)()>("lrand48")();
}

long mrand48() noexcept {
  if (auto* const user = running().user) {
    long value = 0;
    mrand48_r(&user->drand48_state, &value);
    return told(value);
  }
  return next_function<long (*)()>("mrand48")();
}

void srand48(long seed) noexcept {
  if (auto* const user = running().user) {
    srand48_r(seed, &user->drand48_state);
    return;
  }
  next_function<void (*)(long)>("srand48")(seed);
}

char* strtok(char* text, const char* delimiters) noexcept {
  if (auto* const user = running().user) return strtok_r(text, delimiters, &user->strtok_position);
  return next_function<char* (*)(char*, const char*)>("strtok")(text, delimiters);
}

// std::ios_base::sync_with_stdio: a rank's std::cout stays with its `stdout`.
bool orrery_sync_with_stdio(bool is_wanted) __asm__("_ZNSt8ios_base15sync_with_stdioEb");
bool orrery_sync_with_stdio(bool is_wanted) {
  if (running().user != nullptr) return true;
  return next_function<bool (*)(bool)>("_ZNSt8ios_base15sync_with_stdioEb")(is_wanted);
}
}
