// What a process knows of itself: numbers, limits, the time that it has used.
#include <cerrno>
#include <csignal>
#include <cstdarg>

#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <unistd.h>

#include "caller.hpp"
#include "files/told_answers.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_clock.hpp"
#include "ranks/program_identity.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::host::answered;
using orrery::host::date_of;
using orrery::host::nanoseconds_per_microsecond;
using orrery::host::nanoseconds_per_second;
using orrery::host::now_ns;
using orrery::host::original;
using orrery::host::parent_number;
using orrery::host::process_number;
using orrery::host::running;

namespace {

constexpr rlim_t open_files_max = 1024;

int refuse(int error) {
  errno = error;
  return -1;
}

bool is_own(id_t process) {
  return process == 0 || process == static_cast<id_t>(process_number());
}

clock_t ticks_of(const timespec& date) {
  constexpr std::int64_t ticks_per_second = 100;
  return date.tv_sec * ticks_per_second +
         date.tv_nsec / (nanoseconds_per_second / ticks_per_second);
}

timeval used_time(std::uintptr_t program_counter) {
  const std::int64_t now = now_ns(orrery::ClockKind::processor, program_counter);
  return {now / nanoseconds_per_second, now % nanoseconds_per_second / nanoseconds_per_microsecond};
}

/// The same on every machine.
rlimit limit_of(int resource) {
  switch (resource) {
    case RLIMIT_NOFILE: return {open_files_max, open_files_max};
    case RLIMIT_STACK: {
      void* bottom = nullptr;
      std::size_t bytes = 0;
      orrery::host::guarded_runtime().thread_stack(running().thread->number, &bottom, &bytes);
      return {bytes, RLIM_INFINITY};
    }
    case RLIMIT_CORE: return {0, RLIM_INFINITY};
    default: return {RLIM_INFINITY, RLIM_INFINITY};
  }
}

/// Names are the threads'; what else a process may say of itself changes nothing here.
int control(int option, unsigned long argument) {
  char* const name = reinterpret_cast<char*>(argument);
  constexpr std::size_t name_bytes = 16;
  const OrreryThread thread = running().thread->number;
  switch (option) {
    case PR_SET_NAME: {
      char cut[name_bytes] = {};
      for (std::size_t i = 0; i + 1 < name_bytes && name[i] != '\0'; ++i) cut[i] = name[i];
      orrery::host::guarded_runtime().thread_name(thread, cut);
      return 0;
    }
    case PR_GET_NAME:
      orrery::host::guarded_runtime().thread_get_name(thread, name, name_bytes);
      return 0;
    case PR_SET_PDEATHSIG:
    case PR_SET_DUMPABLE:
    case PR_SET_TIMERSLACK:
    case PR_SET_NO_NEW_PRIVS:
    case PR_SET_THP_DISABLE: return 0;
    default: return refuse(EINVAL);
  }
}

/// The bytes that the system would have given to the process when it began: the same in each run,
/// whatever this process has.
void* own_chance() {
  auto& bytes = running().user->start_memory.chance();
  bytes.fill(0x5a);
  answered(0, {{bytes.data(), bytes.size()}});
  return bytes.data();
}

}  // namespace

extern "C" {

extern const char orrery_interposed_process;
const char orrery_interposed_process = 0;

// --- numbers ----------------------------------------------------------------------------------

pid_t getpid() noexcept {
  return running().user == nullptr ? original<&getpid>("getpid")() : process_number();
}

pid_t gettid() noexcept {
  if (running().user == nullptr) return original<&gettid>("gettid")();
  return orrery::host::system_number(*running().thread);
}

pid_t getppid() noexcept {
  return running().user == nullptr ? original<&getppid>("getppid")() : answered(parent_number());
}

pid_t getpgrp() noexcept {
  return running().user == nullptr ? original<&getpgrp>("getpgrp")() : answered(process_number());
}

pid_t getpgid(pid_t process) noexcept {
  if (running().user == nullptr) return original<&getpgid>("getpgid")(process);
  return answered(is_own(static_cast<id_t>(process)) ? process_number() : refuse(ESRCH));
}

pid_t getsid(pid_t process) noexcept {
  if (running().user == nullptr) return original<&getsid>("getsid")(process);
  return answered(is_own(static_cast<id_t>(process)) ? parent_number() : refuse(ESRCH));
}

// It leads a group of its own from the start.
int setpgid(pid_t process, pid_t group) noexcept {
  if (running().user == nullptr) return original<&setpgid>("setpgid")(process, group);
  return is_own(static_cast<id_t>(process)) && is_own(static_cast<id_t>(group)) ? 0 : refuse(EPERM);
}

pid_t setsid() noexcept {
  return running().user == nullptr ? original<&setsid>("setsid")() : refuse(EPERM);
}

int prctl(int option, ...) noexcept {
  std::va_list rest;
  va_start(rest, option);
  unsigned long arguments[4];
  for (unsigned long& argument : arguments) argument = va_arg(rest, unsigned long);
  va_end(rest);
  if (running().user != nullptr) return control(option, arguments[0]);
  return original<&prctl>("prctl")(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

unsigned long getauxval(unsigned long type) noexcept {
  const unsigned long value = original<&getauxval>("getauxval")(type);
  if (running().user == nullptr || type != AT_RANDOM) return value;
  return reinterpret_cast<unsigned long>(own_chance());
}

// --- what it has used and may use -------------------------------------------------------------

clock_t times(tms* used) noexcept {
  if (running().user == nullptr) return original<&times>("times")(used);
  const timespec processor = date_of(CLOCK_PROCESS_CPUTIME_ID, ORRERY_CALLER);
  if (used != nullptr) *used = {ticks_of(processor), 0, 0, 0};
  return ticks_of(date_of(CLOCK_MONOTONIC, ORRERY_CALLER));
}

int getrusage(__rusage_who_t who, rusage* used) noexcept {
  if (running().user == nullptr) return original<&getrusage>("getrusage")(who, used);
  *used = {};
  if (who != RUSAGE_CHILDREN) used->ru_utime = used_time(ORRERY_CALLER);
  return answered(0, used);
}

int getrlimit(__rlimit_resource_t resource, rlimit* limit) noexcept {
  if (running().user == nullptr) return original<&getrlimit>("getrlimit")(resource, limit);
  *limit = limit_of(resource);
  return answered(0, limit);
}

int getrlimit64(__rlimit_resource_t resource, rlimit64* limit) noexcept {
  if (running().user == nullptr) return original<&getrlimit64>("getrlimit64")(resource, limit);
  const rlimit found = limit_of(resource);
  *limit = {found.rlim_cur, found.rlim_max};
  return answered(0, limit);
}

// The process's limits are the host's own: a wish is accepted, and changes nothing.
int setrlimit(__rlimit_resource_t resource, const rlimit* limit) noexcept {
  return running().user == nullptr ? original<&setrlimit>("setrlimit")(resource, limit) : 0;
}

int setrlimit64(__rlimit_resource_t resource, const rlimit64* limit) noexcept {
  return running().user == nullptr ? original<&setrlimit64>("setrlimit64")(resource, limit) : 0;
}

int prlimit(pid_t process, __rlimit_resource resource, const rlimit* limit,
            rlimit* before) noexcept {
  if (running().user == nullptr) {
    return original<&prlimit>("prlimit")(process, resource, limit, before);
  }
  if (!is_own(static_cast<id_t>(process))) return refuse(ESRCH);
  if (before != nullptr) *before = limit_of(resource);
  return 0;
}

int getpriority(__priority_which_t which, id_t who) noexcept {
  return running().user == nullptr ? original<&getpriority>("getpriority")(which, who) : 0;
}

int setpriority(__priority_which_t which, id_t who, int value) noexcept {
  return running().user == nullptr ? original<&setpriority>("setpriority")(which, who, value) : 0;
}

int nice(int less) noexcept {
  return running().user == nullptr ? original<&nice>("nice")(less) : 0;
}
}
