// Calls that a simulated program cannot make: they start processes, or wait for something that
// the machine knows nothing of.  Each is refused by name, with what to do instead.
#include <algorithm>
#include <array>
#include <string>

#include <dlfcn.h>
#include <sys/syscall.h>

#include <orrery/network_model/usage_error.hpp>

#include "machine.hpp"
#include "ranks/rank_context.hpp"
#include "refused_call.hpp"

// The table.  The functions have nothing in common but their way in: so one entry serves them all,
// which keeps the arguments for the real one, should it not be a simulated program that calls.
asm(R"(
.macro refused name, problem, hint
.pushsection .rodata.orrery_refused, "a", @progbits
.Lname_\name: .asciz "\name"
.Lproblem_\name: .asciz "\problem"
.Lhint_\name: .asciz "\hint"
.popsection
.globl \name
.type \name, @function
\name:
.cfi_startproc
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  push %rdx
  .cfi_adjust_cfa_offset 8
  push %rcx
  .cfi_adjust_cfa_offset 8
  push %r8
  .cfi_adjust_cfa_offset 8
  push %r9
  .cfi_adjust_cfa_offset 8
  push %rax
  .cfi_adjust_cfa_offset 8
  lea .Lname_\name(%rip), %rdi
  lea .Lproblem_\name(%rip), %rsi
  lea .Lhint_\name(%rip), %rdx
  call orrery_refuse_in_program
  mov %rax, %r11
  pop %rax
  .cfi_adjust_cfa_offset -8
  pop %r9
  .cfi_adjust_cfa_offset -8
  pop %r8
  .cfi_adjust_cfa_offset -8
  pop %rcx
  .cfi_adjust_cfa_offset -8
  pop %rdx
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%r11
.cfi_endproc
.size \name, . - \name
.endm

.macro starts_a_process name
refused \name, "starts a process, which the simulated machine does not do", "start it before or after the run, or leave this part out of what is tested"
.endm
.macro uses_the_network name
refused \name, "talks to the world outside of the simulated machine, which has no part in a run", "use a socketpair or a pipe between threads of the program, or put the other end into it"
.endm
.macro waits_outside name
refused \name, "would wait for something that the simulated machine does not see", "use what threads wait with: a condition variable, a semaphore, poll or epoll on a pipe or an eventfd"
.endm
.macro has_helpers name
refused \name, "has threads of the C library do the work, which the simulated machine does not see", "use a thread of the program that reads or writes"
.endm
.macro looks_into_processes name
refused \name, "looks into processes of the system, among which the simulated one is not", "leave this part out of what is tested"
.endm
.macro makes_a_timer name
refused \name, "makes a timer of the system's, whose time has no part in a run", "use a timerfd, or a thread that sleeps: both go by virtual time"
.endm
.macro moves_unseen name
refused \name, "moves bytes past the simulated machine", "use what pipes are read and written with: read, write, or sendfile from a file"
.endm
.macro not_in_openmp name
refused \name, "is a part of OpenMP that the simulated machine does not have", "say the same by other directives: parallel, for, sections, single, critical, task"
.endm

.macro of_clangs_openmp name
refused \name, "is a call of OpenMP as clang compiles it, which the simulated machine does not have", "build it with gcc: orrery cc takes it by itself, or from ORRERY_CC=gcc and ORRERY_CXX=g++"
.endm

.pushsection .text
starts_a_process fork
starts_a_process vfork
starts_a_process _Fork
starts_a_process execve
starts_a_process execv
starts_a_process execvp
starts_a_process execvpe
starts_a_process execl
starts_a_process execlp
starts_a_process execle
starts_a_process fexecve
starts_a_process execveat
starts_a_process posix_spawn
starts_a_process posix_spawnp
starts_a_process system
starts_a_process popen
starts_a_process daemon
starts_a_process forkpty
starts_a_process clone
uses_the_network socket
uses_the_network accept
uses_the_network accept4
uses_the_network connect
uses_the_network getaddrinfo
uses_the_network gethostbyname
waits_outside semop
waits_outside semtimedop
waits_outside msgrcv
waits_outside msgsnd
waits_outside mq_receive
waits_outside mq_timedreceive
waits_outside mq_send
waits_outside mq_timedsend
waits_outside signalfd
waits_outside inotify_init
waits_outside inotify_init1
waits_outside fanotify_init
has_helpers aio_read
has_helpers aio_read64
has_helpers aio_write
has_helpers aio_write64
has_helpers aio_fsync
has_helpers aio_fsync64
has_helpers lio_listio
has_helpers lio_listio64
has_helpers getaddrinfo_a
looks_into_processes ptrace
makes_a_timer timer_create
moves_unseen splice
moves_unseen tee
moves_unseen vmsplice
not_in_openmp GOMP_parallel_start
not_in_openmp GOMP_parallel_end
not_in_openmp GOMP_parallel_loop_static_start
not_in_openmp GOMP_parallel_loop_dynamic_start
not_in_openmp GOMP_parallel_loop_guided_start
not_in_openmp GOMP_parallel_loop_runtime_start
not_in_openmp GOMP_parallel_sections_start
not_in_openmp GOMP_target
not_in_openmp GOMP_target_ext
not_in_openmp GOMP_target_data
not_in_openmp GOMP_target_data_ext
not_in_openmp GOMP_target_enter_exit_data
not_in_openmp GOMP_teams
not_in_openmp GOMP_teams4
not_in_openmp omp_fulfill_event
of_clangs_openmp __kmpc_fork_call
of_clangs_openmp __kmpc_fork_teams
of_clangs_openmp __kmpc_global_thread_num
of_clangs_openmp __kmpc_push_num_threads
of_clangs_openmp __kmpc_serialized_parallel
of_clangs_openmp __kmpc_barrier
of_clangs_openmp __kmpc_critical
of_clangs_openmp __kmpc_critical_with_hint
of_clangs_openmp __kmpc_single
of_clangs_openmp __kmpc_master
of_clangs_openmp __kmpc_masked
of_clangs_openmp __kmpc_omp_task_alloc
of_clangs_openmp __kmpc_omp_taskwait
of_clangs_openmp __kmpc_taskgroup
of_clangs_openmp __kmpc_for_static_init_4
of_clangs_openmp __kmpc_for_static_init_4u
of_clangs_openmp __kmpc_for_static_init_8
of_clangs_openmp __kmpc_for_static_init_8u
of_clangs_openmp __kmpc_dispatch_init_4
of_clangs_openmp __kmpc_dispatch_init_4u
of_clangs_openmp __kmpc_dispatch_init_8
of_clangs_openmp __kmpc_dispatch_init_8u
.popsection
)");

namespace {

std::string line_of_call(orrery::detail::Machine& machine) {
  const auto stack = machine.own_stack();
  if (stack.empty()) return machine.task(machine.running().id);
  const orrery::SourceFrame& call = stack.front();
  if (call.file.empty()) return call.function;
  return call.file + ":" + std::to_string(call.line) + " in " + call.function;
}

}  // namespace

namespace orrery::host {

void refuse_call(const std::string& problem, const std::string& hint) {
  if (running().user == nullptr) return;
  std::string place;
  {
    const RuntimeGuard guard;
    place = line_of_call(*detail::Machine::current());
  }
  guarded_runtime().usage_error(problem.c_str(), place.c_str(), hint.c_str());
}

void refuse_system_call(long number) {
  struct Refused {
    long number;
    const char* name;
  };
  // Those that programs are known to make by number.
  constexpr std::array refused = {
      Refused{SYS_clone, "SYS_clone"},
      Refused{SYS_clone3, "SYS_clone3"},
      Refused{SYS_fork, "SYS_fork"},
      Refused{SYS_vfork, "SYS_vfork"},
      Refused{SYS_execve, "SYS_execve"},
      Refused{SYS_execveat, "SYS_execveat"},
      Refused{SYS_exit, "SYS_exit"},
      Refused{SYS_socket, "SYS_socket"},
      Refused{SYS_epoll_wait, "SYS_epoll_wait"},
      Refused{SYS_epoll_pwait, "SYS_epoll_pwait"},
      Refused{SYS_poll, "SYS_poll"},
      Refused{SYS_ppoll, "SYS_ppoll"},
      Refused{SYS_select, "SYS_select"},
      Refused{SYS_pselect6, "SYS_pselect6"},
      Refused{SYS_pause, "SYS_pause"},
      Refused{SYS_rt_sigtimedwait, "SYS_rt_sigtimedwait"},
      Refused{SYS_rt_sigsuspend, "SYS_rt_sigsuspend"},
      Refused{SYS_rt_sigaction, "SYS_rt_sigaction"},
      Refused{SYS_rt_sigprocmask, "SYS_rt_sigprocmask"},
      Refused{SYS_wait4, "SYS_wait4"},
      Refused{SYS_waitid, "SYS_waitid"},
      Refused{SYS_msgrcv, "SYS_msgrcv"},
      Refused{SYS_semop, "SYS_semop"},
      Refused{SYS_semtimedop, "SYS_semtimedop"},
      Refused{SYS_pipe, "SYS_pipe"},
      Refused{SYS_pipe2, "SYS_pipe2"},
      Refused{SYS_eventfd2, "SYS_eventfd2"},
      Refused{SYS_io_uring_enter, "SYS_io_uring_enter"},
  };
  const auto known = std::ranges::find(refused, number, &Refused::number);
  const std::string name = known != refused.end() ? known->name : std::to_string(number);
  refuse_call("syscall(" + name + ") leaves the simulated machine",
              "use what the C library has for it, such as pthread_create");
}

}  // namespace orrery::host

extern "C" {

extern const char orrery_interposed_refused;
const char orrery_interposed_refused = 0;

/// Returns only where no simulated program calls: the real function.
void* orrery_refuse_in_program(const char* name, const char* problem, const char* hint) {
  orrery::host::refuse_call(std::string(name) + "() " + problem, hint);
  return dlsym(RTLD_NEXT, name);
}
}
