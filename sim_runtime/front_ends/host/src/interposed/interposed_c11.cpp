// The threads of C11: the same as those of POSIX, under other names.
#include <bit>
#include <cerrno>
#include <ctime>

#include <pthread.h>
#include <sched.h>
#include <threads.h>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::host::guarded_runtime;
using orrery::host::original;
using orrery::host::running;

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

extern "C" {

extern const char orrery_interposed_c11;
const char orrery_interposed_c11 = 0;

int thrd_create(thrd_t* handle, thrd_start_t function, void* argument) {
  if (running().user == nullptr) {
    return original<&thrd_create>("thrd_create")(handle, function, argument);
  }
  // Its result, an int, comes back in the register of a pointer's low half.
  *handle = orrery::host::start_thread(std::bit_cast<void* (*)(void*)>(function), argument, false,
                                       ORRERY_CALLER)
                .shown_handle();
  return thrd_success;
}

int thrd_join(thrd_t handle, int* result) {
  if (running().user == nullptr) return original<&thrd_join>("thrd_join")(handle, result);
  void* value = nullptr;
  const int error = orrery::host::join_thread(handle, &value, ORRERY_NEVER, ORRERY_CALLER);
  if (error == 0 && result != nullptr) {
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  }
  return result_of(error);
}

int thrd_detach(thrd_t handle) {
  if (running().user == nullptr) return original<&thrd_detach>("thrd_detach")(handle);
  return result_of(pthread_detach(handle));
}

void thrd_exit(int result) {
  if (running().user != nullptr) {
    orrery::host::leave_thread(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
  }
  original<&thrd_exit>("thrd_exit")(result);
  __builtin_unreachable();
}

void thrd_yield() {
  sched_yield();
}

int thrd_sleep(const timespec* duration, timespec* rest) {
  return clock_nanosleep(CLOCK_REALTIME, 0, duration, rest) == 0 ? 0 : -1;
}

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if ((type & mtx_recursive) != 0) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  }
  return result_of(pthread_mutex_init(posix(mutex), &attributes));
}

void mtx_destroy(mtx_t* mutex) {
  pthread_mutex_destroy(posix(mutex));
}

int mtx_lock(mtx_t* mutex) {
  return result_of(pthread_mutex_lock(posix(mutex)));
}

int mtx_trylock(mtx_t* mutex) {
  return result_of(pthread_mutex_trylock(posix(mutex)));
}

int mtx_timedlock(mtx_t* mutex, const timespec* date) {
  return result_of(pthread_mutex_timedlock(posix(mutex), date));
}

int mtx_unlock(mtx_t* mutex) {
  return result_of(pthread_mutex_unlock(posix(mutex)));
}

int cnd_init(cnd_t* condition) {
  return result_of(pthread_cond_init(posix(condition), nullptr));
}

void cnd_destroy(cnd_t* condition) {
  pthread_cond_destroy(posix(condition));
}

int cnd_signal(cnd_t* condition) {
  return result_of(pthread_cond_signal(posix(condition)));
}

int cnd_broadcast(cnd_t* condition) {
  return result_of(pthread_cond_broadcast(posix(condition)));
}

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return result_of(pthread_cond_wait(posix(condition), posix(mutex)));
}

int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* date) {
  return result_of(pthread_cond_timedwait(posix(condition), posix(mutex), date));
}

void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  return result_of(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key) {
  pthread_key_delete(key);
}

void* tss_get(tss_t key) {
  return pthread_getspecific(key);
}

int tss_set(tss_t key, void* value) {
  return result_of(pthread_setspecific(key, value));
}
}
