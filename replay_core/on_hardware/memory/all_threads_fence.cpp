#include "all_threads_fence.hpp"

#include <cerrno>
#include <cstdlib>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orrery::on_hardware {
namespace {

bool ask(int command) {
  return syscall(SYS_membarrier, command, 0, 0) == 0;
}

}  // namespace

bool AllThreadsFence::begin() {
  const int error = errno;
  const bool is_there =
      ask(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  errno = error;
  return is_there;
}

void AllThreadsFence::pass() {
  // A process that was forked has to begin anew.
  if (!ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED) && !begin()) std::abort();
}

}  // namespace orrery::on_hardware
