#include "interval_child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

IntervalChild::IntervalChild(const IntervalSetup& setup, const IntervalStarter& start)
    : result_{.id = setup.id} {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw UsageError(std::string("no socket can be made: ") + std::strerror(errno), "--interval",
                     "raise the limit on open files: ulimit -n");
  }
  descriptor_ = ends[0];
  try {
    process_ = start(setup.id, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  try {
    write_frame(descriptor_, FrameKind::setup, encode(setup));
  } catch (const UsageError&) {
    // It has died already: whoever listens hears of that.
  }
}

std::optional<Frame> IntervalChild::hear() {
  std::optional<Frame> frame;
  try {
    frame = reader_.next(descriptor_);
  } catch (const UsageError&) {
  }
  if (frame && frame->kind == FrameKind::waiting) is_waiting_ = true;
  return frame;
}

void IntervalChild::give(const std::vector<OutsideMessage>& messages) {
  is_waiting_ = false;
  try {
    write_frame(descriptor_, FrameKind::more, encode(messages));
  } catch (const UsageError&) {
    // As above.
  }
}

void IntervalChild::stop_listening() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void IntervalChild::stop() {
  stop_listening();
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  static_cast<void>(wait());
}

int IntervalChild::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  stop_listening();
  return status;
}

}  // namespace orrery::detail
