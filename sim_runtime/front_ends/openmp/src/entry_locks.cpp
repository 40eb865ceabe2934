// OpenMP's own locks.
#include <cstring>

#include "interposed/caller.hpp"
#include "ranks/rank_context.hpp"

namespace {

using orrery::host::guarded_runtime;

// That it is locked is known only here, not by its memory.
constexpr std::uint32_t plain = ORRERY_MUTEX_MARKED;
constexpr std::uint32_t nested = ORRERY_MUTEX_MARKED | ORRERY_MUTEX_RECURSIVE;

bool is_simulated() {
  return orrery::host::running().user != nullptr;
}

int take(void* lock, std::uint32_t flags, OrreryLockMode mode, std::uintptr_t program_counter) {
  return guarded_runtime().mutex_lock(lock, flags, mode, ORRERY_NEVER, program_counter);
}

void begin(void* lock) {
  if (is_simulated()) guarded_runtime().object_forget(lock);
}

void end(void* lock, std::uintptr_t program_counter) {
  if (is_simulated()) guarded_runtime().object_destroy(lock, program_counter);
}

// How often a nested lock is held: in its own memory, as all programs have it.
int held(const void* lock) {
  int count = 0;
  std::memcpy(&count, lock, sizeof count);
  return count;
}
void set_held(void* lock, int count) {
  std::memcpy(lock, &count, sizeof count);
}

}  // namespace

extern "C" {

extern const char orrery_interposed_openmp_locks;
const char orrery_interposed_openmp_locks = 0;

void omp_init_lock(void* lock) {
  begin(lock);
}
void omp_init_lock_with_hint(void* lock, int /*hint*/) {
  begin(lock);
}
void omp_destroy_lock(void* lock) {
  end(lock, ORRERY_CALLER);
}
void omp_set_lock(void* lock) {
  if (is_simulated()) take(lock, plain, ORRERY_LOCK_WAIT, ORRERY_CALLER);
}
void omp_unset_lock(void* lock) {
  if (is_simulated()) guarded_runtime().mutex_unlock(lock, plain, ORRERY_CALLER);
}
int omp_test_lock(void* lock) {
  return !is_simulated() || take(lock, plain, ORRERY_LOCK_TRY, ORRERY_CALLER) == 0 ? 1 : 0;
}

void omp_init_nest_lock(void* lock) {
  set_held(lock, 0);
  begin(lock);
}
void omp_init_nest_lock_with_hint(void* lock, int /*hint*/) {
  set_held(lock, 0);
  begin(lock);
}
void omp_destroy_nest_lock(void* lock) {
  end(lock, ORRERY_CALLER);
}
void omp_set_nest_lock(void* lock) {
  if (is_simulated()) take(lock, nested, ORRERY_LOCK_WAIT, ORRERY_CALLER);
  set_held(lock, held(lock) + 1);
}
void omp_unset_nest_lock(void* lock) {
  set_held(lock, held(lock) - 1);
  if (is_simulated()) guarded_runtime().mutex_unlock(lock, nested, ORRERY_CALLER);
}
// How often it is held then; 0: somebody else has it.
int omp_test_nest_lock(void* lock) {
  if (is_simulated() && take(lock, nested, ORRERY_LOCK_TRY, ORRERY_CALLER) != 0) {
    return 0;
  }
  set_held(lock, held(lock) + 1);
  return held(lock);
}
}
