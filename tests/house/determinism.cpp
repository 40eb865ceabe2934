#include <algorithm>
#include <regex>
#include <set>

#include "house_rules.hpp"

namespace orrery::house {
namespace {

// Where a run is decided or written down.  Front ends and the recorder on real machines stand at
// the border: they see the real clock by trade.
bool decides(const std::string& path) {
  for (const char* folder : {"network_model/", "sim_runtime/include/", "sim_runtime/src/",
                             "replay_core/include/", "replay_core/src/", "explorers/"}) {
    if (path.rfind(folder, 0) == 0) return true;
  }
  return false;
}

struct Pattern {
  const char* rule;
  std::regex expression;
  const char* what;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all{
      {"wall clock",
       std::regex(R"(\b(system_clock|steady_clock|high_resolution_clock)\b(?!::time_point)|)"
                  R"(\b(clock_gettime|gettimeofday|timespec_get|__rdtsc|localtime|gmtime)\b|)"
                  R"(\btime\s*\(\s*(NULL|nullptr|0)\s*\))"),
       "reads the wall clock"},
      {"foreign randomness",
       std::regex(R"(\b(random_device|mt19937|mt19937_64|minstd_rand|default_random_engine|)"
                  R"(random_shuffle|getrandom|srand|rand|drand48)\b\s*[({;)>,]|\w+_distribution\b|)"
                  R"(\bstd::(random_device|shuffle|sample)\b)"),
       "draws from what is not the chooser, or differs between standard libraries"},
      {"hash", std::regex(R"(\bstd::hash\b|\bhash_value\s*\()"),
       "uses a hash that differs between standard libraries"},
      {"address order",
       std::regex(R"(\bstd::(multi)?(map|set)\s*<[^,<>]*\*|\bstd::(less|greater)\s*<[^<>]*\*\s*>)"),
       "orders by addresses"},
      {"locale", std::regex(R"(\b(setlocale|std::locale)\b)"), "depends on the locale"},
  };
  return all;
}

void add_unordered_names(const std::string& code, std::set<std::string>& names) {
  static const std::regex opening(R"(\bunordered_(multi)?(map|set)\s*<)");
  for (std::sregex_iterator match(code.begin(), code.end(), opening), end; match != end; ++match) {
    auto at = static_cast<std::size_t>(match->position() + match->length());
    for (int depth = 1; at < code.size() && depth > 0; ++at) {
      if (code[at] == '<') ++depth;
      if (code[at] == '>') --depth;
    }
    at = std::min(code.find_first_not_of(" \n&", at), code.size());
    std::size_t last = at;
    while (last < code.size() &&
           (std::isalnum(static_cast<unsigned char>(code[last])) != 0 || code[last] == '_')) {
      ++last;
    }
    if (last > at) names.insert(code.substr(at, last - at));
  }
}

// The headers of the folders that `code` includes by name.
std::set<std::string> unordered_names(const std::string& code,
                                      const std::vector<SourceFile>& headers) {
  std::set<std::string> names;
  add_unordered_names(code, names);
  static const std::regex include(R"(#include\s*[<"]([^>"]+)[>"])");
  for (std::sregex_iterator match(code.begin(), code.end(), include), end; match != end; ++match) {
    const std::string suffix = "/" + (*match)[1].str();
    for (const SourceFile& header : headers) {
      const bool named =
          header.path.size() > suffix.size() &&
          header.path.compare(header.path.size() - suffix.size(), suffix.size(), suffix) == 0;
      if (named) add_unordered_names(without_literals(header.text), names);
    }
  }
  return names;
}

// The last name of a range or of what stands before `.begin()`: `this->pairs_` gives `pairs_`.
void check_hash_order(const SourceFile& file, const std::vector<std::string_view>& lines,
                      const std::set<std::string>& names, std::vector<Fault>& faults) {
  static const std::regex walk(
      R"(\bfor\s*\([^;)]*[^:]:\s*[\w.>*-]*?(\w+)\s*\)|\b(\w+)\s*(?:\.|->)\s*c?begin\s*\()");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string line(lines[i]);
    for (std::sregex_iterator match(line.begin(), line.end(), walk), end; match != end; ++match) {
      const std::string name = (*match)[1].matched ? (*match)[1] : (*match)[2];
      if (names.count(name) == 0) continue;
      faults.push_back({file.path, i + 1, "hash order", "walks over '" + name + "' in hash order"});
    }
  }
}

}  // namespace

std::vector<Fault> check_determinism(const SourceFile& file,
                                     const std::vector<SourceFile>& headers) {
  std::vector<Fault> faults;
  if (!decides(file.path)) return faults;
  const std::string code = without_literals(file.text);
  const auto lines = lines_of(code);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const Pattern& pattern : patterns()) {
      if (!std::regex_search(lines[i].begin(), lines[i].end(), pattern.expression)) continue;
      faults.push_back({file.path, i + 1, pattern.rule, pattern.what});
    }
  }
  check_hash_order(file, lines, unordered_names(code, headers), faults);
  return faults;
}

}  // namespace orrery::house
