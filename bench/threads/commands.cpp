#include "commands.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "../src/measuring.hpp"
#include "../src/temporary_directory.hpp"

namespace orrery::bench {

std::string plain_build(const Compiler& compiler) {
  return fmt::format("CC='{}' CXX='{}' ", compiler.c, compiler.cpp);
}

std::string orrery_build(const Compiler& compiler) {
  return fmt::format("ORRERY_CC='{}' ORRERY_CXX='{}' CC='{} cc' CXX='{} c++' ", compiler.c,
                     compiler.cpp, ORRERY_BINARY, ORRERY_BINARY);
}

std::string simulated_run(const std::string& flags) {
  return fmt::format("{}'{}' run --quiet --step-limit 100000000000 --wall-limit 3600s {} ",
                     on_one_core, ORRERY_BINARY, flags);
}

double cpu_seconds_of(const std::string& command) {
  const double start = cpu_seconds();
  run_command(command);
  return cpu_seconds() - start;
}

bool is_installed(const std::string& command) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", command).c_str()) == 0;
}

}  // namespace orrery::bench
