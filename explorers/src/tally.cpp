#include "tally.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace orrery::detail {

namespace {

/// The order in a report.
std::tuple<std::uint64_t, std::string, std::uint32_t, std::uint64_t> place_in(const FoundRun& run) {
  if (run.finding.where.empty()) return {run.run_index, {}, 0, run.finding.key()};
  const FindingPlace& place = run.finding.where.front();
  return {run.run_index, place.file, place.line, run.finding.key()};
}

}  // namespace

void Tally::add(const RunRecord& record, const FaultCounts* faults) {
  ++runs_;
  steps_ += record.steps;
  longest_ns_ = std::max(longest_ns_, record.end_ns);
  if (faults != nullptr) faults_.add(*faults);
  if (faults == nullptr || !faults->has_fired()) ++runs_without_fault_;
  if ((record.flags & RunRecord::abandoned) != 0) {
    ++abandoned_;
  } else {
    schedules_.add(record.schedule_hash);
  }
  if (record.finding_key != 0) ++counts_[record.finding_key];
  for (const std::uint64_t race : record.other_races) {
    if (race != 0) ++counts_[race];
  }
  for (const RunRecord::Suppressed& one : record.suppressed) {
    if (one.count != 0) suppressed_[one.rule] += one.count;
  }
  if ((record.flags & RunRecord::limited) != 0) ++limit_counts_[record.limit];
}

void Tally::add_found(std::uint64_t key, FoundRun found) {
  const auto [entry, is_new] = found_.try_emplace(key);
  if (is_new || found.run_index < entry->second.run_index) entry->second = std::move(found);
}

void Tally::add_limited(LimitedRuns limited) {
  const auto [entry, is_new] = limited_.try_emplace(static_cast<std::uint32_t>(limited.limit));
  if (is_new || limited.run_index < entry->second.run_index) entry->second = std::move(limited);
}

void Tally::write_to(Report& report) const {
  report.runs = runs_;
  report.steps = steps_;
  report.suppressed = suppressed_;
  report.abandoned = abandoned_;
  report.longest_virtual_time_ns = longest_ns_;
  report.first_output = first_output_;
  report.faults = faults_;
  report.runs_without_fault = runs_without_fault_;
  report.distinct_schedules = schedules_.count();
  report.distinct_is_exact = schedules_.is_exact();
  for (const auto& [key, found] : found_) {
    const auto count = counts_.find(key);
    if (count == counts_.end()) continue;
    report.findings.push_back(found);
    report.findings.back().count = count->second;
  }
  std::sort(report.findings.begin(), report.findings.end(),
            [](const FoundRun& a, const FoundRun& b) { return place_in(a) < place_in(b); });
  for (const auto& [limit, limited] : limited_) {
    const auto count = limit_counts_.find(limit);
    if (count == limit_counts_.end()) continue;
    report.limits.push_back(limited);
    report.limits.back().count = count->second;
  }
}

}  // namespace orrery::detail
