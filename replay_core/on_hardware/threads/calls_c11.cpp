// Locks and condition variables of C11: the C library's own are those of POSIX under other names,
// and call them where nobody can stand between.
#include <cerrno>
#include <ctime>

#include <pthread.h>
#include <threads.h>

#include "recorded_call.hpp"

namespace {

int result_of(int error) {
  switch (error) {
    case 0: return thrd_success;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
  }
}

// The C library gives them the same memory.
pthread_mutex_t* posix(mtx_t* mutex) {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}
pthread_cond_t* posix(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

}  // namespace

ORRERY_RECORDED int mtx_lock(mtx_t* mutex) {
  return result_of(pthread_mutex_lock(posix(mutex)));
}
ORRERY_RECORDED int mtx_trylock(mtx_t* mutex) {
  return result_of(pthread_mutex_trylock(posix(mutex)));
}
ORRERY_RECORDED int mtx_timedlock(mtx_t* mutex, const timespec* date) {
  return result_of(pthread_mutex_timedlock(posix(mutex), date));
}
ORRERY_RECORDED int mtx_unlock(mtx_t* mutex) {
  return result_of(pthread_mutex_unlock(posix(mutex)));
}
ORRERY_RECORDED int cnd_signal(cnd_t* condition) {
  return result_of(pthread_cond_signal(posix(condition)));
}
ORRERY_RECORDED int cnd_broadcast(cnd_t* condition) {
  return result_of(pthread_cond_broadcast(posix(condition)));
}
ORRERY_RECORDED int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return result_of(pthread_cond_wait(posix(condition), posix(mutex)));
}
ORRERY_RECORDED int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* date) {
  return result_of(pthread_cond_timedwait(posix(condition), posix(mutex), date));
}
ORRERY_RECORDED void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}
