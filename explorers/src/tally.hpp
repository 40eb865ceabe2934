// The counts and findings of a search, read off in the order of the run indices.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "distinct_count.hpp"
#include "report.hpp"
#include "search_block.hpp"

namespace orrery::detail {

/// What a search has come to so far.  A value type; `search_state.hpp` puts it into a file.
class Tally {
 public:
  /// The next run's result; `faults` null: none was possible.
  void add(const RunRecord& record, const FaultCounts* faults = nullptr);
  /// A run that shows a finding, or (finding key 0) a limit; kept if it is the earliest of its
  /// kind.  May come before or after the run's record.
  void add_found(std::uint64_t key, FoundRun found);
  void add_limited(LimitedRuns limited);
  void set_first_output(std::string output) { first_output_ = std::move(output); }

  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  [[nodiscard]] std::uint64_t distinct_schedules() const { return schedules_.count(); }
  [[nodiscard]] std::uint64_t findings() const { return counts_.size(); }
  [[nodiscard]] bool has_finding() const { return !counts_.empty(); }
  /// Fills in everything that was counted; what was told of runs that do not count is left out.
  void write_to(Report& report) const;

 private:
  friend struct TallyFile;

  std::uint64_t runs_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t abandoned_ = 0;
  std::map<std::uint64_t, std::uint64_t> suppressed_;  // by rule
  std::int64_t longest_ns_ = 0;
  FaultCounts faults_;
  std::uint64_t runs_without_fault_ = 0;
  std::string first_output_;
  DistinctCount schedules_;
  std::map<std::uint64_t, std::uint64_t> counts_;        // by finding key
  std::map<std::uint64_t, FoundRun> found_;              // by finding key
  std::map<std::uint32_t, std::uint64_t> limit_counts_;  // by limit
  std::map<std::uint32_t, LimitedRuns> limited_;         // by limit
};

}  // namespace orrery::detail
