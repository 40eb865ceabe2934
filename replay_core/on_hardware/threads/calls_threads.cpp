// Threads: a new one begins with what its starter had come to, and who joins it goes on with what
// it had.
#include <bit>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <vector>

#include <memory/call_at_line.hpp>
#include <pthread.h>
#include <threads.h>

#include "cancellation.hpp"
#include "known_threads.hpp"
#include "locked_objects.hpp"
#include "next_function.hpp"
#include "process_end.hpp"
#include "program_arenas.hpp"
#include "recorded_call.hpp"
#include "thread_end.hpp"
#include "thread_memory.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;
using orrery::OperationKind;

namespace {

/// What a thread is started with.
struct Start {
  void* (*function)(void*);
  void* argument;
  ThreadRecord* record;
};

/// Handles are used again.
class KnownThreads {
 public:
  /// By the thread itself, before any code of the program's.
  void begin(ThreadRecord& own) {
    const std::lock_guard held(lock_);
    own.header().handle = pthread_self();
    own.header().system_number = static_cast<std::uint64_t>(gettid());
    put(own.header().handle, own);
  }
  /// By its starter, who may come to join it before it has begun; or when it has ended, and its
  /// handle is another's.
  void has_started(pthread_t handle, ThreadRecord& record) {
    const std::lock_guard held(lock_);
    if (record.header().handle == 0) put(handle, record);
  }
  ThreadRecord* find(pthread_t handle) {
    const std::lock_guard held(lock_);
    for (const Known& known : threads_) {
      if (known.handle == handle) return known.record;
    }
    return nullptr;
  }

 private:
  struct Known {
    pthread_t handle;
    ThreadRecord* record;
  };
  void put(pthread_t handle, ThreadRecord& record) {
    for (Known& known : threads_) {
      if (known.handle != handle) continue;
      known.record = &record;
      return;
    }
    threads_.push_back({handle, &record});
  }

  OwnLock lock_;
  std::vector<Known> threads_;
};
KnownThreads known_threads;

void* run_recorded(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  delete static_cast<Start*>(argument);
  if (start.record != nullptr) {
    own_record = start.record;
    readings_of_thread = &start.record->readings();
    reader = Reader::kept;
    thread_number = start.record->number();
    known_threads.begin(*start.record);
    begin_arena(*start.record);
    watch_thread_end();
  }
  ThreadMemory* const memory = start.record != nullptr ? start.record->memory() : nullptr;
  if (memory != nullptr) memory->begin();
  std::uintptr_t unused = 0;
  std::uintptr_t& line = memory != nullptr ? memory->stack_line() : unused;
  return orrery::host::call_at_line(start.function, start.argument, line);
}

template <typename Create>
int create_recorded(void* (*function)(void*), void* argument, pthread_t* handle,
                    const Create& create) {
  ThreadRecord* const own = recorded();
  if (own == nullptr) return create(function, argument);
  own->before_operation();
  own->count(OperationKind::spawn, own->stamp_after(0));
  auto* const start = new Start{function, argument, process_record.begin_thread(*own)};
  ThreadRecord* const record = start->record;
  const int error = create(run_recorded, start);
  if (error == 0) {
    if (record != nullptr) known_threads.has_started(*handle, *record);
  } else {
    delete start;
    process_record.stop(orrery::thread_spool::threads_unrecorded);
  }
  return error;
}

/// A thread was cancelled: if its file does not say so, that was in a function that is not
/// recorded.
void note_end(ThreadRecord& ended, const void* result) {
  if (result != PTHREAD_CANCELED || ended.header().cancelled_at != 0) return;
  ended.header().cancelled_at = orrery::thread_spool::cancelled_elsewhere;
  process_record.note(orrery::thread_spool::unseen_cancellation);
}

/// `join(where the thread's result is to go)`.
template <typename Join>
int join_recorded(pthread_t handle, void** result, const Join& join) {
  ThreadRecord* const own = recorded();
  // When it has been joined, its handle may be another's.
  ThreadRecord* const ended = own != nullptr ? known_threads.find(handle) : nullptr;
  void* value = nullptr;
  const int error = join(&value);
  if (error == 0 && result != nullptr) *result = value;
  if (own == nullptr) return error;
  if (error == ETIMEDOUT) own->count_timeout(own->stamp_after(0));
  if (error != 0) return error;
  own->count(OperationKind::join, own->stamp_after(ended != nullptr ? ended->clock() : 0));
  if (ended != nullptr) note_end(*ended, value);
  return error;
}

}  // namespace

ThreadRecord* orrery::on_hardware::known_thread(pthread_t handle) {
  if (ThreadRecord* const first = process_record.first(); first->header().handle == handle) {
    return first;
  }
  return known_threads.find(handle);
}

ORRERY_RECORDED int pthread_create(pthread_t* handle, const pthread_attr_t* attributes,
                                   void* (*function)(void*), void* argument) noexcept {
  return create_recorded(function, argument, handle, [=](void* (*body)(void*), void* of_body) {
    return next<&::pthread_create>("pthread_create")(handle, attributes, body, of_body);
  });
}

ORRERY_RECORDED int pthread_join(pthread_t handle, void** result) {
  return cancellable([=] {
    return join_recorded(handle, result, [=](void** value) {
      return next<&::pthread_join>("pthread_join")(handle, value);
    });
  });
}

ORRERY_RECORDED int pthread_tryjoin_np(pthread_t handle, void** result) noexcept {
  if (recorded() != nullptr) process_record.note(orrery::thread_spool::tries_to_join);
  return join_recorded(handle, result, [=](void** value) {
    return next<&::pthread_tryjoin_np>("pthread_tryjoin_np")(handle, value);
  });
}

ORRERY_RECORDED int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* date) {
  return cancellable([=] {
    return join_recorded(handle, result, [=](void** value) {
      return next<&::pthread_timedjoin_np>("pthread_timedjoin_np")(handle, value, date);
    });
  });
}

ORRERY_RECORDED int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock,
                                         const timespec* date) {
  return cancellable([=] {
    return join_recorded(handle, result, [=](void** value) {
      return next<&::pthread_clockjoin_np>("pthread_clockjoin_np")(handle, value, clock, date);
    });
  });
}

// --- C11 --------------------------------------------------------------------------------------

// Its other functions are those of POSIX under other names; these two give another result.
ORRERY_RECORDED int thrd_create(thrd_t* handle, thrd_start_t function, void* argument) {
  if (recorded() == nullptr) {
    return next<&::thrd_create>("thrd_create")(handle, function, argument);
  }
  // Its result, an int, comes back in the register of a pointer's low half.
  const int error =
      pthread_create(handle, nullptr, std::bit_cast<void* (*)(void*)>(function), argument);
  return error == 0 ? thrd_success : error == ENOMEM ? thrd_nomem : thrd_error;
}

ORRERY_RECORDED int thrd_join(thrd_t handle, int* result) {
  if (recorded() == nullptr) return next<&::thrd_join>("thrd_join")(handle, result);
  void* value = nullptr;
  const int error = pthread_join(handle, &value);
  if (error == 0 && result != nullptr) {
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  }
  return error == 0 ? thrd_success : thrd_error;
}
