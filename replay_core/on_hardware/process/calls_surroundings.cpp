// The environment, the host, and the process itself.
#include <cstdlib>

#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "answers.hpp"
#include "input_notes.hpp"
#include "next_function.hpp"
#include "recorded_call.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;
using orrery::rank_spool::Use;

ORRERY_RECORDED char* getenv(const char* name) noexcept {
  if (is_watched(__builtin_return_address(0))) input_notes().variable(name);
  return next<&::getenv>("getenv")(name);
}

ORRERY_RECORDED char* secure_getenv(const char* name) noexcept {
  if (is_watched(__builtin_return_address(0))) input_notes().variable(name);
  return next<&::secure_getenv>("secure_getenv")(name);
}

ORRERY_RECORDED int gethostname(char* name, std::size_t bytes) noexcept {
  const int error = next<&::gethostname>("gethostname")(name, bytes);
  if (error == 0) note_host(__builtin_return_address(0), name);
  return error;
}

ORRERY_RECORDED int uname(utsname* result) noexcept {
  const int error = next<&::uname>("uname")(result);
  if (error == 0) note_host(__builtin_return_address(0), result->nodename);
  return answered(__builtin_return_address(0), error, result);
}

ORRERY_RECORDED pid_t getpid() noexcept {
  note_asked(__builtin_return_address(0), Use::process_number);
  return next<&::getpid>("getpid")();
}

// The first thread's is that of the process; those of others are kept anyway.
ORRERY_RECORDED pid_t gettid() noexcept {
  note_asked(__builtin_return_address(0), Use::process_number);
  return next<&::gettid>("gettid")();
}

ORRERY_RECORDED int get_nprocs() noexcept {
  note_asked(__builtin_return_address(0), Use::processor_count);
  return next<&::get_nprocs>("get_nprocs")();
}

ORRERY_RECORDED long sysconf(int name) noexcept {
  if (name == _SC_NPROCESSORS_ONLN) {
    note_asked(__builtin_return_address(0), Use::processor_count);
  }
  return answered(__builtin_return_address(0), next<&::sysconf>("sysconf")(name));
}

ORRERY_RECORDED int sched_getaffinity(pid_t task, size_t bytes, cpu_set_t* cores) noexcept {
  note_asked(__builtin_return_address(0), Use::own_processor_count);
  return answered(__builtin_return_address(0),
                  next<&::sched_getaffinity>("sched_getaffinity")(task, bytes, cores),
                  {{cores, bytes}});
}

ORRERY_RECORDED int pthread_getaffinity_np(pthread_t thread, size_t bytes,
                                           cpu_set_t* cores) noexcept {
  note_asked(__builtin_return_address(0), Use::own_processor_count);
  return next<&::pthread_getaffinity_np>("pthread_getaffinity_np")(thread, bytes, cores);
}

// The C++ library asks for the program.
ORRERY_RECORDED unsigned _ZNSt6thread20hardware_concurrencyEv() noexcept {
  note_asked(__builtin_return_address(0), Use::processor_count);
  return static_cast<unsigned>(next<&::get_nprocs>("get_nprocs")());
}
