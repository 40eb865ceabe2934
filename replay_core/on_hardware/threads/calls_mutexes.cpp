// Mutexes and spinlocks.  Whoever holds one writes its stamp, so that costs no shared write beyond
// the lock's own; but for a try that fails, which must come between the holder's two operations.
#include <cerrno>
#include <ctime>

#include <pthread.h>

#include "locked_objects.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace orrery::on_hardware {
namespace {

constexpr int kind_bits = 3;
constexpr int robust_bit = 16;
constexpr int shared_bit = 128;

bool is_taken(int error) {
  return error == 0 || error == EOWNERDEAD;
}

/// A recorded holder has a mutex a little longer than it would by itself: who comes then would
/// sleep where it need not, and that takes far longer.  So it looks for as long again first.
void look_before_sleeping(const pthread_mutex_t& mutex) {
  constexpr int looks = 100;
  const auto is_free = [&] { return __atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED) == 0; };
  if (is_free() || mutex.__data.__kind != PTHREAD_MUTEX_NORMAL || recorded() == nullptr) return;
  for (int i = 0; i < looks && !is_free(); ++i) __builtin_ia32_pause();
}

/// May another process lock it?  The C library marks robust mutexes so, whoever has them: of those
/// `pthread_mutex_init` is told.
void look_at(const pthread_mutex_t& mutex) {
  if (__builtin_expect(mutex.__data.__kind & shared_bit, 0) == 0) return;
  if ((mutex.__data.__kind & robust_bit) == 0) process_record.note(thread_spool::shared_objects);
}

void look_at(const pthread_mutexattr_t* attributes) {
  int is_shared = PTHREAD_PROCESS_PRIVATE;
  if (attributes != nullptr) pthread_mutexattr_getpshared(attributes, &is_shared);
  const bool is_watched = is_shared == PTHREAD_PROCESS_SHARED && recorded() != nullptr;
  if (is_watched) process_record.note(thread_spool::shared_objects);
}

/// A try has failed between two operations of the holder that it has seen.
bool has_failed(ThreadRecord& own, SharedObject& object, std::uint64_t before) {
  if ((before & held_bit) == 0) return false;
  const Turn turn = turn_at(own, object, before, /*writes=*/false);
  const std::uint64_t after = own.word_after(turn) | held_bit;
  if (!object.word.compare_exchange_strong(before, after)) return false;
  own.count_poll(OperationKind::mutex_try_lock, &object, 0, turn);
  return true;
}

template <typename Try>
int try_to_lock(const volatile void* mutex, const Try& try_once) {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(mutex) : nullptr;
  if (object == nullptr) return try_once();
  own->before_operation();
  // Whoever has just come or is about to go will have said so soon.
  for (Patience patience;;) {
    const std::uint64_t before = object->word.load(std::memory_order_acquire);
    const int error = try_once();
    if (is_taken(error)) took(*own, *object, OperationKind::mutex_try_lock);
    if (error == ENOTRECOVERABLE) found_lost(*own, *object, OperationKind::mutex_try_lock);
    if (error != EBUSY || has_failed(*own, *object, before)) return error;
    if (patience.wait()) continue;
    own->count(OperationKind::mutex_try_lock, turn_at(*own, *object, before, /*writes=*/false));
    return error;
  }
}

template <typename Lock>
int lock_recorded(const volatile void* mutex, const Lock& lock) {
  ThreadRecord* const own = recorded();
  if (own == nullptr) return lock();
  own->before_operation();
  const int error = lock();
  SharedObject* const object = shared_object(mutex);
  if (object == nullptr) return error;
  if (is_taken(error)) took(*own, *object, OperationKind::mutex_lock);
  if (error == ENOTRECOVERABLE) found_lost(*own, *object, OperationKind::mutex_lock);
  if (error == ETIMEDOUT) own->count_timeout(own->stamp_after(last_stamp(*object)));
  return error;
}

/// Where the system would refuse to give back what another thread has.
bool is_refused(const pthread_mutex_t& mutex, const SharedObject& object, const ThreadRecord& own) {
  const int kind = mutex.__data.__kind;
  const bool is_checked = (kind & kind_bits) != PTHREAD_MUTEX_NORMAL || (kind & robust_bit) != 0;
  return is_checked && (object.depth == 0 || object.holder != own.number());
}

void forget(const volatile void* mutex) {
  if (recorded() == nullptr) return;
  SharedObject* const object = shared_object(mutex);
  if (object == nullptr) return;
  object->depth = 0;
  object->word.fetch_and(~held_bit);
}

}  // namespace

void took(ThreadRecord& own, SharedObject& mutex, OperationKind kind) {
  const Turn turn = turn_at(own, mutex, mutex.word.load(std::memory_order_acquire));
  ++mutex.depth;
  mutex.holder = own.number();
  own.count(kind, turn);
  mutex.word.store(own.word_after(turn) | held_bit, std::memory_order_release);
}

Turn give_back(const ThreadRecord& own, SharedObject& mutex, std::uint64_t seen) {
  if (mutex.depth > 0) --mutex.depth;
  const std::uint64_t held = mutex.depth > 0 ? held_bit : 0;
  std::uint64_t before = mutex.word.load(std::memory_order_relaxed);
  Turn turn{};
  do {
    turn = turn_at(own, mutex, before, /*writes=*/true, seen);
  } while (!mutex.word.compare_exchange_weak(before, own.word_after(turn) | held));
  return turn;
}

void found_lost(ThreadRecord& own, SharedObject& mutex, OperationKind kind) {
  own.count(kind, give_back(own, mutex, 0));
}

}  // namespace orrery::on_hardware

// --- mutexes ----------------------------------------------------------------------------------

ORRERY_RECORDED int pthread_mutex_init(pthread_mutex_t* mutex,
                                       const pthread_mutexattr_t* attributes) noexcept {
  look_at(attributes);
  forget(mutex);
  return next<&::pthread_mutex_init>("pthread_mutex_init")(mutex, attributes);
}

ORRERY_RECORDED int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  look_at(*mutex);
  return lock_recorded(mutex, [=] {
    look_before_sleeping(*mutex);
    return next<&::pthread_mutex_lock>("pthread_mutex_lock")(mutex);
  });
}

ORRERY_RECORDED int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  look_at(*mutex);
  const auto try_once = [=] {
    return next<&::pthread_mutex_trylock>("pthread_mutex_trylock")(mutex);
  };
  const bool is_checked = (mutex->__data.__kind & kind_bits) == PTHREAD_MUTEX_ERRORCHECK;
  ThreadRecord* const own = is_checked ? recorded() : nullptr;
  const SharedObject* const object = own != nullptr ? shared_object(mutex) : nullptr;
  // Its holder is answered without a look at the lock.
  if (object != nullptr && object->depth > 0 && object->holder == own->number()) return try_once();
  return try_to_lock(mutex, try_once);
}

ORRERY_RECORDED int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* date) noexcept {
  look_at(*mutex);
  return lock_recorded(mutex, [=] {
    return next<&::pthread_mutex_timedlock>("pthread_mutex_timedlock")(mutex, date);
  });
}

ORRERY_RECORDED int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* date) noexcept {
  look_at(*mutex);
  return lock_recorded(mutex, [=] {
    return next<&::pthread_mutex_clocklock>("pthread_mutex_clocklock")(mutex, clock, date);
  });
}

ORRERY_RECORDED int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(mutex) : nullptr;
  if (object != nullptr && !is_refused(*mutex, *object, *own)) {
    own->count(OperationKind::mutex_unlock, give_back(*own, *object, 0));
  }
  return next<&::pthread_mutex_unlock>("pthread_mutex_unlock")(mutex);
}

// --- spinlocks --------------------------------------------------------------------------------

ORRERY_RECORDED int pthread_spin_init(pthread_spinlock_t* lock, int is_shared) noexcept {
  forget(lock);
  return next<&::pthread_spin_init>("pthread_spin_init")(lock, is_shared);
}

ORRERY_RECORDED int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  return lock_recorded(lock, [=] { return next<&::pthread_spin_lock>("pthread_spin_lock")(lock); });
}

ORRERY_RECORDED int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  return try_to_lock(lock,
                     [=] { return next<&::pthread_spin_trylock>("pthread_spin_trylock")(lock); });
}

ORRERY_RECORDED int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  ThreadRecord* const own = recorded();
  SharedObject* const object = own != nullptr ? shared_object(lock) : nullptr;
  if (object != nullptr) own->count(OperationKind::mutex_unlock, give_back(*own, *object, 0));
  return next<&::pthread_spin_unlock>("pthread_spin_unlock")(lock);
}
