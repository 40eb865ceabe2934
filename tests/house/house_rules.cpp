#include "house_rules.hpp"

#include <algorithm>
#include <regex>

namespace orrery::house {
namespace {

constexpr std::size_t file_lines_max = 500;
constexpr std::size_t function_lines_max = 80;

void append(std::vector<Fault>& all, const std::vector<Fault>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::vector<Fault> check_size_and_leftovers(const SourceFile& file) {
  // Put together here, so that this file does not find itself.
  static const std::regex leftover(std::string("\\b(TO") + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b");
  std::vector<Fault> faults;
  const auto lines = lines_of(file.text);
  if (lines.size() > file_lines_max) {
    faults.push_back({file.path, 0, "long file", std::to_string(lines.size()) + " lines"});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!std::regex_search(lines[i].begin(), lines[i].end(), leftover)) continue;
    faults.push_back({file.path, i + 1, "leftover", "do it, or write an issue"});
  }
  for (const FunctionSpan& span : functions_of(without_literals(file.text))) {
    const std::size_t count = span.last_line - span.first_line + 1;
    if (count <= function_lines_max) continue;
    faults.push_back(
        {file.path, span.first_line, "long function", std::to_string(count) + " lines"});
  }
  return faults;
}

std::vector<Fault> without_allowed(const std::vector<Fault>& faults,
                                   const std::vector<Allowance>& allowed) {
  std::vector<Fault> left;
  std::vector<bool> used(allowed.size(), false);
  for (const Fault& fault : faults) {
    const auto found = std::find_if(allowed.begin(), allowed.end(), [&](const Allowance& one) {
      return one.path == fault.path && one.rule == fault.rule;
    });
    if (found == allowed.end()) {
      left.push_back(fault);
    } else {
      used[static_cast<std::size_t>(found - allowed.begin())] = true;
    }
  }
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (used[i]) continue;
    left.push_back({allowed[i].path, 0, "idle allowance",
                    "breaks no rule '" + allowed[i].rule + "': take it off the list"});
  }
  return left;
}

std::vector<Fault> check_house(const std::vector<SourceFile>& files) {
  std::vector<SourceFile> headers;
  std::copy_if(files.begin(), files.end(), std::back_inserter(headers), [](const SourceFile& file) {
    return file.path.size() > 4 && file.path.substr(file.path.size() - 4) == ".hpp";
  });
  std::vector<Fault> faults;
  for (const SourceFile& file : files) {
    append(faults, check_includes(file));
    append(faults, check_determinism(file, headers));
    append(faults, check_size_and_leftovers(file));
  }
  return without_allowed(faults, allowances());
}

}  // namespace orrery::house
