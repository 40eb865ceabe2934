// Pipes whose readers have gone.
#pragma once

#include <csignal>

namespace orrery::cli {

/// From here on the calling thread is told by `EPIPE` that nobody reads what it writes, not killed.
inline void survive_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace orrery::cli
