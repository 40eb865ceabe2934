// The `orrery` command.
#include <csignal>

#include "command_line.hpp"

namespace {

/// What would make a file larger than `ulimit -f` allows fails, and is told as a full disk is,
/// instead of ending the command.  By a handler, which programs that are started do not inherit.
void take_file_size_limit_for_full_disk() {
  struct sigaction action {};
  if (sigaction(SIGXFSZ, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  take_file_size_limit_for_full_disk();
  return orrery::cli::run_started_as(argv[0], {argv + 1, argv + argc});
}
