#include "program_identity.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "files.hpp"

namespace orrery::detail {
namespace {

/// In quotes where the shell needs them.
std::string quoted(const std::string& text) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += "'\\''";
    } else {
      result += letter;
    }
  }
  return result + "'";
}

std::vector<std::string> own_arguments() {
  std::vector<std::string> arguments;
  std::string one;
  for (const char letter : read_file("/proc/self/cmdline").value_or("")) {
    if (letter != '\0') {
      one += letter;
      continue;
    }
    arguments.push_back(one);
    one.clear();
  }
  return arguments;
}

}  // namespace

ProgramInfo identify(const ExploreOptions& options) {
  ProgramInfo program = options.program;
  if (!program.name.empty()) return program;
  program.kind = ProgramInfo::Kind::test;
  program.name = options.name;
  std::error_code error;
  program.path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  program.arguments = own_arguments();
  if (!program.arguments.empty()) program.arguments.erase(program.arguments.begin());
  program.host = this_host_id();
  return program;
}

std::string replay_command(const ProgramInfo& program, const std::string& log_path) {
  if (program.kind != ProgramInfo::Kind::test) return "orrery replay " + quoted(log_path);
  std::string command = "ORRERY_REPLAY=" + quoted(log_path) + " " + quoted(program.path);
  for (const std::string& argument : program.arguments) command += " " + quoted(argument);
  return command;
}

}  // namespace orrery::detail
