#include "become.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {

void become(const std::vector<std::string>& command) {
  std::vector<char*> pointers;
  for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
  throw UsageError(std::string("cannot be started: ") + std::strerror(errno), command.front(),
                   "install it, or name another one");
}

std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string output_of(std::vector<std::string> command) {
  const int file = memfd_create("orrery output", MFD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, file, STDERR_FILENO);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  pid_t process = 0;
  const int error = posix_spawnp(&process, words.front(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  while (error == 0 && waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t count = 0;
       (count = pread(file, part.data(), part.size(), static_cast<off_t>(text.size()))) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  close(file);
  if (error == 0) return text;
  throw UsageError(std::string("cannot be started: ") + std::strerror(error), command.front(),
                   "install it, or name another one");
}

}  // namespace orrery::cli
