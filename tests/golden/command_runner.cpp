#include "command_runner.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <catch2/catch.hpp>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery::test {
namespace {

namespace fs = std::filesystem;

std::string name_of(const std::source_location& where) {
  return "orrery-" + fs::path(where.file_name()).stem().string() + "-" +
         std::to_string(where.line());
}

fs::path fresh_directory(const std::string& wanted) {
  std::string name = (fs::temp_directory_path() / wanted).string();
  constexpr mode_t for_owner = 0700;
  if (mkdir(name.c_str(), for_owner) == 0) return name;
  name += "-XXXXXX";
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

void build_in_two_steps(const WorkingDirectory& here, const std::string& command,
                        const std::string& file, const std::string& last) {
  const std::string compile = command + " -c " + file + " -o app.o " + last;
  const std::string link = command + " app.o -o app " + last;
  const CommandResult built = here.shell(compile + " && " + link + " && rm app.o");
  INFO(built.out << built.err);
  REQUIRE(built.status == 0);
}

}  // namespace

WorkingDirectory::WorkingDirectory(const std::source_location& where)
    : path_(fresh_directory(name_of(where))),
      streams_(fresh_directory(name_of(where) + "-streams")) {}

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

void build_by(const WorkingDirectory& here, const std::string& compiler, const std::string& file,
              const std::string& last) {
  build_in_two_steps(here, "$(command -v ccache) " + compiler, file, last);
}

void build_by_orrery(const WorkingDirectory& here, const std::string& words,
                     const std::string& file, const std::string& last) {
  const std::string compilers =
      "ORRERY_CC=\"$(command -v ccache) ${ORRERY_CC:-gcc}\" "
      "ORRERY_CXX=\"$(command -v ccache) ${ORRERY_CXX:-g++}\" ";
  build_in_two_steps(here, compilers + "'" ORRERY_BINARY "' " + words, file, last);
}

void build_app(const WorkingDirectory& here, const std::string& source, const std::string& flags,
               const std::string& language) {
  const std::string file = "app." + language;
  here.write(file, source);
  build_by_orrery(here, (language == "c" ? "cc " : "c++ ") + flags, file);
}

}  // namespace orrery::test
