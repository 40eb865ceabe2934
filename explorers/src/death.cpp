#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <orrery/explorers/death.hpp>
#include <orrery/sim_runtime/symbolizer.hpp>

namespace orrery {
namespace {

/// `SIGSEGV (invalid memory reference)`.
std::string signal_text(int signal) {
  const char* const abbreviation = sigabbrev_np(signal);
  const char* const description = sigdescr_np(signal);
  if (abbreviation == nullptr || description == nullptr) return fmt::format("signal {}", signal);
  return fmt::format("SIG{} ({})", abbreviation, description);
}

/// `AddressSanitizer: heap-buffer-overflow (a write of 4 bytes)`.
std::string memory_error_text(const CrashReport& report) {
  std::string text = fmt::format("AddressSanitizer: {}", report.memory_error.data());
  if (report.access_bytes == 0) return text;
  return text + fmt::format(" (a {} of {} {})", report.is_write ? "write" : "read",
                            report.access_bytes, report.access_bytes == 1 ? "byte" : "bytes");
}

/// Is the address in a library of the system or in our MPI, so that what called it is of interest?
bool is_in_library(std::uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0) return false;
  const std::string_view path = info.dli_fname == nullptr ? "" : info.dli_fname;
  return path.starts_with("/lib") || path.starts_with("/usr/lib") ||
         path.substr(path.rfind('/') + 1).starts_with("libmpi.so");
}

/// Is it the machine's, or the host's of a program?
bool is_ours(std::string_view function) {
  return function.starts_with("orrery::detail::") || function.starts_with("orrery::host::") ||
         function.starts_with("orrery::ProgramImage::");
}

/// The innermost line that belongs to the program.
FindingPlace place_of(const CrashReport& report) {
  Symbolizer symbolizer;
  FindingPlace place;
  const auto take = [&place](const SourcePlace& found) {
    for (const SourceFrame& frame : found.frames) {
      const bool is_users =
          !frame.file.empty() && !frame.file.starts_with("/usr/") && !is_ours(frame.function);
      if (!is_users) continue;
      place.file = frame.file;
      place.line = frame.line;
      place.function = frame.function;
      return true;
    }
    return false;
  };
  const std::uintptr_t counter = report.program_counter;
  bool is_found =
      counter != 0 && !is_in_library(counter) && take(symbolizer.resolve_exact(counter));
  const std::size_t count = std::min<std::size_t>(report.frame_count, CrashReport::frames_max);
  for (std::size_t i = 0; i < count && !is_found; ++i) {
    is_found = !is_in_library(report.frames[i]) && take(symbolizer.resolve(report.frames[i]));
  }
  return place;
}

/// Whom the dying process named, else `otherwise`.
std::string name_of(const CrashReport& report, const std::string& otherwise) {
  if (report.task == CrashReport::no_task) return otherwise;
  const std::string name = report.task_name.data();
  return name.empty() ? fmt::format("task {}", report.task) : name;
}

std::string overflow_text(const CrashReport& report, const std::string& task) {
  if (report.stack_bytes == 0) return "stack overflow";
  return fmt::format(
      "stack overflow of {}: its stack has {} KiB (--stack-size, or "
      "SimulationOptions::stack_bytes, "
      "gives it more)",
      task, report.stack_bytes / 1024);
}

}  // namespace

Outcome outcome_of_death(int status, const CrashReport& report, const std::string& task) {
  Outcome outcome;
  const bool has_report = report.is_filled != 0;
  if (has_report && report.is_hang) {
    outcome.status = Outcome::Status::limit;
    outcome.limit = Limit::wall_time;
    return outcome;
  }
  outcome.status = Outcome::Status::finding;
  Finding finding;
  finding.kind = FindingKind::crash;
  FindingPlace place;
  place.task = task;
  place.role = "ran last";
  if (has_report) {
    place = place_of(report);
    place.task = name_of(report, task);
    place.role = "crashed here";
    finding.message = "the program died of " + signal_text(report.signal);
    if (report.is_stack_overflow) finding.message = overflow_text(report, place.task);
    if (report.memory_error[0] != '\0') finding.message = memory_error_text(report);
    if (report.broken_invariant[0] != '\0') finding.message = report.broken_invariant.data();
  } else if (WIFSIGNALED(status)) {
    finding.message = "the program was killed by " + signal_text(WTERMSIG(status));
  } else {
    finding.kind = FindingKind::exit;
    finding.message =
        fmt::format("the program ended its process with status {}", WEXITSTATUS(status));
  }
  if (has_report || !task.empty()) finding.where.push_back(std::move(place));
  outcome.findings.push_back(std::move(finding));
  return outcome;
}

bool is_held_by_debugger() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view field = "TracerPid:\t";
    if (line.starts_with(field)) return line.substr(field.size()) != "0";
  }
  return false;
}

}  // namespace orrery
