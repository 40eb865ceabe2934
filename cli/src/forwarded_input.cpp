#include "forwarded_input.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/write_all.hpp>

#include "broken_pipes.hpp"

namespace orrery::cli {
namespace {

bool is_pipe() {
  struct stat status {};
  return fstat(STDIN_FILENO, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

void forward(int to, int kept) {
  // A program that reads no further is no trouble of ours.
  survive_broken_pipes();
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t length = read(STDIN_FILENO, part.data(), part.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    const std::string_view bytes(part.data(), static_cast<std::size_t>(length));
    if (!write_all(kept, bytes) || !write_all(to, bytes)) break;
  }
  close(to);
  close(kept);
}

}  // namespace

ForwardedInput::ForwardedInput(const std::string& path) : path_(path) {
  if (!is_pipe()) return;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw UsageError(std::string("no pipe can be made: ") + std::strerror(errno), "orrery record",
                     "raise the limit on open files: ulimit -n");
  }
  program_end_ = ends[0];
  own_end_ = ends[1];
}

ForwardedInput::~ForwardedInput() {
  if (program_end_ >= 0) close(program_end_);
  if (own_end_ >= 0) close(own_end_);
}

void ForwardedInput::begin() {
  if (program_end_ < 0) return;
  close(program_end_);
  program_end_ = -1;
  const int kept = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  // It may wait for input that never comes, when the program has long ended: nobody waits for it.
  std::thread(forward, own_end_, kept).detach();
  own_end_ = -1;
}

}  // namespace orrery::cli
