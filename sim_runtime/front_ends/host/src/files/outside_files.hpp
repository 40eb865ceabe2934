// The files that were there before the run: the system's, or those of a log.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <orrery/sim_runtime/program_inputs.hpp>

#include "input_notes.hpp"

namespace orrery::host {

/// Looks at files from within a run, and notes what was looked at.  Never changes one.  What the
/// record has comes from the record, whatever the system has by that name.
class OutsideFiles {
 public:
  /// Null ends the use of a record.  It must outlive its use.
  void use_record(const ProgramInputs* record);

  /// Returns -1 with `errno` if it is not there.  A program sees nothing of a file but what a
  /// record keeps, so that it sees the same in a replay: kind, permissions, size and date of
  /// change.
  int status(const std::string& path, struct stat& result);
  /// For reading, with an offset of its own; -1 with `errno`.
  int open(const std::string& path, int flags);
  /// Sorted; nothing, with `errno`, if it is no directory.
  std::optional<std::vector<std::string>> names_in(const std::string& directory);
  [[nodiscard]] bool may_write(const std::string& path) const;
  /// What the host of a rank is called, for the rank's eyes; `here`: what it is called in this run.
  const char* host_name(std::int32_t rank, const char* here);

  /// What a record says that a rank was told: its `process`, or how many `processors` there are;
  /// nothing if there is none.
  std::optional<std::int64_t> recorded_number(std::int32_t rank, const char* what);
  /// The same of what is no number.
  std::optional<std::string> recorded_text(std::int32_t rank, const char* what);
  /// From now on it is told that, and a record of the run has it.
  void note_number(std::int32_t rank, const char* what, std::int64_t number);
  /// The same, where a new run is recorded by order; the run itself goes on as it would.
  void note_for_replay(std::int32_t rank, const char* what, std::int64_t number);
  /// From the next run on threads have arenas, which no record has.
  void give_arenas() { next_arena_ = 0; }
  /// The number of a thread's; nothing: it gets none.
  std::optional<std::uint32_t> new_arena() {
    return next_arena_ ? std::optional((*next_arena_)++) : std::nullopt;
  }

  /// Where the clocks of a rank begin.
  [[nodiscard]] const ClockOrigins& clock_origins(std::int32_t rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return index < clock_origins_.size() ? clock_origins_[index] : simulated_clock_origins;
  }
  /// A variable of the environment that the ranks of the recorded run had different values of;
  /// null: the same for all.
  [[nodiscard]] char* variable_of(std::int32_t rank, const char* name);

  /// What was noted, as it is now.  Files that cannot be read any more are left out.
  [[nodiscard]] ProgramInputs collect(const InputPolicy& policy) const;
  [[nodiscard]] InputNotes& notes() { return notes_; }
  [[nodiscard]] InputTape& tape() { return tape_; }

 private:
  [[nodiscard]] const InputFile* recorded(const std::string& path) const;
  /// The program was started there, or found something below: so it was there.
  [[nodiscard]] bool is_above_recorded(const std::string& path) const;

  InputNotes notes_;
  InputTape tape_;
  std::map<std::string, const InputFile*> record_;
  std::string recorded_directory_;
  std::map<std::string, std::string> recorded_hosts_;  // by what they stand under
  std::vector<ClockOrigins> clock_origins_;            // by rank
  std::optional<std::uint32_t> next_arena_;
};

/// Stands in `ProgramInputs::environment` for no variable: none can be called so.  Names of hosts
/// are there as `=host 3`, of rank 3, numbers as `=process 3`, `=processors 3`
/// and `=own-processors 3`, and what only
/// that rank had as `=of 3 NAME`.
[[nodiscard]] inline bool is_variable(const std::string& name) {
  return !name.starts_with('=');
}

/// Is it one of the files that the system makes up when they are read?
[[nodiscard]] bool is_made_up(const std::string& path);

}  // namespace orrery::host
