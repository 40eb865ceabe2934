// For tests of images: processes that are saved, killed, and go on.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/process_image.hpp>

namespace orrery::test {

inline constexpr std::size_t page_bytes = 4096;

/// The two ends of a pipe.
struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  }
  ~Pipe() {
    close_writer();
    close(ends[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int writer() const { return ends[1]; }
  void close_writer() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  /// All that is written until nobody can any more.
  std::string read_all() {
    close_writer();
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
      const ssize_t count = read(ends[0], buffer.data(), buffer.size());
      if (count <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }
  std::array<int, 2> ends{};
};

inline void say(int descriptor, const std::string& text) {
  if (write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) abort();
}

/// Does it in a process of its own, which ends by SIGKILL; returns what it said.
inline std::string in_process(const std::function<void(int descriptor)>& body) {
  Pipe pipe;
  const pid_t process = fork();
  if (process == 0) {
    try {
      body(pipe.writer());
    } catch (const UsageError& error) {
      say(pipe.writer(), error.what());
    }
    raise(SIGKILL);
  }
  const std::string text = pipe.read_all();
  int status = 0;
  waitpid(process, &status, 0);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  return text;
}

/// What a process that goes on from an image says.
inline std::string restored(const ImageStore& store, std::uint64_t number) {
  Pipe pipe;
  const pid_t process = store.restore(number, pipe.writer());
  const std::string text = pipe.read_all();
  waitpid(process, nullptr, 0);
  return text;
}

[[noreturn]] inline void end_restored(const SavedImage& image, const std::string& text) {
  say(image.descriptor, text);
  _exit(0);
}

inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace orrery::test
