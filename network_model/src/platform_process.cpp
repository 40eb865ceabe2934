#include "platform_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "platform_text.hpp"

extern char** environ;

namespace orrery::detail {
namespace {

namespace fs = std::filesystem;

/// The file that this code is in.
fs::path own_file() {
  Dl_info info{};
  const bool is_known = dladdr(reinterpret_cast<const void*>(&own_file), &info) != 0;
  return is_known && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// Beside this code where that is a library, beside the running program, in the layout of a build
/// or an installation, or where Orrery was installed, for programs of others.
std::string program_path() {
  constexpr const char* name = "orrery_platform";
  std::vector<fs::path> candidates;
  std::error_code error;
  const fs::path file = own_file();
  if (file.extension() == ".so") candidates.push_back(file.parent_path() / name);
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back(self.parent_path().parent_path() / "lib/orrery" / name);
  candidates.emplace_back(fs::path(ORRERY_BUILT_RUNTIME_DIR) / name);
  candidates.emplace_back(fs::path(ORRERY_INSTALLED_RUNTIME_DIR) / name);
  for (const fs::path& candidate : candidates) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  throw UsageError("the program orrery_platform is missing", candidates.back().string(),
                   "install Orrery again; platform files are read by it");
}

/// The last line that says something, without SimGrid's advice on debuggers and back-traces.
std::string last_words(int file) {
  std::string text;
  std::array<char, 4096> part{};
  off_t offset = 0;
  for (ssize_t count = 0; (count = pread(file, part.data(), part.size(), offset)) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(count));
    offset += count;
  }
  std::string words;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    const bool is_trace = line.starts_with("  ->") || line.starts_with("Backtrace") ||
                          line.starts_with("Display") || line.starts_with("This ");
    if (!line.empty() && !is_trace && words.empty()) words = line;
    start = end + 1;
  }
  return words;
}

}  // namespace

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void AnswerReader::raw(void* value, std::size_t size) {
  ensure(next_ + size <= bytes_.size(), "an answer about a platform is whole");
  std::memcpy(value, bytes_.data() + next_, size);
  next_ += size;
}

std::uint64_t AnswerReader::number() {
  std::uint64_t value = 0;
  raw(&value, sizeof value);
  return value;
}

double AnswerReader::real() {
  double value = 0;
  raw(&value, sizeof value);
  return value;
}

std::string AnswerReader::text() {
  std::string value(static_cast<std::size_t>(number()), '\0');
  raw(value.data(), value.size());
  return value;
}

PlatformProcess::PlatformProcess(std::string path) : path_(std::move(path)), owner_(getpid()) {
  const std::string program = program_path();
  int requests[2] = {-1, -1};
  int answers[2] = {-1, -1};
  errors_ = memfd_create("orrery platform errors", MFD_CLOEXEC);
  if (errors_ < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests) != 0 ||
      pipe2(answers, O_CLOEXEC) != 0) {
    throw UsageError(std::string("cannot talk to another process: ") + std::strerror(errno), path_,
                     "raise the limit on open files");
  }
  requests_ = requests[0];
  answers_ = answers[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, requests[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  std::string name = program;
  char* const arguments[] = {name.data(), path_.data(), nullptr};
  const int error = posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(requests[1]);
  close(answers[1]);
  if (error != 0) {
    process_ = 0;
    throw UsageError(std::string("cannot start it: ") + std::strerror(error), program,
                     "install Orrery again");
  }
}

PlatformProcess::~PlatformProcess() {
  close(requests_);
  close(answers_);
  close(errors_);
  if (process_ == 0 || !is_mine()) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

bool PlatformProcess::is_mine() const {
  return owner_ == getpid();
}

bool PlatformProcess::read_all(void* bytes, std::size_t size) const {
  auto* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = read(answers_, next, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

AnswerReader PlatformProcess::read_answer() {
  std::uint64_t size = 0;
  if (!read_all(&size, sizeof size)) fail();
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (!read_all(bytes.data(), bytes.size())) fail();
  return AnswerReader(std::move(bytes));
}

AnswerReader PlatformProcess::ask(const PlatformRequest& request) {
  const auto* next = reinterpret_cast<const char*>(&request);
  std::size_t left = sizeof request;
  while (left > 0) {
    // A socket and no pipe: a process that has died must not kill this one by a signal.
    const ssize_t count = send(requests_, next, left, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail();
    next += count;
    left -= static_cast<std::size_t>(count);
  }
  return read_answer();
}

void PlatformProcess::fail() {
  if (process_ != 0) waitpid(process_, nullptr, 0);  // 0 would be any child of ours
  process_ = 0;
  const std::string words = last_words(errors_);
  throw_platform_error(PlatformText(text_of(path_)), path_, words);
}

}  // namespace orrery::detail
