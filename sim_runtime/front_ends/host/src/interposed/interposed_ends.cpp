// How a process ends: in a rank it is the rank that ends, never we.
#include <cstdio>
#include <cstdlib>
#include <typeinfo>

#include <cxxabi.h>
#include <fmt/format.h>

#include <orrery/program_host/taken_process.hpp>

#include "caller.hpp"
#include "programs/program_copy.hpp"
#include "programs/program_modules.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_signals.hpp"
#include "ranks/rank_context.hpp"

using orrery::host::end_rank;
using orrery::host::exit_rank;
using orrery::host::guarded_runtime;
using orrery::host::HostScope;
using orrery::host::is_in_common_module;
using orrery::host::next_function;
using orrery::host::program_modules;
using orrery::host::ProgramSignals;
using orrery::host::running;

namespace {

// What is said are the rank's last words: nothing on this stack is ever cleared away.
[[noreturn]] void report(const orrery::host::RankContext& user, const char* kind,
                         std::uintptr_t program_counter) {
  std::fflush(stdout);
  guarded_runtime().finding(kind, user.last_words.c_str(), program_counter);
  __builtin_unreachable();
}

// The rank whose handler it is.  What a library registers when a rank is the first to call it
// stays until the library goes, not until the rank does.
orrery::host::RankContext* owner_of(const void* object) {
  auto* const user = running().user;
  if (user == nullptr || user->copy().contains(object)) return user;
  if (orrery::taken_process() == nullptr) return nullptr;
  // There is one rank, which has the libraries to itself; ordinary executables name no object.
  const auto place = reinterpret_cast<std::uintptr_t>(object);
  return place == 0 || program_modules.came_with_program(place) ? user : nullptr;
}

}  // namespace

extern "C" {

// Linking the host pulls in this file, and with it the others.
extern const char orrery_interposed_refused;
extern const char orrery_interposed_jumps;
extern const char orrery_interposed_signals;
extern const char orrery_interposed_messages;
extern const char orrery_interposed_openmp_regions;
extern const char orrery_interposed_openmp_loops;
extern const char orrery_interposed_openmp_tasks;
extern const char orrery_interposed_openmp_queries;
extern const char orrery_interposed_openmp_locks;
extern const char orrery_interposed_openmp_doacross;
extern const char orrery_interposed_time;
extern const char orrery_interposed_state;
extern const char orrery_interposed_memory;
extern const char orrery_interposed_descriptors;
extern const char orrery_interposed_file_systems;
extern const char orrery_interposed_paths;
extern const char orrery_interposed_streams;
extern const char orrery_interposed_directories;
extern const char orrery_interposed_environment;
extern const char orrery_interposed_options;
extern const char orrery_interposed_host_name;
extern const char orrery_interposed_random;
extern const char orrery_interposed_pipes;
extern const char orrery_interposed_epoll;
extern const char orrery_interposed_heap_statistics;
extern const char orrery_interposed_mappings;
extern const char orrery_interposed_loading;
extern const char orrery_interposed_tbb;
extern const char orrery_interposed_strings;
extern const char orrery_interposed_threads;
extern const char orrery_interposed_cancellation;
extern const char orrery_interposed_keys;
extern const char orrery_interposed_mutexes;
extern const char orrery_interposed_conditions;
extern const char orrery_interposed_rw_locks;
extern const char orrery_interposed_semaphores;
extern const char orrery_interposed_process;
extern const char orrery_interposed_processors;
extern const char orrery_interposed_system_calls;
extern const char orrery_interposed_c11;
extern const char orrery_thread_locals;
extern const char* const orrery_interposed_functions[];
const char* const orrery_interposed_functions[] = {
    &orrery_interposed_refused,
    &orrery_interposed_time,
    &orrery_interposed_state,
    &orrery_interposed_memory,
    &orrery_interposed_heap_statistics,
    &orrery_interposed_mappings,
    &orrery_interposed_loading,
    &orrery_interposed_tbb,
    &orrery_interposed_strings,
    &orrery_interposed_threads,
    &orrery_interposed_cancellation,
    &orrery_interposed_keys,
    &orrery_interposed_mutexes,
    &orrery_interposed_conditions,
    &orrery_interposed_rw_locks,
    &orrery_interposed_semaphores,
    &orrery_interposed_process,
    &orrery_interposed_processors,
    &orrery_interposed_system_calls,
    &orrery_interposed_c11,
    &orrery_thread_locals,
    &orrery_interposed_descriptors,
    &orrery_interposed_file_systems,
    &orrery_interposed_paths,
    &orrery_interposed_streams,
    &orrery_interposed_directories,
    &orrery_interposed_environment,
    &orrery_interposed_options,
    &orrery_interposed_host_name,
    &orrery_interposed_random,
    &orrery_interposed_pipes,
    &orrery_interposed_epoll,
    &orrery_interposed_jumps,
    &orrery_interposed_signals,
    &orrery_interposed_messages,
    &orrery_interposed_openmp_regions,
    &orrery_interposed_openmp_loops,
    &orrery_interposed_openmp_tasks,
    &orrery_interposed_openmp_queries,
    &orrery_interposed_openmp_locks,
    &orrery_interposed_openmp_doacross,
};

void exit(int status) noexcept {
  if (running().user != nullptr) exit_rank(status, ORRERY_CALLER);
  next_function<void (*)(int)>("exit")(status);
  __builtin_unreachable();
}

// Without handlers and without the text that is still buffered.
void _exit(int status) {
  if (running().user != nullptr) end_rank(status, ORRERY_CALLER);
  next_function<void (*)(int)>("_exit")(status);
  __builtin_unreachable();
}

void _Exit(int status) noexcept {
  if (running().user != nullptr) end_rank(status, ORRERY_CALLER);
  next_function<void (*)(int)>("_exit")(status);
  __builtin_unreachable();
}

void quick_exit(int status) noexcept {
  if (running().user != nullptr) end_rank(status, ORRERY_CALLER);
  next_function<void (*)(int)>("quick_exit")(status);
  __builtin_unreachable();
}

void abort() noexcept {
  if (auto* const user = running().user) {
    if (auto* const signals = ProgramSignals::known()) signals->handle_abort();
    {
      const HostScope ours;
      user->last_words = "abort() was called";
    }
    report(*user, "crash", ORRERY_CALLER);
  }
  next_function<void (*)()>("abort")();
  __builtin_unreachable();
}

void __assert_fail(const char* expression, const char* file, unsigned line,
                   const char* function) noexcept {
  if (auto* const user = running().user) {
    {
      const HostScope ours;
      user->last_words =
          fmt::format("assertion failed: {} ({}:{}, {})", expression, file, line, function);
    }
    report(*user, "assertion", ORRERY_CALLER);
  }
  next_function<void (*)(const char*, const char*, unsigned, const char*)>("__assert_fail")(
      expression, file, line, function);
  __builtin_unreachable();
}

int __cxa_atexit(void (*function)(void*), void* argument, void* object) noexcept {
  if (auto* const user = owner_of(object)) {
    const HostScope ours;
    user->exit_handlers.push_back({function, argument});
    return 0;
  }
  return next_function<int (*)(void (*)(void*), void*, void*)>("__cxa_atexit")(function, argument,
                                                                               object);
}

// Threads of a rank have their own variables of all libraries but those that it has in common with
// the host.
int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* object) noexcept {
  if (running().user != nullptr && !is_in_common_module(object)) {
    const HostScope ours;
    running().thread->exit_handlers.push_back({function, argument});
    return 0;
  }
  return next_function<int (*)(void (*)(void*), void*, void*)>("__cxa_thread_atexit_impl")(
      function, argument, object);
}
}

namespace __cxxabiv1 {
extern "C" void __cxa_throw(void* object, std::type_info* type, void (*destructor)(void*)) {
  // Should nobody catch it, the stack is gone by the time that we know.
  if (auto* const user = running().user) user->last_throw = ORRERY_CALLER;
  using Throw = void (*)(void*, std::type_info*, void (*)(void*));
  static const auto next = next_function<Throw>("__cxa_throw");
  next(object, type, destructor);
  __builtin_unreachable();
}
}  // namespace __cxxabiv1
