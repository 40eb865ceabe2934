#include "preloading.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/taken_process.hpp>

#include "become.hpp"
#include "loader_preload.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {
namespace {

// Where the command is.
constexpr const char* command_variable = "ORRERY_PRELOADED_BY";

std::string library() {
  const std::filesystem::path command = own_path();
  std::string path =
      (command.parent_path().parent_path() / "lib" / "orrery" / "liborrery_preload.so").string();
  if (access(path.c_str(), R_OK) == 0) return path;
  throw UsageError("the library for programs that were not built for Orrery is missing", path,
                   "install Orrery again; a build with AddressSanitizer has none");
}

/// What a program is started with, beside what the user has.
std::array<std::pair<const char*, std::string>, 3> environment_of_start() {
  return {{{former_preload_variable, asked_to_preload()},
           {preload_variable, preloading_first(library())},
           {command_variable, own_path()}}};
}

/// What the loader says of what it would load for the program: as `ldd` asks it.
std::string listing(const ForeignProgram& program) {
  constexpr const char* only_list = "LD_TRACE_LOADED_OBJECTS";
  setenv(only_list, "1", 1);
  std::string text = output_of({program.path.string()});
  unsetenv(only_list);
  return text;
}

/// Once the program has begun, all that is missing is said by the loader, which then ends the
/// process, or goes on without us.
void check_libraries(const ForeignProgram& program, const std::string& ours) {
  std::istringstream lines(listing(program));
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view missing = " => not found";
    const bool is_ours = line.find(ours) != std::string::npos;
    if (is_ours && line.find("cannot be preloaded") != std::string::npos) {
      throw UsageError("the loader refuses it: " + line, ours, "install Orrery again");
    }
    if (!line.ends_with(missing)) continue;
    line.resize(line.size() - missing.size());
    throw UsageError("a library is missing: " + line.substr(line.find_first_not_of("\t ")),
                     program.path.string(),
                     "all its libraries must be found, as when it runs by itself: see `ldd`");
  }
}

}  // namespace

void preload_into(const ForeignProgram& program) {
  const std::string ours = library();
  for (const auto& [name, value] : environment_of_start()) setenv(name, value.c_str(), 1);
  check_libraries(program, ours);
  std::vector<std::string> words = own_words();
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.path.c_str(), pointers.data());
  throw UsageError(std::string("cannot be started: ") + std::strerror(errno), program.path.string(),
                   "see whether it starts by itself");
}

PreloadedStart preloaded_start() {
  PreloadedStart start;
  if (taken_process() == nullptr) return start;
  std::error_code error;
  start.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  start.gdb_settings.emplace_back("set startup-with-shell off");  // the shell would be taken, too
  for (const auto& [name, value] : environment_of_start()) {
    start.gdb_settings.push_back("set environment " + std::string(name) + " " + value);
  }
  return start;
}

bool is_preloading() {
  return std::getenv(command_variable) != nullptr;
}

std::string end_preloading() {
  std::string command = std::getenv(command_variable);
  unsetenv(command_variable);
  if (!restore_preload()) unsetenv(preload_variable);
  return command;
}

}  // namespace orrery::cli
