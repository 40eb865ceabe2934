#include "child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/write_all.hpp>

namespace orrery::detail {
namespace {

// What is thrown ends the process: the frames above are the parent's, who goes on in them himself.
[[noreturn]] void run_child(const ChildProcess::Body& body, int fd, pid_t parent) noexcept {
  die_with(parent);
  // Ctrl-C reaches the whole group; the parent decides when a search ends.
  std::signal(SIGINT, SIG_IGN);
  body(fd);
  std::fflush(nullptr);
  _exit(0);
}

}  // namespace

void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before the line above
}

int wait_for_end(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool write_message(int fd, const Message& message) {
  const std::string text =
      message.value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::array<std::uint64_t, 2> sizes = {text.size(), message.bytes.size()};
  std::string whole(reinterpret_cast<const char*>(sizes.data()), sizeof sizes);
  whole += text;
  whole.append(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
  return write_all(fd, whole);
}

ChildProcess::ChildProcess(const Body& body) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw UsageError(std::string("cannot make a pipe to a worker: ") + std::strerror(errno),
                     "explore", "raise the limit on open files (ulimit -n)");
  }
  std::fflush(nullptr);  // else the child writes the parent's buffers a second time
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    run_child(body, ends[1], parent);
  }
  close(ends[1]);
  fd_ = ends[0];
  if (pid_ < 0) {
    const int error = errno;
    close(fd_);
    throw UsageError(std::string("cannot fork a worker: ") + std::strerror(error), "explore",
                     "use fewer jobs, or raise the limit on processes (ulimit -u)");
  }
  fcntl(fd_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill_now();
    wait();
  }
  close(fd_);
}

bool MessageReader::read_some(int fd) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    received_.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }
}

std::optional<Message> MessageReader::next() {
  std::array<std::uint64_t, 2> sizes{};
  const std::size_t left = received_.size() - taken_;
  if (left < sizeof sizes) return std::nullopt;
  std::memcpy(sizes.data(), received_.data() + taken_, sizeof sizes);
  if (left - sizeof sizes < sizes[0] + sizes[1]) return std::nullopt;
  const char* const text = received_.data() + taken_ + sizeof sizes;
  Message message;
  message.value = nlohmann::json::parse(text, text + sizes[0], nullptr, false);
  message.bytes.resize(sizes[1]);
  if (sizes[1] > 0) std::memcpy(message.bytes.data(), text + sizes[0], sizes[1]);
  taken_ += sizeof sizes + sizes[0] + sizes[1];
  if (taken_ == received_.size()) {
    received_.clear();
    taken_ = 0;
  }
  return message;
}

bool ChildProcess::wait_and_read() {
  pollfd waiting{fd_, POLLIN, 0};
  poll(&waiting, 1, -1);
  return read_some();
}

void ChildProcess::kill_now() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

void ChildProcess::end_with_report() {
  if (pid_ > 0) kill(pid_, SIGALRM);
}

int ChildProcess::wait() {
  const int status = pid_ > 0 ? wait_for_end(pid_) : 0;
  pid_ = -1;
  return status;
}

}  // namespace orrery::detail
