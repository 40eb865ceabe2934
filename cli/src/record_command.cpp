// `orrery record`: an MPI program, or one of threads, on the real machine, to be replayed in
// simulation.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/program_host/hosted_program.hpp>
#include <orrery/replay_core/real_log.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/thread_spool.hpp>

#include "command.hpp"
#include "files.hpp"
#include "finding_text.hpp"
#include "inlined_atomics.hpp"
#include "input_flags.hpp"
#include "json_report.hpp"
#include "mpi_names.hpp"
#include "recorded_command.hpp"
#include "recorded_method.hpp"

namespace orrery::cli {
namespace {

constexpr const char* command_advice =
    "orrery record -o FILE ./program, or of MPI: orrery record -o FILE mpirun -n 4 ./program";

std::string shell_words(const Operands& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

class RecordCommand final : public Command {
 public:
  [[nodiscard]] std::string_view name() const override { return "record"; }
  [[nodiscard]] std::string_view summary() const override {
    return "record an MPI job, or a program of threads, on the real machine";
  }
  [[nodiscard]] std::string_view operands() const override { return "COMMAND [ARGS...]"; }
  [[nodiscard]] bool takes_program() const override { return true; }

  void declare(Flags& flags) override {
    flags.text("--method", method_, "NAME", recorded_methods_text() + "; found out");
    flags.text("-o", log_path_, "FILE", "where the log goes");
    flags.toggle_with_value("--inject-delays", longest_delay_, "1ms",
                            "[=DURATION] sleep so long at most (1ms) before sends, receives, locks "
                            "and the like, now and then");
    inputs_.declare_keeping(flags);
    flags.whole_number("--seed", seed_, "of --inject-delays (0)");
    flags.toggle("--keep-output", keeps_output_,
                 "keep the standard output, too: a replay that writes something else says so");
  }

  int run(const Console& console, const Operands& operands) override {
    check_flags(operands);
    const bool salvages = operands.empty();
    const RecordedMethod method = recorded_method(method_, salvages ? "" : operands.front());
    if (keeps_output_ && !method.is_of_threads) {
      throw UsageError("is for programs of threads: which rank's lines come first is open",
                       "--keep-output", "orrery replay --expect-output FILE compares them");
    }
    if (!salvages) check_is_real(operands.front());
    SpoolDirectory spools(*log_path_, salvages);
    RecordedEnd end;
    try {
      if (!salvages) end = run_recorded(start_of(console, operands, spools, method));
    } catch (const UsageError&) {
      spools.remove();
      throw;
    }
    RecordedJob job = read_recorded_job(spools.path(), inputs_.policy());
    if (job.lacks_atomics()) job.unseen_atomics = functions_with_atomics(job.program_path);
    try {
      check(job, salvages, method);
    } catch (const UsageError&) {
      spools.remove();
      throw;
    }
    const std::vector<Finding> findings = job.findings(end.status);
    write(job, findings, end, spools);
    return print(console, job, findings, end);
  }

 private:
  void check_flags(const Operands& operands) const {
    if (!log_path_) {
      check_command(operands);
      const std::string command = operands.empty() ? "" : shell_words(operands);
      throw UsageError("no file is given for the log", "-o",
                       command.empty() ? command_advice : "orrery record -o FILE " + command);
    }
    if (seed_ && longest_delay_.empty()) {
      throw UsageError("is for injected delays only", "--seed", "add --inject-delays");
    }
    if (keeps_output_ && operands.empty()) {
      throw UsageError("no command is given whose output could be kept", "--keep-output",
                       "leave it out");
    }
    static_cast<void>(delays());
    static_cast<void>(inputs_.policy());
    check_can_write(*log_path_, "-o");
  }

  /// What stands behind the first word that is no flag goes to the command, `-o FILE` with it.
  void check_command(const Operands& operands) const {
    if (longest_delay_.empty() || operands.empty() || !place_in_path(operands.front()).empty()) {
      return;
    }
    throw UsageError("there is no program '" + operands.front() + "'", "orrery record",
                     "is it the duration?  --inject-delays=" + operands.front() +
                         " has it behind an equals sign");
  }

  static void check_is_real(const std::string& command) {
    const std::filesystem::path place = place_in_path(command);
    std::error_code error;
    if (!std::filesystem::equivalent(place.parent_path(), mpi_names_directory(), error)) return;
    throw UsageError("it is Orrery's own, which simulates", place.string(),
                     "give the real one: /usr/bin/" + place.filename().string());
  }

  [[nodiscard]] RecordedStart start_of(const Console& console, const Operands& operands,
                                       const SpoolDirectory& spools,
                                       const RecordedMethod& method) const {
    RecordedStart start;
    start.method = method;
    start.command = operands;
    start.spool_directory = spools.path();
    start.output = console.is_json ? RecordedOutput::given_back
                   : keeps_output_ ? RecordedOutput::given_and_passed_on
                                   : RecordedOutput::untouched;
    start.delays = delays();
    start.inputs = inputs_.policy();
    return start;
  }

  [[nodiscard]] std::optional<InjectedDelays> delays() const {
    if (longest_delay_.empty()) return std::nullopt;
    const VirtualDuration longest = parse_duration(longest_delay_, "--inject-delays");
    constexpr std::int64_t ps_per_ns = 1000;
    return InjectedDelays{static_cast<std::uint64_t>(longest.picoseconds() / ps_per_ns),
                          seed_.value_or(0)};
  }

  /// Is there anything to be replayed?
  static void check(const RecordedJob& job, bool salvages, const RecordedMethod& method) {
    if (job.ranks.empty() && salvages) {
      throw UsageError("no command is given, and no recording was left unfinished", "orrery record",
                       command_advice);
    }
    const bool is_there = !job.ranks.empty() && !job.program_path.empty();
    if (!is_there && method.is_of_threads && !salvages) {
      throw UsageError("the program could not be watched", "orrery record",
                       "is it linked dynamically, and may be preloaded into?  An MPI job is "
                       "recorded with --method wildcards");
    }
    if (!is_there) {
      throw UsageError("no rank of the command has begun MPI where it could be seen",
                       "orrery record",
                       "is it an MPI program that is linked with the shared libmpi of Open MPI "
                       "4.1, and calls MPI_Init from C or C++?");
    }
    if ((job.thread_gaps & thread_spool::openmp_teams) != 0) {
      throw UsageError(
          "the program has threads of OpenMP, which wait and share out work where no "
          "recorder of real threads sees it",
          "orrery record", "orrery run --record FILE keeps a simulated run of it");
    }
    if (!job.is_one_program()) {
      throw UsageError("its ranks run different programs, or the same with different arguments",
                       "orrery record",
                       "a replay has one program: make one of them, which asks for its rank");
    }
  }

  void write(const RecordedJob& job, const std::vector<Finding>& findings, const RecordedEnd& end,
             SpoolDirectory& spools) const {
    SimulationOptions machine;  // as `orrery run -n RANKS` has it
    machine.window = VirtualDuration::zero();
    machine.stack_bytes = hosted_stack_bytes;
    // A real notification may come later than was seen.
    machine.spurious_wakeups = job.is_of_threads();
    if (job.accesses) machine.preemption = Preemption::all;
    // A log that is cut goes on otherwise.
    if (keeps_output_ && job.gaps().empty()) machine.expected_output = end.output;
    RealLog log;
    // A second of polling is ten million steps, of which the log knows the last.
    machine.step_limit = UINT64_MAX;
    log.settings = RunSettings::of(machine);
    log.findings = findings;
    log.job = &job;
    try {
      save_real_log(*log_path_, log);
    } catch (const UsageError&) {
      // All that it takes is in memory now; the ranks' files may be what fills the disk.
      spools.remove();
      save_real_log(*log_path_, log);
    }
    spools.remove();
  }

  int print(const Console& console, const RecordedJob& job, const std::vector<Finding>& findings,
            const RecordedEnd& end) const {
    const std::vector<std::string> gaps = job.gaps();
    const bool has_failed = !findings.empty() || end.status != 0;
    int status = has_failed ? status_finding : status_clean;
    if (!gaps.empty()) status = job.is_refused() ? status_usage : std::max(status, status_limit);
    if (has_failed && !job.is_refused()) status = status_finding;
    if (console.is_json) {
      print_json(job, findings, end, has_failed ? "finding" : gaps.empty() ? "clean" : "limit");
      return status;
    }
    const Paint paint = Paint::for_stream(console, STDERR_FILENO);
    SourceLines sources(std::filesystem::path(job.program_path).parent_path().string());
    std::string text = findings_text(findings, paint, sources);
    if (findings.empty() && end.status != 0) {
      text += fmt::format("orrery: the command ended with status {}, and {} says why\n", end.status,
                          job.is_of_threads() ? "nothing that it has left" : "no rank");
    }
    print_err(text);
    for (const std::string& line : gaps) print_err("orrery: the log is cut: " + line + "\n");
    for (const std::string& line : job.remarks()) print_note(console, "orrery: " + line + "\n");
    print_note(console, saved_text(*log_path_, "orrery replay " + shell_word(*log_path_), paint));
    return status;
  }

  void print_json(const RecordedJob& job, const std::vector<Finding>& findings,
                  const RecordedEnd& end, const std::string& outcome) const {
    JsonReport report;
    report.command = "record";
    report.program = job.program_path;
    report.runs = 1;
    report.outcome = outcome;
    report.output = end.output;
    for (const Finding& finding : findings) report.findings.push_back({finding, *log_path_});
    const RecordCounts counts = count_records(job);
    report.stats = {{"ranks", job.ranks.size()},
                    {"command_status", end.status},
                    {"command_seconds", end.seconds},
                    {"racing_receives", counts.sources},
                    {"polls", counts.polls},
                    {"selections", counts.selections},
                    {"cancellations", counts.cancellations},
                    {"threads", job.threads.size()},
                    {"stamped", counts.stamped},
                    {"stamps_kept", counts.stamps_kept},
                    {"stamp_bytes", counts.stamp_bytes},
                    {"objects_kept", counts.objects_kept},
                    {"object_bytes", counts.object_bytes},
                    {"dates_read", counts.dates},
                    {"draws", counts.draws},
                    {"files_looked_at", job.inputs.files.size()},
                    {"accesses", counts.accesses},
                    {"reads", counts.reads},
                    {"shared_variables", counts.variables},
                    {"turns", counts.turns},
                    {"bounds", counts.bounds},
                    {"places_switched_off", counts.switched_off},
                    {"places_without_order", counts.without_order},
                    {"log_bytes", std::filesystem::file_size(*log_path_)},
                    {"gaps", job.gaps()},
                    {"remarks", job.remarks()}};
    Json object = to_json(report);
    object["log"] = *log_path_;
    print_out(json_text(object));
  }

  std::optional<std::string> method_;
  std::optional<std::string> log_path_;
  std::string longest_delay_;  ///< of --inject-delays; empty: none
  std::optional<std::uint64_t> seed_;
  bool keeps_output_ = false;
  InputFlags inputs_;
};

}  // namespace

std::unique_ptr<Command> make_record_command() {
  return std::make_unique<RecordCommand>();
}

}  // namespace orrery::cli
