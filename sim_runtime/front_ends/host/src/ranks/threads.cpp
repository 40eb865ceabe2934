#include "threads.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstddef>
#include <utility>

#include <unwind.h>

#include <orrery/network_model/usage_error.hpp>

#include "machine.hpp"
#include "memory/call_at_line.hpp"
#include "memory/program_memory.hpp"
#include "program_clock.hpp"
#include "program_identity.hpp"
#include "program_signals.hpp"
#include "programs/program_copy.hpp"

namespace orrery::host {
namespace {

[[noreturn]] void finish(ThreadContext& thread) {
  // The C library leaves the thread-local variables of `main` to `exit`, should that be the one
  // who calls it.
  const bool is_main = &thread == &thread.rank().threads.front();
  if (!is_main) call_all(thread.exit_handlers);
  call_key_destructors(thread);
  thread.has_ended = true;
  // When `main` has left by pthread_exit, the process goes on until its last thread ends.
  const auto& threads = thread.rank().threads;
  const bool is_last =
      threads.front().has_ended && std::ranges::all_of(threads, [](const ThreadContext& other) {
        return other.has_ended || other.is_helper;
      });
  if (is_last) exit_rank(0, 0);
  guarded_runtime().thread_end();
  __builtin_unreachable();
}

/// Others may come to frames of the program that are over.  What the host leaves on the stack when
/// the thread waits for its end, or has ended, lies above them.  In all runs, also where nobody
/// keeps such frames: a run that is done again has its variables where they were.
[[gnu::noinline]] void* call_apart(ThreadContext& thread) {
  std::array<std::byte, 4096> frames_of_host;
  __asm__ volatile("" : : "r"(frames_of_host.data()) : "memory");
  void* const result = call_at_line(thread.function, thread.argument, thread.stack_line);
  __asm__ volatile("" : : "r"(frames_of_host.data()) : "memory");
  return result;
}

/// The first frame of a thread's own; `pthread_exit` comes back here.
[[noreturn]] void run_thread(ThreadContext& thread) {
  auto* const machine = detail::Machine::current();
  if (machine != nullptr && machine->has_running())
    machine->running().stack_line = &thread.stack_line;
  thread.first_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // What it throws and nobody catches ends in `std::terminate`, with its stack as it was.
  if (__builtin_setjmp(thread.start) == 0) thread.result = call_apart(thread);
  finish(*running().thread);
}

void* call_main(void* argument) {
  RankContext& rank = *static_cast<RankContext*>(argument);
  ProgramCopy& copy = rank.copy();
  const auto place = reinterpret_cast<std::uintptr_t>(copy.main()) + 1;
  {
    const HostScope ours;
    rank.start_memory.begin(rank.arguments(), environ);
  }
  copy.call_constructors(rank.argument_count(), rank.arguments(), environ);
  const int status = call_at_line(copy.main(), rank.argument_count(), rank.arguments(), environ,
                                  &rank.threads.front().stack_line);
  exit_rank(status, place);
}

void* call_helper(void* argument) {
  running().thread->helper_body(argument);
  return nullptr;
}

/// The function that a reader would name the thread after.  What std::thread starts is a function
/// of the library; its argument, an object with a virtual function that calls the program's, holds
/// the program's where that is known by a pointer.
std::uintptr_t named_after(const RankContext& rank, void* (*function)(void*), void* argument) {
  const auto start = reinterpret_cast<std::uintptr_t>(function);
  const ProgramCopy& copy = rank.copy();
  if (copy.is_code(reinterpret_cast<const void*>(start)) || argument == nullptr) return start;
  auto* const words = static_cast<void**>(argument);
  if (!copy.contains(words[0])) return start;
  constexpr std::size_t words_max = 6;
  for (std::size_t i = 1; i < words_max; ++i) {
    if (copy.is_code(words[i])) return reinterpret_cast<std::uintptr_t>(words[i]);
  }
  constexpr std::size_t run_slot = 2;  // after two destructors
  return reinterpret_cast<std::uintptr_t>(static_cast<void**>(words[0])[run_slot]);
}

// --- leaving ----------------------------------------------------------------------------------

/// Where the frame above `buffer` begins: the buffer lies in the frame that it belongs to.
bool is_left(const CleanupFrame* buffer, _Unwind_Context* context) {
  return reinterpret_cast<std::uintptr_t>(buffer) < _Unwind_GetCFA(context);
}

/// Asked before each frame is left.
_Unwind_Reason_Code stop_at(int, _Unwind_Action actions, _Unwind_Exception_Class,
                            _Unwind_Exception*, _Unwind_Context* context, void* argument) {
  auto& thread = *static_cast<ThreadContext*>(argument);
  const bool is_done =
      (actions & _UA_END_OF_STACK) != 0 || _Unwind_GetCFA(context) >= thread.first_frame;
  CleanupFrame* const frame = thread.cleanup_frames;
  if (frame != nullptr && (is_done || is_left(frame, context))) {
    // C code that waits in a setjmp for this; it comes back by __pthread_unwind_next.
    thread.cleanup_frames = static_cast<CleanupFrame*>(frame->__pad[0]);
    std::longjmp(reinterpret_cast<__jmp_buf_tag*>(&frame->__cancel_jmp_buf[0]), 1);
  }
  if (is_done) __builtin_longjmp(thread.start, 1);
  return _URC_NO_REASON;
}

/// A handler `catch (...)` has come to its end and has not thrown on what ends the thread.
void report_caught_end() {
  RankContext& user = *running().user;
  {
    const HostScope ours;
    user.last_words =
        "the end of a thread was caught (pthread_exit, or cancellation), "
        "and not thrown on: catch (...) must do that with `throw;`";
  }
  guarded_runtime().finding("crash", user.last_words.c_str(), 0);
}

}  // namespace

void begin_thread(void* argument) {
  asm volatile(".cfi_undefined rip");
  auto& thread = *static_cast<ThreadContext*>(argument);
  thread.rank().resume();
  put_in_place(thread);
  running().user = &thread.rank();
  running().thread = &thread;
  thread.number = guarded_runtime().current_thread();  // its starter may not have come back yet
  running().hooks->begin_thread();
  ComputingScope::begin();
  run_thread(thread);
}

void unwind_thread(ThreadContext& thread) {
  thread.end.exception_cleanup = [](_Unwind_Reason_Code, _Unwind_Exception*) {
    report_caught_end();
  };
  _Unwind_ForcedUnwind(&thread.end, stop_at, &thread);
  detail::ensure(false, "a thread's stack can be unwound to its start");
  __builtin_unreachable();
}

void leave_thread(void* result) {
  ThreadContext& thread = *running().thread;
  thread.result = result;
  thread.cancellation.is_enabled = false;
  thread.is_leaving = true;
  unwind_thread(thread);
}

void run_main(RankContext& rank) {
  rank.resume();
  if (rank.threads.empty()) rank.threads.emplace_back(rank, pthread_t{1});
  ThreadContext* const thread = &rank.threads.front();
  auto* const machine = detail::Machine::current();
  if (machine != nullptr && machine->has_running()) thread->number = machine->running().id.value;
  thread->function = call_main;
  thread->argument = &rank;
  put_in_place(*thread);
  running().user = &rank;
  running().thread = thread;
  thread->show_as(shown_handle(*thread));
  ComputingScope::begin();
  run_thread(*thread);
}

ThreadContext& start_thread(void* (*function)(void*), void* argument, bool is_detached,
                            std::uintptr_t program_counter) {
  RankContext& rank = *running().user;
  running().hooks->make_thread();
  ThreadContext* thread = nullptr;
  {
    const HostScope ours;
    thread = &rank.threads.emplace_back(rank, pthread_t{rank.threads.size() + 1});
    thread->start_as_next_of(*running().thread);
  }
  thread->show_as(shown_handle(*thread));
  begin_arena(*thread);
  thread->function = function;
  thread->argument = argument;
  thread->is_detached = is_detached;
  if (auto* const signals = ProgramSignals::known()) signals->inherit(thread->handle());
  thread->number = guarded_runtime().thread_start(
      begin_thread, thread, named_after(rank, function, argument), program_counter);
  if (is_detached) guarded_runtime().thread_detach(thread->number);
  return *thread;
}

ThreadContext& make_helper(OrreryThreadBody body, void* argument) {
  RankContext& rank = *running().user;
  running().hooks->make_thread();
  const HostScope ours;
  ThreadContext& thread = rank.threads.emplace_back(rank, pthread_t{rank.threads.size() + 1});
  thread.function = call_helper;
  thread.argument = argument;
  thread.helper_body = body;
  thread.is_helper = thread.is_detached = true;
  return thread;
}

// Of real threads handles are used again, and a replay may have several at a time that had the same
// one.  There, an older one had been joined before a younger one began: so whoever asks means
// itself; or the youngest that it has started; or it is about to join the oldest.
ThreadContext* find_thread(pthread_t handle) {
  auto& threads = running().user->threads;
  ThreadContext* const self = running().thread;
  if (handle == 0) return nullptr;
  if (handle <= threads.size() && threads[handle - 1].shown_handle() == handle) {
    return numbered_thread(handle);
  }
  if (self->shown_handle() == handle) return self;
  ThreadContext* own = nullptr;
  ThreadContext* others = nullptr;
  for (ThreadContext& one : threads) {
    if (one.shown_handle() != handle || numbered_thread(one.handle()) == nullptr) continue;
    if (one.starter() == self) own = &one;
    if (others == nullptr || others->is_detached) others = &one;
  }
  return own != nullptr ? own : others;
}

ThreadContext* numbered_thread(pthread_t number) {
  auto& threads = running().user->threads;
  if (number == 0 || number > threads.size()) return nullptr;
  ThreadContext& thread = threads[number - 1];
  return thread.is_joined || (thread.is_detached && thread.has_ended) ? nullptr : &thread;
}

int join_thread(pthread_t handle, void** result, std::int64_t deadline,
                std::uintptr_t program_counter) {
  ThreadContext* const thread = find_thread(handle);
  if (thread == nullptr) return ESRCH;
  if (thread->is_detached) return EINVAL;
  if (thread == running().thread) return EDEADLK;
  const int error = guarded_runtime().thread_join(thread->number, deadline, program_counter);
  if (error != 0) return error;
  thread->is_joined = true;
  running().hooks->join_thread();
  if (result != nullptr) *result = thread->result;
  return 0;
}

std::uint32_t mutex_flags(const pthread_mutex_t& mutex, std::uintptr_t program_counter) {
  ComputingScope::charge_ahead(program_counter);
  constexpr int robust_bit = 16;
  std::uint32_t flags = mutex.__data.__lock != 0 ? std::uint32_t{ORRERY_MUTEX_MARKED} : 0U;
  const int kind = mutex.__data.__kind;
  if ((kind & kind_bits) == PTHREAD_MUTEX_RECURSIVE) flags |= ORRERY_MUTEX_RECURSIVE;
  if ((kind & kind_bits) == PTHREAD_MUTEX_ERRORCHECK) flags |= ORRERY_MUTEX_CHECKED;
  if ((kind & robust_bit) != 0) flags |= ORRERY_MUTEX_ROBUST;
  return flags;
}

}  // namespace orrery::host
