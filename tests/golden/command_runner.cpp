#include "command_runner.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <catch2/catch.hpp>
#include <linux/close_range.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::test {
namespace {

namespace fs = std::filesystem;

fs::path fresh_directory() {
  std::string name = (fs::temp_directory_path() / "orrery-command-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  return name;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

WorkingDirectory::WorkingDirectory() : path_(fresh_directory()), streams_(fresh_directory()) {}

WorkingDirectory::~WorkingDirectory() {
  std::error_code error;
  fs::remove_all(path_, error);
  fs::remove_all(streams_, error);
}

std::vector<std::string> WorkingDirectory::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    names.push_back(fs::relative(entry.path(), path_).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void WorkingDirectory::write(const std::string& name, const std::string& bytes) const {
  put(path_ / name, bytes);
}

std::string WorkingDirectory::read(const std::string& name) const {
  return contents(path_ / name);
}

CommandResult WorkingDirectory::orrery(const std::string& words, const std::string& input) const {
  put(streams_ / "in", input);
  return shell("'" ORRERY_BINARY "' " + words + " <'" + (streams_ / "in").string() + "'");
}

CommandResult WorkingDirectory::shell(const std::string& command) const {
  const std::string whole = "cd '" + path_.string() + "' && unset ORRERY_LOGS ORRERY_REPLAY; { " +
                            command + "\n} >'" + (streams_ / "out").string() + "' 2>'" +
                            (streams_ / "err").string() + "'";
  // What whoever runs the tests has open is nothing to programs that say which files they got.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  const int status = std::system(whole.c_str());
  CommandResult result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = contents(streams_ / "out");
  result.err = contents(streams_ / "err");
  return result;
}

void build_app(const WorkingDirectory& here, const std::string& source, const std::string& flags,
               const std::string& language) {
  const std::string file = "app." + language;
  here.write(file, source);
  const std::string compiler = language == "c" ? "cc " : "c++ ";
  const CommandResult built = here.orrery(compiler + flags + " -o app " + file);
  INFO(built.err);
  REQUIRE(built.status == 0);
}

}  // namespace orrery::test
