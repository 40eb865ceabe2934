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

[[noreturn]] void throw_last_words(int file, const std::string& path) {
  throw_platform_error(PlatformText(text_of(path)), path, last_words(file));
}

[[noreturn]] void throw_no_descriptors(const std::string& path) {
  throw UsageError(std::string("cannot talk to another process: ") + std::strerror(errno), path,
                   "raise the limit on open files");
}

int file_for_last_words(const std::string& path) {
  const int file = memfd_create("orrery platform errors", MFD_CLOEXEC);
  if (file < 0) throw_no_descriptors(path);
  return file;
}

bool read_all(int socket, void* bytes, std::size_t size) {
  auto* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = read(socket, next, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

/// False: who should answer has died.
bool read_answer(int socket, std::string& answer) {
  // Most are short and come whole; nothing comes after one before the next question.
  std::array<char, 1024> first{};
  std::uint64_t size = 0;
  std::size_t there = 0;
  while (there < sizeof size) {
    const ssize_t count = read(socket, first.data() + there, first.size() - there);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    there += static_cast<std::size_t>(count);
  }
  std::memcpy(&size, first.data(), sizeof size);
  answer.assign(first.data() + sizeof size, there - sizeof size);
  const std::size_t begun = answer.size();
  ensure(begun <= size, "an answer about a platform ends where it says");
  answer.resize(static_cast<std::size_t>(size));
  return read_all(socket, answer.data() + begun, answer.size() - begun);
}

/// False: who should hear it has died, which must not kill this process by a signal.
bool send_all(int socket, const void* bytes, std::size_t size) {
  const auto* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = send(socket, next, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

/// A reading process that has died is noticed when its server should answer.
void ask_at_door(int door, int socket, int errors) {
  char byte = 0;
  iovec content{&byte, sizeof byte};
  const int descriptors[platform_descriptors] = {socket, errors};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptors)> control{};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
  while (sendmsg(door, &message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
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

PlatformServer::PlatformServer(std::string path, int door)
    : path_(std::move(path)), owner_(getpid()) {
  int ends[2] = {-1, -1};
  errors_ = file_for_last_words(path_);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    close(errors_);
    throw_no_descriptors(path_);
  }
  socket_ = ends[0];
  ask_at_door(door, ends[1], errors_);
  close(ends[1]);
}

PlatformServer::~PlatformServer() {
  close(socket_);
  close(errors_);
}

bool PlatformServer::is_mine() const {
  return owner_ == getpid();
}

AnswerReader PlatformServer::ask(const PlatformRequest& request) {
  std::string answer;
  if (!send_all(socket_, &request, sizeof request) || !read_answer(socket_, answer)) {
    throw_last_words(errors_, path_);
  }
  return AnswerReader(std::move(answer));
}

PlatformProcess::PlatformProcess(std::string path) : path_(std::move(path)), owner_(getpid()) {
  const std::string program = program_path();
  int ends[2] = {-1, -1};
  errors_ = file_for_last_words(path_);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    close(errors_);
    throw_no_descriptors(path_);
  }
  door_ = ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
  std::string name = program;
  char* const arguments[] = {name.data(), path_.data(), nullptr};
  const int error = posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) return;
  close(door_);
  close(errors_);
  throw UsageError(std::string("cannot start it: ") + std::strerror(error), program,
                   "install Orrery again");
}

PlatformProcess::~PlatformProcess() {
  close(door_);
  close(errors_);
  if (process_ == 0 || owner_ != getpid()) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

AnswerReader PlatformProcess::description() {
  std::string answer;
  if (!read_answer(door_, answer)) {
    waitpid(process_, nullptr, 0);
    process_ = 0;
    throw_last_words(errors_, path_);
  }
  return AnswerReader(std::move(answer));
}

std::unique_ptr<PlatformServer> PlatformProcess::serve() const {
  return std::make_unique<PlatformServer>(path_, door_);
}

}  // namespace orrery::detail
