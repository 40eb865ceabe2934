#include "temporary_directory.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::bench {

TemporaryDirectory::TemporaryDirectory()
    : path_((std::filesystem::temp_directory_path() / "orrery_bench_XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw UsageError("cannot make a directory for the benchmark's files", path_);
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name, const std::string& content) const {
  const std::string path = path_ + "/" + name;
  std::ofstream(path) << content;
  return path;
}

std::string output_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> part{};
  while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe) != nullptr) {
    output += part.data();
  }
  if (pipe == nullptr || pclose(pipe) != 0) {
    throw UsageError("a command of the benchmark failed: " + output, command);
  }
  return output;
}

void run_command(const std::string& command) {
  static_cast<void>(output_of(command + " 2>&1"));
}

}  // namespace orrery::bench
