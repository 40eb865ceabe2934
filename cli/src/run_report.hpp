// What `run` and `replay` say of one run.
#pragma once

#include <string>

#include "console.hpp"
#include "isolated_run.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// One run that was done, and how to speak of it.
struct RunReport {
  std::string command;
  const FoundProgram* program = nullptr;
  std::uint64_t seed = 0;
  std::uint64_t run_index = 0;
  const IsolatedResult* result = nullptr;
  std::string log;        ///< of this run; empty: none
  std::string other_log;  ///< of the run that belongs to the first finding; empty: none
  bool is_saved = false;  ///< was the log written just now?
  std::string hint;       ///< a last line for people; may be empty
};

/// Prints it: for people on standard error, or as the JSON object on standard output.
void print_run(const Console& console, const RunReport& report);

/// 1 with a finding, 3 at a limit or where the run was left, else 0.
[[nodiscard]] int exit_status(const IsolatedResult& result);
/// `clean`, `finding` or `limit`, for the JSON object.
[[nodiscard]] std::string outcome_name(const IsolatedResult& result);

}  // namespace orrery::cli
