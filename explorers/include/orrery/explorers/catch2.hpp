// Matchers for Catch2, 2.13 and 3: `CHECK_THAT(report, orrery::NoFindings())`.  Header only;
// include it after or instead of Catch2's own.
#pragma once

#if __has_include(<catch2/matchers/catch_matchers.hpp>)
#include <catch2/matchers/catch_matchers.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>

#include <orrery/explorers/report.hpp>

namespace orrery {
namespace detail {
#if __has_include(<catch2/matchers/catch_matchers.hpp>)
using ReportMatcher = Catch::Matchers::MatcherBase<Report>;
#else
using ReportMatcher = Catch::MatcherBase<Report>;
#endif
}  // namespace detail

/// Matches a report without findings whose runs all came to an end.  A failed check prints the
/// finding, the timeline of the shrunk run and the command that replays it.
///
///     CHECK_THAT(orrery::explore(options, program), orrery::NoFindings());
class NoFindings final : public detail::ReportMatcher {
 public:
  [[nodiscard]] bool match(const Report& report) const override {
    text_ = text(report);
    return report.exit_status() == 0;
  }
  [[nodiscard]] std::string describe() const override {
    return "should have no findings\n" + text_;
  }

 private:
  mutable std::string text_;
};

/// Matches a report with a finding of this kind.
///
///     CHECK_THAT(report, orrery::FindsA(orrery::FindingKind::deadlock));
class FindsA final : public detail::ReportMatcher {
 public:
  explicit FindsA(FindingKind kind) : kind_(kind) {}
  [[nodiscard]] bool match(const Report& report) const override {
    text_ = text(report);
    for (const FoundRun& found : report.findings) {
      if (found.finding.kind == kind_) return true;
    }
    // One run of a log, and the log is of another search: nothing was looked for.
    return report.replayed && report.runs == 0;
  }
  [[nodiscard]] std::string describe() const override {
    return "should find: " + std::string(name(kind_)) + "\n" + text_;
  }

 private:
  FindingKind kind_;
  mutable std::string text_;
};

}  // namespace orrery

/// What Catch2 prints as the left side of a failed check.
template <>
struct Catch::StringMaker<orrery::Report> {
  static std::string convert(const orrery::Report& report) {
    return "the search of '" + report.name + "'";
  }
};
