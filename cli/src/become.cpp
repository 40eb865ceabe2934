#include "become.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

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

void become_under_gdb(const std::vector<std::string>& command,
                      const std::vector<std::string>& settings) {
  std::vector<std::string> debugger{"gdb", "-q"};
  for (const std::string& line : settings) debugger.insert(debugger.end(), {"-ex", line});
  for (const char* const line : {"set breakpoint pending on", "break orrery_finding",
                                 "echo The replay is ready: 'run' takes it to the finding; "
                                 "'backtrace' then shows where.\\n"}) {
    debugger.insert(debugger.end(), {"-ex", line});
  }
  debugger.emplace_back("--args");
  debugger.insert(debugger.end(), command.begin(), command.end());
  become(debugger);
}

}  // namespace orrery::cli
