#include "junit.hpp"

#include <string_view>

#include <fmt/format.h>

#include "files.hpp"

namespace orrery {
namespace {

/// How many bytes the UTF-8 character at the front has; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t count = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (count > text.size()) return 0;
  for (std::size_t i = 1; i < count; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) return 0;
  }
  return count;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t next = 0; next < text.size();) {
    const std::size_t count = character_bytes(text.substr(next));
    const char letter = text[next];
    if (count > 1) {
      result += text.substr(next, count);
      next += count;
      continue;
    }
    ++next;
    switch (letter) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += "&#10;"; break;
      default:
        // XML has no way to write what is not UTF-8, nor most control characters.
        result += count == 0 || (letter < ' ' && letter != '\t') ? '?' : letter;
    }
  }
  return result;
}

std::string place_text(const Finding& finding) {
  if (finding.where.empty()) return {};
  const FindingPlace& place = finding.where.front();
  return place.file.empty() ? place.function : fmt::format("{}:{}", place.file, place.line);
}

std::string failure(const Report& report, const FoundRun& found) {
  return fmt::format(
      "  <testcase classname=\"{}\" name=\"{} {}\">\n"
      "    <failure type=\"{}\" message=\"{}\">first in run {}, seen in {} runs&#10;{}&#10;{}"
      "</failure>\n"
      "  </testcase>\n",
      escaped(report.name), escaped(found.finding.title()), escaped(place_text(found.finding)),
      escaped(found.finding.title()), escaped(found.finding.message), found.run_index, found.count,
      escaped(found.timeline), escaped(found.replay_command));
}

std::string error(const Report& report, const LimitedRuns& limited) {
  return fmt::format(
      "  <testcase classname=\"{}\" name=\"limit {}\">\n"
      "    <error type=\"limit\" message=\"{} runs reached the limit {}, run {} first\"/>\n"
      "  </testcase>\n",
      escaped(report.name), name(limited.limit), limited.count, name(limited.limit),
      limited.run_index);
}

}  // namespace

std::string junit_xml(const Report& report) {
  const bool has_passed = report.outcome() == Report::Outcome::clean;
  const std::size_t errors = report.limits.size() + (report.has_missed_its_faults() ? 1 : 0);
  const std::size_t tests = has_passed ? 1 : report.findings.size() + errors;
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  xml += fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
                     escaped(report.name), tests, report.findings.size(), errors);
  xml += "  <properties>\n";
  const auto property = [&xml](std::string_view key, const std::string& value) {
    xml += fmt::format("    <property name=\"{}\" value=\"{}\"/>\n", key, escaped(value));
  };
  property("strategy", report.strategy);
  property("seed", std::to_string(report.seed));
  property("runs", std::to_string(report.runs));
  property("distinct_schedules", std::to_string(report.distinct_schedules));
  xml += "  </properties>\n";
  if (has_passed) {
    xml += fmt::format("  <testcase classname=\"{}\" name=\"{} runs\"/>\n", escaped(report.name),
                       report.runs);
  }
  for (const FoundRun& found : report.findings) xml += failure(report, found);
  for (const LimitedRuns& limited : report.limits) xml += error(report, limited);
  if (report.has_missed_its_faults()) {
    xml += fmt::format(
        "  <testcase classname=\"{}\" name=\"faults\">\n"
        "    <error type=\"faults\" message=\"no fault ever struck\"/>\n  </testcase>\n",
        escaped(report.name));
  }
  return xml + "</testsuite>\n";
}

void write_junit(const Report& report, const std::string& path) {
  detail::write_file(path, junit_xml(report));
}

}  // namespace orrery
