#include "kept_runs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view record_flag = "--always-record";
constexpr std::string_view name_begin = "run-";
constexpr std::string_view name_end = ".orr";
/// Of the log that may stand beside that of a run: see `RunReport::other_log`.
constexpr std::string_view other_end = "-other.orr";

std::string name_of(std::uint64_t number, std::string_view end = name_end) {
  return fmt::format("{}{:06}{}", name_begin, number, end);
}

/// 0: it is the name of no log here.
std::uint64_t number_of(std::string_view name) {
  if (!name.starts_with(name_begin)) return 0;
  std::uint64_t number = 0;
  std::from_chars(name.data() + name_begin.size(), name.data() + name.size(), number);
  return name == name_of(number) ? number : 0;
}

/// From the oldest to the newest.
std::vector<std::uint64_t> numbers_in(const fs::path& directory) {
  std::vector<std::uint64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator file(directory, error), end; file != end && !error;
       file.increment(error)) {
    const std::uint64_t number = number_of(file->path().filename().string());
    if (number > 0) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// Nobody else chooses a name in the directory meanwhile.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::string& directory)
      : file_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) {
      throw UsageError(fmt::format("'{}': {}", directory, std::generic_category().message(errno)),
                       std::string(record_flag), "give a directory that can be written to");
    }
  }
  ~DirectoryLock() { close(file_); }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_;
};

/// A link to the log that was added last, where programs of this user keep such things (XDG Base
/// Directory Specification).  Empty: nowhere.
fs::path link_to_last() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "orrery" / "last-run";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return {};
  return fs::path(home) / ".local" / "state" / "orrery" / "last-run";
}

/// Where it cannot be remembered, `--last` has to be told the directory: no reason to lose a run.
void remember(const std::string& path) {
  const fs::path link = link_to_last();
  if (link.empty()) return;
  std::error_code error;
  fs::create_directories(link.parent_path(), error);
  const fs::path next = link.string() + fmt::format(".{}", getpid());
  fs::remove(next, error);
  fs::create_symlink(fs::absolute(path), next, error);
  if (!error) fs::rename(next, link, error);
  if (error) fs::remove(next, error);
}

UsageError nothing_kept(const std::string& what, const std::string& hint) {
  return UsageError(what, "--last", hint);
}

}  // namespace

KeptRuns::KeptRuns(std::string directory, std::uint64_t keep)
    : directory_(std::move(directory)), keep_(keep) {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (!fs::is_directory(directory_)) {
    throw UsageError(fmt::format("the directory '{}' cannot be made", directory_),
                     std::string(record_flag), "give one that can");
  }
  if (access(directory_.c_str(), W_OK) != 0) {
    throw UsageError(fmt::format("the directory '{}' cannot be written to", directory_),
                     std::string(record_flag), "give one that can");
  }
}

std::string KeptRuns::add(const std::function<void(const std::string& path)>& save) const {
  const DirectoryLock lock(directory_);
  std::vector<std::uint64_t> numbers = numbers_in(directory_);
  const std::uint64_t number = numbers.empty() ? 1 : numbers.back() + 1;
  const fs::path directory(directory_);
  const std::string path = (directory / name_of(number)).string();
  save(path);
  remember(path);
  numbers.push_back(number);
  std::error_code error;
  for (std::size_t i = 0; i + keep_ < numbers.size(); ++i) {
    for (const std::string_view end : {name_end, other_end}) {
      fs::remove(directory / name_of(numbers[i], end), error);
    }
  }
  return path;
}

std::string newest_kept_run(const std::string& directory) {
  constexpr const char* record_one = "orrery run --always-record DIR keeps runs";
  if (!directory.empty()) {
    const std::vector<std::uint64_t> numbers = numbers_in(directory);
    if (numbers.empty()) {
      throw nothing_kept(fmt::format("no runs are kept in '{}'", directory), record_one);
    }
    return (fs::path(directory) / name_of(numbers.back())).string();
  }
  std::error_code error;
  const fs::path link = link_to_last();
  const fs::path last = link.empty() ? link : fs::read_symlink(link, error);
  if (last.empty()) throw nothing_kept("no run has been kept", record_one);
  if (!fs::exists(last, error)) {
    throw nothing_kept(fmt::format("the last run that was kept is gone: '{}'", last.string()),
                       "orrery replay --last DIR takes the newest one in a directory");
  }
  return last.string();
}

}  // namespace orrery::cli
