#include "preloading.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "become.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

constexpr const char* preload = "LD_PRELOAD";
// Where the command is; what LD_PRELOAD was.
constexpr const char* command_variable = "ORRERY_PRELOADED_BY";
constexpr const char* former_preload = "ORRERY_FORMER_LD_PRELOAD";

std::string library() {
  const std::filesystem::path command = own_path();
  std::string path =
      (command.parent_path().parent_path() / "lib" / "orrery" / "liborrery_preload.so").string();
  if (access(path.c_str(), R_OK) == 0) return path;
  throw UsageError("the library for programs that were not built for Orrery is missing", path,
                   "install Orrery again; a build with AddressSanitizer has none");
}

}  // namespace

void preload_into(const std::string& path) {
  const std::string ours = library();
  const char* const before = std::getenv(preload);
  const std::string former = before == nullptr ? "" : before;
  setenv(former_preload, former.c_str(), 1);
  setenv(preload, (former.empty() ? ours : ours + ":" + former).c_str(), 1);
  setenv(command_variable, own_path().c_str(), 1);
  std::vector<std::string> words = own_words();
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(path.c_str(), pointers.data());
  throw UsageError(std::string("cannot be started: ") + std::strerror(errno), path,
                   "see whether it starts by itself");
}

bool is_preloading() {
  return std::getenv(command_variable) != nullptr;
}

std::string end_preloading() {
  std::string command = std::getenv(command_variable);
  unsetenv(command_variable);
  const char* const former = std::getenv(former_preload);
  if (former == nullptr || *former == '\0') {
    unsetenv(preload);
  } else {
    setenv(preload, std::string(former).c_str(), 1);
  }
  unsetenv(former_preload);
  return command;
}

}  // namespace orrery::cli
