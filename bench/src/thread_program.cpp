#include "thread_program.hpp"

#include <utility>

#include <fmt/format.h>

#include "measuring.hpp"

namespace orrery::bench {

double wall_seconds_of(const std::string& command) {
  const double start = wall_seconds();
  static_cast<void>(output_of(command));
  return wall_seconds() - start;
}

ThreadProgram::ThreadProgram(const std::string& name, std::string arguments,
                             const std::string& flags)
    : path_(directory_.path() + "/app"), arguments_(std::move(arguments)) {
  run_command(fmt::format("CC='{0} cc' CXX='{0} c++' '{1}/threads/build.sh' {2} '{3}' {4}",
                          ORRERY_BINARY, ORRERY_PROGRAMS, name, path_, flags));
}

std::string ThreadProgram::command(int threads) const {
  return fmt::format("'{}' {}", path_, fmt::format(fmt::runtime(arguments_), threads));
}

std::string ThreadProgram::recorded(int threads, const std::string& flags) const {
  return fmt::format("'{}' record {} -o '{}' {}", ORRERY_BINARY, flags, log(), command(threads));
}

std::string ThreadProgram::replayed(const std::string& flags) const {
  return fmt::format("taskset -c 0 '{}' replay --wall-limit 600s {} '{}'", ORRERY_BINARY, flags,
                     log());
}

}  // namespace orrery::bench
