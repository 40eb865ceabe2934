// What a run came to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/network_model/fault_plan.hpp>
#include <orrery/network_model/virtual_time.hpp>
#include <orrery/sim_runtime/source_frame.hpp>
#include <orrery/sim_runtime/written_file.hpp>

namespace orrery {

/// The kinds that JSON, logs and the matcher name.
enum class FindingKind : std::uint8_t {
  assertion,
  exception,
  crash,
  exit,
  deadlock,
  livelock,
  data_race,
  message_race,
  mpi_usage,
  leak,
  divergence,
  property,
};
[[nodiscard]] std::string_view name(FindingKind kind);
[[nodiscard]] std::optional<FindingKind> finding_kind(std::string_view name);

/// `mpi_usage/truncation`, as front ends name a finding: its kind and, if it has one, its class.
struct FindingTitle {
  FindingKind kind = FindingKind::property;  ///< also of what is no kind
  std::string class_name;
  [[nodiscard]] static FindingTitle parse(std::string_view text);
};

/// A lock that a task holds.
struct HeldLock {
  std::string lock;  ///< its name: `mutex accounts[2].lock`
  std::string file;  ///< where it was taken; empty if not known
  std::uint32_t line = 0;
  friend bool operator==(const HeldLock&, const HeldLock&) = default;
};

/// One place that a finding speaks of.
struct FindingPlace {
  std::string file;  ///< as the compiler named it; empty if not known
  std::uint32_t line = 0;
  std::string function;  ///< without parameters; empty if not known
  std::string task;      ///< the task's name: `rank 2`, `worker`
  std::string role;      ///< what it does there: `waits for mutex m`, `holds`, `failed here`
  /// The program's own functions that are being called there, the innermost first, with those that
  /// were inlined; empty where the stack was not walked.
  std::vector<SourceFrame> stack;
  /// What the task holds there; nothing where nobody looked.
  std::optional<std::vector<HeldLock>> locks = {};
  friend bool operator==(const FindingPlace&, const FindingPlace&) = default;
};

/// How the program came to this place, in words: `called from app.c:12 in main`, the nearest first,
/// only the first few of many.
[[nodiscard]] std::vector<std::string> callers(const FindingPlace& place);

/// Is there a run that shows what a finding says?
enum class Confirmation : std::uint8_t { none, confirmed, unconfirmed };

/// A violation: a value, never an exception.
struct Finding {
  FindingKind kind = FindingKind::assertion;
  std::string message;
  std::vector<FindingPlace> where;  ///< the first is the place that identifies it
  /// What sort of its kind it is, in lower-case words: `truncation`, `leak`; often empty.
  std::string class_name = {};
  /// With which status a process ended, or what `MPI_Abort` was given: of findings of kind `exit`.
  std::optional<std::int32_t> exit_code = {};
  /// What else there is to know, in whole sentences; no part of what the finding is.
  std::vector<std::string> notes = {};
  /// Of a race: was it tried to have both accesses pending at once, and did that succeed?
  Confirmation confirmation = Confirmation::none;

  /// Kind and class: `mpi_usage (truncation)`.
  [[nodiscard]] std::string title() const;
  /// Same kind and class at the same place: what searches fold and shrinkers keep.  A finding that
  /// has no class (logs of before had none) is the same as one of any class.
  [[nodiscard]] bool is_same_as(const Finding& other) const;
  /// A stable number of kind, class and places, for folding across processes.
  [[nodiscard]] std::uint64_t key() const;
};

/// Which bound stopped a run.
enum class Limit : std::uint8_t { none, steps, virtual_time, wall_time };
[[nodiscard]] std::string_view name(Limit limit);

/// How a run ended.
struct Outcome {
  enum class Status : std::uint8_t { clean, finding, limit, abandoned };
  Status status = Status::clean;
  Limit limit = Limit::none;
  std::vector<Finding> findings;  ///< usually none or one; leaks may be several
  std::uint64_t steps = 0;
  std::uint64_t questions = 0;    ///< choices that were asked
  std::uint64_t preemptions = 0;  ///< times another task was chosen while one could go on
  std::uint64_t messages = 0;     ///< messages sent
  FaultCounts faults;             ///< what could fail, and did
  VirtualTime end;                ///< the clock at the end
  std::string output;             ///< what the program wrote, in virtual-time order
  /// What an unchanged program has made of files, by path; only where an observer wants `files`.
  std::vector<WrittenFile> files;
  /// Of a run that a limit ended: where the task was that ran last.
  std::optional<FindingPlace> spins_at;

  [[nodiscard]] bool is_clean() const { return status == Status::clean; }
};
[[nodiscard]] std::string_view name(Outcome::Status status);

}  // namespace orrery

/// Called when a run comes to a finding, in the task that did, and does nothing: it is there for
/// breakpoints (`orrery replay --gdb` sets one).
extern "C" void orrery_finding(const char* kind, const char* message);
