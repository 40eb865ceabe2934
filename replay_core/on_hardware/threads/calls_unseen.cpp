// Calls whose results no log holds, and that a simulated program cannot make: it is noted that
// there were some.
#include <algorithm>
#include <cstddef>
#include <string_view>

#include <dlfcn.h>
#include <sys/syscall.h>

#include <orrery/replay_core/thread_spool.hpp>

#include "process_record.hpp"
#include "unseen_calls.hpp"
#include "watching.hpp"

// The functions have nothing in common but their way in: so one entry serves them all, which keeps
// the arguments for the real one.
asm(R"(
.macro unseen name
.pushsection .rodata.orrery_unseen, "a", @progbits
.Lname_\name: .asciz "\name"
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
  mov 56(%rsp), %rsi
  call orrery_note_unseen_call
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

.pushsection .text
unseen splice
unseen tee
unseen vmsplice
unseen socket
unseen accept
unseen accept4
unseen connect
unseen getaddrinfo
unseen gethostbyname
unseen semop
unseen semtimedop
unseen msgrcv
unseen msgsnd
unseen mq_receive
unseen mq_timedreceive
unseen mq_send
unseen mq_timedsend
unseen signalfd
unseen inotify_init
unseen inotify_init1
unseen fanotify_init
unseen aio_read
unseen aio_read64
unseen aio_write
unseen aio_write64
unseen aio_fsync
unseen aio_fsync64
unseen lio_listio
unseen lio_listio64
unseen getaddrinfo_a
unseen ptrace
unseen timer_create
.popsection
)");

namespace orrery::on_hardware {
namespace {

void note_unseen(std::string_view name, const void* caller) {
  if (!is_watched(caller)) return;
  const auto* const known = std::ranges::find(thread_spool::unseen_calls, name);
  if (known == thread_spool::unseen_calls.end()) return;
  process_record.note_unseen(static_cast<std::size_t>(known - thread_spool::unseen_calls.begin()));
}

std::string_view unseen_name(long number) {
  switch (number) {
    case SYS_splice: return "splice";
    case SYS_tee: return "tee";
    case SYS_vmsplice: return "vmsplice";
    case SYS_socket: return "socket";
    case SYS_semop: return "semop";
    case SYS_semtimedop: return "semtimedop";
    case SYS_msgrcv: return "msgrcv";
    case SYS_signalfd:
    case SYS_signalfd4: return "signalfd";
    case SYS_inotify_init: return "inotify_init";
    case SYS_inotify_init1: return "inotify_init1";
    case SYS_timer_create: return "timer_create";
    case SYS_io_uring_setup:
    case SYS_io_uring_enter: return "io_uring";
    default: return "syscall";
  }
}

/// Is what comes of the call kept, or does a simulated program's come to the same?
bool is_seen(long number) {
  switch (number) {
    case SYS_getpid:
    case SYS_gettid:
    case SYS_getppid:
    case SYS_getpgrp:
    case SYS_uname:
    case SYS_getcpu:
    case SYS_statx:
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity:
    case SYS_clock_gettime:
    case SYS_getrandom:
    case SYS_futex:
    case SYS_sched_yield:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_time:
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_exit_group:
    case SYS_read:
    case SYS_write:
    case SYS_open:
    case SYS_openat:
    case SYS_close:
    case SYS_lseek:
    case SYS_dup:
    case SYS_mmap:
    case SYS_munmap:
    case SYS_membarrier:
    case SYS_madvise:
    case SYS_mprotect:
    case SYS_mincore:
    case SYS_get_mempolicy:
    case SYS_mbind:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
    case SYS_perf_event_open:
    case SYS_userfaultfd:
    case SYS_seccomp:
    case SYS_bpf:
    case SYS_rseq: return true;
    default: return false;
  }
}

}  // namespace

void note_unseen_call(long number, const void* caller) {
  if (!is_seen(number)) note_unseen(unseen_name(number), caller);
}

}  // namespace orrery::on_hardware

extern "C" {

/// Returns the real function.
void* orrery_note_unseen_call(const char* name, const void* caller) {
  orrery::on_hardware::note_unseen(name, caller);
  return dlsym(RTLD_NEXT, name);
}
}
