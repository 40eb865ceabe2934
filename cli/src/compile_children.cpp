#include "compile_children.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {
namespace {

constexpr int killed_by_signal = 128;
volatile std::sig_atomic_t pending_signal = 0;

void note_signal(int signal) {
  pending_signal = signal;
}

struct Compiling {
  pid_t process = -1;
  int stream = -1;  ///< what it writes; -1: it has ended
  std::size_t index = 0;
};

Compiling start(const ChildCommand& command, int stream) {
  std::vector<char*> pointers;
  for (const std::string& word : command.words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw UsageError(std::strerror(errno), "pipe", "close some files");
  }
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], stream);
    if (command.is_silent) dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    if (!command.input.empty()) {
      dup2(open(command.input.c_str(), O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    }
    execvp(pointers[0], pointers.data());
    _exit(cannot_execute);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    throw UsageError(std::strerror(errno), "fork", "end some processes");
  }
  return {process, ends[0], 0};
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : killed_by_signal + WTERMSIG(status);
}

/// Reads once; false: that was all.
bool read_more(int stream, std::string& text) {
  char buffer[4096];
  const ssize_t count = read(stream, buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return true;
  if (count > 0) text.assign(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

/// The two that run, and those to come.
class SideBySide {
 public:
  explicit SideBySide(const std::vector<ChildCommand>& commands)
      : commands_(&commands), results_(commands.size()) {
    start_next(running_[0]);
    start_next(running_[1]);
  }

  std::vector<ChildResult> finish() {
    while (running_[0].stream >= 0 || running_[1].stream >= 0) {
      std::array<pollfd, 2> streams{pollfd{running_[0].stream, POLLIN, 0},
                                    pollfd{running_[1].stream, POLLIN, 0}};
      const int ready = poll(streams.data(), streams.size(), -1);
      if (pending_signal != 0) interrupt();
      if (ready < 0) continue;
      for (std::size_t i = 0; i < streams.size(); ++i) {
        if (streams[i].revents != 0) follow(running_[i]);
      }
    }
    return std::move(results_);
  }

 private:
  void start_next(Compiling& place) {
    place.stream = -1;
    if (next_ == commands_->size()) return;
    place = start((*commands_)[next_], STDERR_FILENO);
    place.index = next_++;
  }

  void follow(Compiling& child) {
    std::string text;
    ChildResult& result = results_[child.index];
    if (read_more(child.stream, text)) {
      result.messages += text;
      if (!(*commands_)[child.index].is_silent) std::fwrite(text.data(), 1, text.size(), stderr);
      return;
    }
    close(child.stream);
    result.status = wait_for(child.process);
    // The first has its place for itself: whatever else is to be done comes beside it.
    if (child.index == 0) {
      child.stream = -1;
    } else {
      start_next(child);
    }
  }

  [[noreturn]] void interrupt() {
    for (const Compiling& child : running_) {
      if (child.stream < 0) continue;
      kill(child.process, pending_signal);
      close(child.stream);
      wait_for(child.process);
    }
    throw Interrupted{};
  }

  const std::vector<ChildCommand>* commands_;
  std::vector<ChildResult> results_;
  std::array<Compiling, 2> running_;
  std::size_t next_ = 0;
};

}  // namespace

SignalsHeld::SignalsHeld() {
  pending_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &former_[i]);
    if (former_[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
  }
}

SignalsHeld::~SignalsHeld() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &former_[i], nullptr);
  if (pending_signal != 0) raise(pending_signal);
}

std::vector<ChildResult> run_side_by_side(const std::vector<ChildCommand>& commands) {
  return SideBySide(commands).finish();
}

std::string answer_of(const std::vector<std::string>& words) {
  std::string text;
  const Compiling child = start({words, {}, false}, STDOUT_FILENO);
  for (std::string more; read_more(child.stream, more); more.clear()) text += more;
  close(child.stream);
  if (wait_for(child.process) != 0) return {};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

ScratchDirectory::ScratchDirectory() {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  std::string name = ((error ? "/tmp" : parent) / "orrery-cc-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw UsageError(std::strerror(errno), name, "set TMPDIR to a directory that can be written");
  }
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchDirectory::another(const std::string& name) {
  const auto directory = path_ / std::to_string(count_++);
  std::filesystem::create_directory(directory);
  return directory / std::filesystem::path(name).filename();
}

}  // namespace orrery::cli
