#include "snapshot.hpp"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include <orrery/sim_runtime/forked_run.hpp>

#include "child_process.hpp"

namespace orrery::detail {
namespace {

/// Ends as another process did.
[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    std::signal(signal, SIG_DFL);
    sigset_t only{};
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    kill(getpid(), signal);
  }
  _exit(WEXITSTATUS(status));
}

}  // namespace

void SnapshotChooser::hand_over(std::uint64_t run_index) {
  info_.run_index = run_index;
  answering_ = strategy_;
  strategy_->begin_run(info_);
}

std::uint64_t SnapshotServer::serve(std::uint64_t first_run) {
  const pid_t server = getpid();
  for (std::optional<std::uint64_t> run = first_run; run; run = port_.next_run()) {
    port_.begin(*run);
    const pid_t process = fork();
    if (process == 0) {
      die_with(server);
      is_in_run_ = true;
      restart_wall_limit();
      return *run;
    }
    if (process < 0) {
      port_.complain();
      _exit(0);
    }
    const int status = wait_for_end(process);
    if (status != 0) end_like(status);
    if (port_.is_over()) break;
  }
  _exit(0);
}

}  // namespace orrery::detail
