#include "command_usage.hpp"

#include <cerrno>
#include <cstring>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::bench {

CommandUsage usage_of(const std::string& command) {
  const std::string quiet = "{ " + command + "\n} >/dev/null 2>&1 </dev/null";
  const pid_t child = fork();
  if (child < 0) {
    throw UsageError(std::string("no process can be made: ") + std::strerror(errno), command,
                     "free some memory");
  }
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", quiet.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) continue;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  CommandUsage usage;
  usage.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
  usage.memory_bytes = static_cast<double>(used.ru_maxrss) * 1024;
  usage.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return usage;
}

}  // namespace orrery::bench
