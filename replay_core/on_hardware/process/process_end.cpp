#include "process_end.hpp"

#include <array>
#include <cstdlib>

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "dying.hpp"
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
/// 0: it sends none.
thread_local int signal_being_sent __attribute__((tls_model("initial-exec"))) = 0;

/// `abort` raises its signal past us.
bool is_of_process_itself(int signal, const siginfo_t& info) {
  const bool is_sent = info.si_code <= 0 && info.si_code != SI_TIMER && info.si_pid == process;
  return is_sent && (signal != SIGABRT || signal_being_sent == signal);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  struct sigaction& before = actions_before[static_cast<std::size_t>(signal)];
  const bool is_handled = (before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL;
  note_end(End::signalled, signal);
  if (getpid() == process) leave_last_words(signal, is_of_process_itself(signal, *info));
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
      take_back_last_words();
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

OwnSignal::OwnSignal(int signal)
    : before_(signal_being_sent), is_kill_(signal == SIGKILL && getpid() == process) {
  signal_being_sent = signal;
  if (!is_kill_) return;
  // Nobody is asked when it comes.
  note_end(End::signalled, signal);
  leave_last_words(signal, true);
}

OwnSignal::~OwnSignal() {
  signal_being_sent = before_;
  if (!is_kill_) return;
  take_back_last_words();
  header_of_process->end = static_cast<std::uint32_t>(End::unknown);
}

void watch_end(rank_spool::Header& header, const SpoolWriter& spool) {
  begin_last_words(spool.path());
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
