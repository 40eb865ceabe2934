// What a program learns of its machine, of what it has used of that, and of other processes.
#include <cstdlib>

#include <sched.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "answers.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

// --- the machine --------------------------------------------------------------------------------

ORRERY_RECORDED int sysinfo(struct sysinfo* result) noexcept {
  static constinit NextFunction<int (*)(struct sysinfo*)> real_one;
  return answered(__builtin_return_address(0), real_one.by_name("sysinfo")(result), result);
}

ORRERY_RECORDED int getloadavg(double* loads, int count) noexcept {
  const int found = next<&::getloadavg>("getloadavg")(loads, count);
  const std::size_t bytes = found < 0 ? 0 : static_cast<std::size_t>(found) * sizeof *loads;
  return answered(__builtin_return_address(0), found, {{loads, bytes}});
}

ORRERY_RECORDED long get_phys_pages() noexcept {
  return answered(__builtin_return_address(0), next<&::get_phys_pages>("get_phys_pages")());
}

ORRERY_RECORDED long get_avphys_pages() noexcept {
  return answered(__builtin_return_address(0), next<&::get_avphys_pages>("get_avphys_pages")());
}

ORRERY_RECORDED int get_nprocs_conf() noexcept {
  return answered(__builtin_return_address(0), next<&::get_nprocs_conf>("get_nprocs_conf")());
}

ORRERY_RECORDED int sched_getcpu() noexcept {
  return answered(__builtin_return_address(0), next<&::sched_getcpu>("sched_getcpu")());
}

ORRERY_RECORDED int getcpu(unsigned* core, unsigned* node) noexcept {
  const int error = next<&::getcpu>("getcpu")(core, node);
  return answered(__builtin_return_address(0), error, {{core, sizeof *core}, {node, sizeof *node}});
}

ORRERY_RECORDED int getrlimit(__rlimit_resource_t resource, rlimit* limit) noexcept {
  const int error = next<&::getrlimit>("getrlimit")(resource, limit);
  return answered(__builtin_return_address(0), error, limit);
}

ORRERY_RECORDED int getrlimit64(__rlimit_resource_t resource, rlimit64* limit) noexcept {
  const int error = next<&::getrlimit64>("getrlimit64")(resource, limit);
  return answered(__builtin_return_address(0), error, limit);
}

// --- processes ----------------------------------------------------------------------------------

ORRERY_RECORDED pid_t getppid() noexcept {
  return answered(__builtin_return_address(0), next<&::getppid>("getppid")());
}

ORRERY_RECORDED pid_t getpgrp() noexcept {
  return answered(__builtin_return_address(0), next<&::getpgrp>("getpgrp")());
}

ORRERY_RECORDED pid_t getpgid(pid_t process) noexcept {
  return answered(__builtin_return_address(0), next<&::getpgid>("getpgid")(process));
}

ORRERY_RECORDED pid_t getsid(pid_t process) noexcept {
  return answered(__builtin_return_address(0), next<&::getsid>("getsid")(process));
}

/// The bytes of chance that the system gives to a process when it begins; the rest is the
/// machine's.
ORRERY_RECORDED unsigned long getauxval(unsigned long type) noexcept {
  constexpr std::size_t random_bytes = 16;
  const unsigned long value = next<&::getauxval>("getauxval")(type);
  if (type != AT_RANDOM || value == 0) return value;
  answered(__builtin_return_address(0), 0,
           {{reinterpret_cast<const void*>(value), random_bytes}});  // NOLINT: an address
  return value;
}
