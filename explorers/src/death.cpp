#include <algorithm>
#include <csignal>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <sys/wait.h>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/finding_json.hpp>
#include <orrery/sim_runtime/signal_text.hpp>
#include <orrery/sim_runtime/user_frames.hpp>

namespace orrery {
namespace {

/// ` at address 0x8`, where the processor says which.
std::string address_text(const CrashReport& report) {
  const bool has_one = report.signal == SIGSEGV || report.signal == SIGBUS;
  if (!has_one || report.code <= 0) return {};  // or sent by somebody
  if (report.code == SI_KERNEL) {
    // A general protection fault: the processor does not say where the access went.
    return " at an address that cannot be: not canonical, or not aligned as the instruction needs";
  }
  const bool is_jump = report.fault_address == report.program_counter;
  return fmt::format(" {} address {:#x}", is_jump ? "by a jump to" : "at", report.fault_address);
}

/// `AddressSanitizer: heap-buffer-overflow (a write of 4 bytes)`.
std::string memory_error_text(const CrashReport& report) {
  std::string text = fmt::format("AddressSanitizer: {}", report.memory_error.data());
  if (report.access_bytes == 0) return text;
  return text + fmt::format(" (a {} of {} {})", report.is_write ? "write" : "read",
                            report.access_bytes, report.access_bytes == 1 ? "byte" : "bytes");
}

/// The return address in this process for one in the process that died; 0: nowhere.
std::uintptr_t return_address_here(const CrashReport& report, std::uintptr_t address) {
  // It may lie behind its function, or its file.
  const std::uintptr_t call = report.here(address - 1);
  return call == 0 ? 0 : call + 1;
}

/// The innermost line that belongs to the program, and the calls that led there.
FindingPlace place_of(const CrashReport& report) {
  Symbolizer symbolizer;
  const std::size_t count = std::min<std::size_t>(report.frame_count, CrashReport::frames_max);
  std::vector<std::uintptr_t> frames(report.frames.begin(), report.frames.begin() + count);
  for (std::uintptr_t& frame : frames) frame = return_address_here(report, frame);
  FindingPlace place;
  place.stack = user_frames(symbolizer, frames, report.here(report.program_counter));
  if (place.stack.empty()) return place;
  place.file = place.stack.front().file;
  place.line = place.stack.front().line;
  place.function = place.stack.front().function;
  if (place.stack.size() == 1) place.stack.clear();  // it says nothing that the place does not
  return place;
}

std::string name_of(const TaskLabel& label) {
  if (label.task == TaskLabel::no_task) return {};
  const std::string name = label.name.data();
  if (!name.empty()) return name;
  if (label.start_function == 0) return fmt::format("task {}", label.task);
  Symbolizer symbolizer;
  return fmt::format("{}#{}", thread_name(symbolizer, label.start_function), label.start_number);
}

/// Who died, with addresses of this process.
TaskLabel task_of(const CrashReport& report, const TaskLabel& ran_last) {
  if (report.task.task == TaskLabel::no_task) return ran_last;
  TaskLabel label = report.task;
  label.start_function = report.here(label.start_function);
  return label;
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

Outcome outcome_of_death(int status, const CrashReport& report, const TaskLabel& ran_last) {
  Outcome outcome;
  const bool has_report = report.is_filled != 0;
  const std::string task = name_of(has_report ? task_of(report, ran_last) : ran_last);
  if (has_report && report.is_hang) {
    outcome.status = Outcome::Status::limit;
    outcome.limit = Limit::wall_time;
    if (task.empty()) return outcome;  // nobody's turn: the run was about to be told of
    outcome.spins_at = place_of(report);
    outcome.spins_at->task = task;
    outcome.spins_at->role = "ran on without an operation that others could see";
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
    place.task = task;
    place.role = "crashed here";
    finding.message = "the program died of " + signal_text(report.signal) + address_text(report);
    if (report.is_stack_overflow) finding.message = overflow_text(report, place.task);
    if (report.memory_error[0] != '\0') finding.message = memory_error_text(report);
    if (report.broken_invariant[0] != '\0') finding.message = report.broken_invariant.data();
  } else if (WIFSIGNALED(status)) {
    finding.message = "the program was killed by " + signal_text(WTERMSIG(status));
  } else {
    finding.kind = FindingKind::exit;
    finding.message =
        fmt::format("the program ended its process with status {}", WEXITSTATUS(status));
    finding.exit_code = WEXITSTATUS(status);
  }
  if (has_report || !task.empty()) finding.where.push_back(std::move(place));
  outcome.findings.push_back(std::move(finding));
  if (!has_report || report.findings[0] == '\0') return outcome;
  for (Finding& more : findings_from_json_text(report.findings.data())) {
    outcome.findings.push_back(std::move(more));
  }
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
