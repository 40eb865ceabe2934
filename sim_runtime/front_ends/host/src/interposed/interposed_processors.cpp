// What a program is told of the machine's cores and memory: the same on every machine, so that a
// run does not depend on where it is made.
#include <algorithm>
#include <cerrno>

#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "files/told_answers.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_identity.hpp"
#include "ranks/rank_context.hpp"
#include "ranks/threads.hpp"

using orrery::host::answered;
using orrery::host::find_thread;
using orrery::host::original;
using orrery::host::processor_count;
using orrery::host::running;

namespace {

constexpr long simulated_memory_bytes = 8L << 30U;

long simulated_pages() {
  return simulated_memory_bytes / getpagesize();
}

long own_limit(int name) {
  switch (name) {
    case _SC_NPROCESSORS_ONLN:
    case _SC_NPROCESSORS_CONF: return processor_count();
    case _SC_PHYS_PAGES:
    case _SC_AVPHYS_PAGES: return simulated_pages();
    default: return original<&sysconf>("sysconf")(name);
  }
}

}  // namespace

extern "C" {

extern const char orrery_interposed_processors;
const char orrery_interposed_processors = 0;

long sysconf(int name) noexcept {
  if (running().user == nullptr) return original<&sysconf>("sysconf")(name);
  return answered(own_limit(name));
}

int get_nprocs() noexcept {
  return running().user == nullptr ? original<&get_nprocs>("get_nprocs")() : processor_count();
}

int get_nprocs_conf() noexcept {
  if (running().user != nullptr) return answered(processor_count());
  return original<&get_nprocs_conf>("get_nprocs_conf")();
}

long get_phys_pages() noexcept {
  if (running().user != nullptr) return answered(simulated_pages());
  return original<&get_phys_pages>("get_phys_pages")();
}

long get_avphys_pages() noexcept {
  if (running().user != nullptr) return answered(simulated_pages());
  return original<&get_avphys_pages>("get_avphys_pages")();
}

int getloadavg(double* loads, int count) noexcept {
  if (running().user == nullptr) return original<&getloadavg>("getloadavg")(loads, count);
  constexpr int loads_max = 3;
  const int found = std::clamp(count, 0, loads_max);
  std::fill_n(loads, found, 0.0);
  return answered(found, {{loads, static_cast<std::size_t>(found) * sizeof *loads}});
}

int sched_getcpu() noexcept {
  return running().user == nullptr ? original<&sched_getcpu>("sched_getcpu")() : answered(0);
}

int getcpu(unsigned* core, unsigned* node) noexcept {
  if (running().user == nullptr) return original<&getcpu>("getcpu")(core, node);
  if (core != nullptr) *core = 0;
  if (node != nullptr) *node = 0;
  return answered(0, {{core, sizeof *core}, {node, sizeof *node}});
}

// --- wishes: which core a thread runs on, and how urgent it is, means nothing here -------------

int sched_getaffinity(pid_t task, size_t size, cpu_set_t* cores) noexcept {
  if (running().user == nullptr) {
    return original<&sched_getaffinity>("sched_getaffinity")(task, size, cores);
  }
  const int error = pthread_getaffinity_np(pthread_self(), size, cores);
  return answered(error, {{cores, size}});
}

int sysinfo(struct sysinfo* result) noexcept {
  if (running().user == nullptr) return original<&sysinfo>("sysinfo")(result);
  *result = {};
  result->totalram = static_cast<unsigned long>(simulated_memory_bytes);
  result->freeram = result->totalram;
  result->procs = 1;
  result->mem_unit = 1;
  return answered(0, result);
}

int sched_setaffinity(pid_t task, size_t size, const cpu_set_t* cores) noexcept {
  if (running().user != nullptr) return 0;
  return original<&sched_setaffinity>("sched_setaffinity")(task, size, cores);
}

int sched_getscheduler(pid_t task) noexcept {
  if (running().user != nullptr) return SCHED_OTHER;
  return original<&sched_getscheduler>("sched_getscheduler")(task);
}

int sched_setscheduler(pid_t task, int policy, const sched_param* parameters) noexcept {
  if (running().user != nullptr) return 0;
  return original<&sched_setscheduler>("sched_setscheduler")(task, policy, parameters);
}

int sched_getparam(pid_t task, sched_param* parameters) noexcept {
  if (running().user == nullptr) {
    return original<&sched_getparam>("sched_getparam")(task, parameters);
  }
  *parameters = {};
  return 0;
}

int sched_setparam(pid_t task, const sched_param* parameters) noexcept {
  if (running().user != nullptr) return 0;
  return original<&sched_setparam>("sched_setparam")(task, parameters);
}

int pthread_setschedprio(pthread_t handle, int priority) noexcept {
  if (running().user != nullptr) return find_thread(handle) != nullptr ? 0 : ESRCH;
  return original<&pthread_setschedprio>("pthread_setschedprio")(handle, priority);
}

int pthread_getcpuclockid(pthread_t handle, clockid_t* clock) noexcept {
  if (running().user == nullptr) {
    return original<&pthread_getcpuclockid>("pthread_getcpuclockid")(handle, clock);
  }
  const bool is_there = find_thread(handle) != nullptr;
  if (is_there) *clock = CLOCK_THREAD_CPUTIME_ID;
  return answered(is_there ? 0 : ESRCH, clock);
}

int clock_getcpuclockid(pid_t process, clockid_t* clock) noexcept {
  if (running().user == nullptr) {
    return original<&clock_getcpuclockid>("clock_getcpuclockid")(process, clock);
  }
  *clock = CLOCK_PROCESS_CPUTIME_ID;
  return answered(0, clock);
}
}
