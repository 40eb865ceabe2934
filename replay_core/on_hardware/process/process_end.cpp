#include "process_end.hpp"

#include <array>
#include <cstdlib>

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "next_function.hpp"
#include "watching.hpp"

namespace orrery::on_hardware {
namespace {

using rank_spool::End;

constexpr std::array watched_signals = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL, SIGABRT, SIGTRAP,
                                        SIGSYS,  SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU};

rank_spool::Header* header_of_process = nullptr;
pid_t process = 0;  // which this is; a fork of it writes nothing
std::array<struct sigaction, NSIG> actions_before;

void on_signal(int signal, siginfo_t* info, void* context) {
  struct sigaction& before = actions_before[static_cast<std::size_t>(signal)];
  const bool is_handled = (before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL;
  note_end(End::signalled, signal);
  if (is_handled) {
    if ((before.sa_flags & SA_SIGINFO) != 0) {
      before.sa_sigaction(signal, info, context);
    } else {
      before.sa_handler(signal);
    }
    // It has not ended the process; but it may have sent the signal again, to whoever is next.
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    const bool goes_on = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal;
    if (goes_on && getpid() == process) {
      header_of_process->end = static_cast<std::uint32_t>(End::unknown);
    }
    return;
  }
  // Where an instruction has raised it, it is done again; what another process or `raise` has sent
  // is sent again, and comes when this returns.
  sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) next<&::raise>("raise")(signal);
}

void on_exit_with(int status, void*) {
  if (header_of_process == nullptr || getpid() != process) return;
  note_standard_input();
  if (header_of_process->end == static_cast<std::uint32_t>(End::unknown)) {
    note_end(End::exited, status);
  } else if (header_of_process->has_exit_status == 0) {
    header_of_process->exit_status = status;
    header_of_process->has_exit_status = 1;
  }
}

}  // namespace

thread_local std::uint32_t thread_number = 0;

void note_end(End end, int value) {
  rank_spool::Header* const header = header_of_process;
  if (header == nullptr || getpid() != process) return;
  const bool is_over = header->end != static_cast<std::uint32_t>(End::unknown) &&
                       header->end != static_cast<std::uint32_t>(End::finalized);
  if (is_over) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  header->end_time_ns =
      static_cast<std::uint64_t>(now.tv_sec) * ns_per_s + static_cast<std::uint64_t>(now.tv_nsec);
  header->end_value = value;
  header->end_thread = thread_number;
  header->end = static_cast<std::uint32_t>(end);
}

void watch_end(rank_spool::Header& header) {
  header_of_process = &header;
  process = getpid();
  on_exit(on_exit_with, nullptr);
  for (const int signal : watched_signals) {
    struct sigaction& before = actions_before[static_cast<std::size_t>(signal)];
    if (sigaction(signal, nullptr, &before) != 0) continue;
    if ((before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction ours {};
    ours.sa_sigaction = on_signal;
    ours.sa_mask = before.sa_mask;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (before.sa_flags & (SA_RESTART | SA_NODEFER));
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace orrery::on_hardware
