#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/process_image.hpp>

#include "image_group.hpp"
#include "image_plan.hpp"
#include "raw_system_calls.hpp"
#include "restore_plan.hpp"

namespace orrery {
namespace {

using namespace detail;

constexpr std::size_t number_digits = 16;

/// Of the name of a group's file: its number, or that of its first image.
std::optional<std::uint64_t> number_in(const std::string& name, std::size_t at) {
  std::uint64_t value = 0;
  if (name.size() < at + number_digits) return std::nullopt;
  const char* const begin = name.data() + at;
  const auto parsed = std::from_chars(begin, begin + number_digits, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != begin + number_digits) return std::nullopt;
  return value;
}

/// In the child: nothing but system calls.
[[noreturn]] void become_restorer(const char* restorer, const std::array<int, 3>& given,
                                  int first) {
  const auto fail = [](int status) {
    const RestoreReport report{RestoreReport::not_started, -errno};
    static_cast<void>(!write(status, &report, sizeof report));
    _exit(127);
  };
  const std::uint64_t all_signals = ~std::uint64_t{0};
  raw_system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&all_signals), 0,
                  sizeof all_signals);
  // First out of each other's way, then to their places: what the process talks to, the plan, where
  // the restorer reports to.
  std::array<int, 3> away{};
  for (std::size_t i = 0; i < given.size(); ++i) {
    away[i] = fcntl(given[i], F_DUPFD, first + static_cast<int>(given.size()));
    if (away[i] < 0) fail(given[2]);
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (dup2(away[i], first + static_cast<int>(i)) < 0) fail(away[2]);
  }
  const int end = first + static_cast<int>(given.size());
  constexpr long highest = 0x7fff'ffff;
  if (raw_system_call(SYS_close_range, end, highest, 0) != 0 ||
      raw_system_call(SYS_close_range, 0, first - 1, 0) != 0) {
    fail(first + 2);
  }
  char name[] = "orrery-restore";
  char plan[16];
  char status[16];
  *std::to_chars(plan, plan + sizeof plan - 1, first + 1).ptr = '\0';
  *std::to_chars(status, status + sizeof status - 1, first + 2).ptr = '\0';
  char* const arguments[] = {name, plan, status, nullptr};
  char* const environment[] = {nullptr};
  execve(restorer, arguments, environment);
  fail(first + 2);
  _exit(127);
}

/// What the restorer has to say; `before_steps` with no error if it has died without a word.
RestoreReport read_report(int descriptor) {
  RestoreReport report{RestoreReport::before_steps, 0};
  ssize_t count = 0;
  do {
    count = read(descriptor, &report, sizeof report);
  } while (count < 0 && errno == EINTR);
  return count == sizeof report ? report : RestoreReport{RestoreReport::before_steps, 0};
}

}  // namespace

ImageBudget image_budget(std::string_view text, const std::string& where) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(parsed.ptr,
                              static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  constexpr std::string_view units = "kMGT";
  const std::size_t power = unit.size() == 1 ? units.find(unit.front()) + 1 : 0;
  const bool is_number = parsed.ec == std::errc() && (unit.empty() || power > 0);
  const bool fits = power == 0 || value <= UINT64_MAX >> 10 * power;
  if (!is_number || !fits) {
    throw UsageError(fmt::format("'{}' is neither a count nor a size", text), where,
                     "write how many checkpoints to keep (500), or how much room they may take "
                     "(64k, 200M, 10G)");
  }
  if (value == 0) {
    throw UsageError("no checkpoint fits into nothing", where,
                     "keep at least 1, or do not ask for checkpoints");
  }
  if (unit.empty()) return {.images = value};
  return {.bytes = value << 10 * power};
}

ImageStore::ImageStore(std::filesystem::path directory)
    : directory_(std::move(directory)), restorer_(restorer_beside_command()) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    if (entry.path().filename().string().rfind(image_group_prefix, 0) == 0) {
      paths.push_back(entry.path());
    }
  }
  if (error) {
    throw UsageError(fmt::format("there are no checkpoints: {}", error.message()),
                     directory_.string(), "record with --checkpoint-every to have some");
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    const std::string name = path.filename().string();
    const std::size_t first_at = std::strlen(image_group_prefix) + number_digits + 1;
    const auto first = number_in(name, first_at);
    if (!first.has_value()) continue;
    if (groups_.empty()) dropped_ = *first;
    const ImageGroup group(path);
    if (group.is_torn()) torn_.push_back(path);
    groups_.push_back({path, *first, group.images().size()});
    for (const ImageHeader& image : group.images()) {
      images_.push_back({image.number, {image.rank, image.interval}});
    }
  }
}

std::filesystem::path ImageStore::restorer_beside_command() {
  std::error_code error;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", error);
  return command.parent_path().parent_path() / "lib" / "orrery" / "orrery-restore";
}

ReadImage ImageStore::read(std::uint64_t number) const {
  const auto after =
      std::upper_bound(groups_.begin(), groups_.end(), number,
                       [](std::uint64_t value, const Group& group) { return value < group.first; });
  const bool is_there = after != groups_.begin() && number - after[-1].first < after[-1].images;
  if (!is_there) {
    throw UsageError(
        number < dropped_
            ? fmt::format("checkpoint {} was dropped to keep within the budget", number)
            : fmt::format("there is no checkpoint {}: {} to {} are there", number, dropped_,
                          images_.empty() ? dropped_ : images_.back().number),
        directory_.string(), "choose one that is there, or record with a larger budget");
  }
  if (access(restorer_.c_str(), X_OK) != 0) {
    throw UsageError(
        fmt::format("checkpoints cannot be restored without it: {}", std::strerror(errno)),
        restorer_.string(), "build or install Orrery again");
  }
  const ImageGroup group(after[-1].path);
  return {number, std::make_shared<PreparedImage>(group, number - after[-1].first)};
}

int ImageStore::restore(const ReadImage& read, int descriptor) const {
  const PreparedImage& image = *read.content;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw UsageError(std::strerror(errno), "pipe", "close some files");
  }
  const std::string restorer = restorer_.string();
  const pid_t process = fork();
  if (process == 0) {
    become_restorer(restorer.c_str(), {descriptor, image.descriptor(), ends[1]},
                    image.first_free_descriptor());
  }
  const int error = errno;
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    throw UsageError(std::strerror(error), "fork", "end some processes");
  }
  const RestoreReport report = read_report(ends[0]);
  close(ends[0]);
  if (report.step == RestoreReport::done) return process;
  kill(process, SIGKILL);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  throw UsageError(
      fmt::format("checkpoint {} cannot be restored: {}: {}", read.number,
                  image.describe(report.step),
                  report.error == 0 ? "it died" : std::strerror(static_cast<int>(-report.error))),
      directory_.string(), "replay the log from its start");
}

}  // namespace orrery
