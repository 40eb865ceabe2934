// Signals that a rank sends itself: SIGKILL is seen nowhere else.
#include <csignal>

#include <unistd.h>

#include "next_function.hpp"
#include "process_end.hpp"
#include "recorded_call.hpp"

using namespace orrery::on_hardware;

ORRERY_RECORDED int raise(int signal) noexcept {
  const OwnSignal sent(signal);
  return next<&::raise>("raise")(signal);
}

ORRERY_RECORDED int kill(pid_t process, int signal) noexcept {
  if (process != next<&::getpid>("getpid")()) return next<&::kill>("kill")(process, signal);
  const OwnSignal sent(signal);
  return next<&::kill>("kill")(process, signal);
}
