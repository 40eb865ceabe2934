#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../src/measuring.hpp"
#include "../src/temporary_directory.hpp"
#include "mpi_bench.hpp"

namespace orrery::bench {
namespace {

/// A pair of programs: one with a bug of a class, one without.
struct TwinPrograms {
  std::string class_name;
  std::string name;
  std::string ranks;
  std::string flags;  ///< of the search
};

std::vector<TwinPrograms> read_pairs(const std::string& path) {
  std::vector<TwinPrograms> pairs;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    TwinPrograms pair;
    std::getline(words, pair.class_name, '|');
    std::getline(words, pair.name, '|');
    std::getline(words, pair.ranks, '|');
    std::getline(words, pair.flags, '|');
    pairs.push_back(pair);
  }
  return pairs;
}

std::string with_underscores(std::string text) {
  for (char& c : text) c = c == ' ' ? '_' : c;
  return text;
}

/// What a search of a program came to: nothing found is empty.
struct Search {
  std::string kind;
  std::string class_name;
  std::string message;
  bool has_failed = false;  ///< the search itself
};

Search search(const std::string& directory, const TwinPrograms& pair, const char* twin) {
  const std::string command = fmt::format(
      "cd '{}' && '{}' explore --json --no-shrink --runs 100 --step-limit 20000 -o '{}.orr' -n {} "
      "{} {} ./{} {}_{} 2>/dev/null",
      directory, ORRERY_BINARY, pair.name, pair.ranks, pair.flags,
      pair.class_name == "message race" ? "--detect message_race" : "",
      with_underscores(pair.class_name), pair.name, twin);
  std::string output;
  std::array<char, 4096> part{};
  std::FILE* const pipe = popen(command.c_str(), "r");
  while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe) != nullptr) {
    output += part.data();
  }
  if (pipe != nullptr) pclose(pipe);
  const auto report = nlohmann::json::parse(output, nullptr, false);
  if (report.is_discarded() || !report.contains("findings")) return {"", "", output, true};
  if (report["findings"].empty()) return {};
  const auto& finding = report["findings"][0];
  return {finding["kind"], finding.value("class", ""), finding["message"]};
}

/// Most classes are of the kind `mpi_usage`; these are kinds of their own.
bool is_of_class(const Search& found, const std::string& class_name) {
  static const std::map<std::string, std::string> kinds{
      {"deadlock", "deadlock"},
      {"deadlock that depends on buffering", "deadlock"},
      {"message race", "message_race"}};
  const auto kind = kinds.find(class_name);
  if (kind == kinds.end()) return found.kind == "mpi_usage" && found.class_name == class_name;
  const char* const sort = class_name == "deadlock" ? "certain" : "depends on buffering";
  return found.kind == kind->second && (found.kind != "deadlock" || found.class_name == sort);
}

/// A line of the table.
struct Row {
  int programs = 0;
  int found = 0;
  int in_class = 0;
  int twins_flagged = 0;
  [[nodiscard]] bool is_as_it_should_be() const {
    return found * 2 == programs && in_class * 2 == programs && twins_flagged == 0;
  }
  void operator+=(const Row& other) {
    programs += other.programs;
    found += other.found;
    in_class += other.in_class;
    twins_flagged += other.twins_flagged;
  }
};

void print(const std::string& title, const Row& row) {
  fmt::print("{:36} {:>8} {:>6} {:>9} {:>14}   {}\n", title, row.programs, row.found, row.in_class,
             row.twins_flagged, row.is_as_it_should_be() ? "met" : "missed");
  std::fflush(stdout);
}

std::string in_words(const Search& found) {
  if (found.has_failed) return "the search failed: " + found.message;
  if (found.kind.empty()) return "nothing found";
  return fmt::format("{} ({}): {}", found.kind, found.class_name, found.message);
}

void look_at(const std::string& directory, const TwinPrograms& pair, bool is_verbose, Row& row) {
  const Search buggy = search(directory, pair, "buggy");
  const Search mended = search(directory, pair, "mended");
  const bool is_found = !buggy.kind.empty();
  const bool is_right = is_found && is_of_class(buggy, pair.class_name);
  const bool is_flagged = mended.has_failed || !mended.kind.empty();
  row += {2, is_found ? 1 : 0, is_right ? 1 : 0, is_flagged ? 1 : 0};
  if (!is_verbose) return;
  if (!is_right) fmt::print("  {}_buggy: {}\n", pair.name, in_words(buggy));
  if (is_flagged) fmt::print("  {}_mended: {}\n", pair.name, in_words(mended));
}

void build(const std::string& directory, const std::string& class_name) {
  const std::string stem = with_underscores(class_name);
  run_command(fmt::format("cd '{}' && '{}' cc -g -O0 -pthread {}.c -o {}", directory, ORRERY_BINARY,
                          stem, stem));
}

}  // namespace

bool print_mpi_usage(const std::string& only, bool is_verbose) {
  const TemporaryDirectory scratch;
  const std::string& directory = scratch.path();
  run_command(fmt::format("'{}/mpi_usage/generate.sh' '{}'", ORRERY_PROGRAMS, directory));
  std::vector<std::string> classes;  // in their order
  std::map<std::string, std::vector<TwinPrograms>> pairs;
  for (const TwinPrograms& pair : read_pairs(directory + "/programs.txt")) {
    if (!only.empty() && pair.class_name != only) continue;
    if (pairs[pair.class_name].empty()) classes.push_back(pair.class_name);
    pairs[pair.class_name].push_back(pair);
  }
  fmt::print("{:36} {:>8} {:>6} {:>9} {:>14}\n", "class", "programs", "found", "in class",
             "twins flagged");
  Row total;
  const double start = wall_seconds();
  for (const std::string& name : classes) {
    Row row;
    try {
      build(directory, name);
      for (const TwinPrograms& pair : pairs[name]) look_at(directory, pair, is_verbose, row);
    } catch (const std::exception& error) {
      row = {2 * static_cast<int>(pairs[name].size())};
      fmt::print("  not built: {}\n", error.what());
    }
    print(name, row);
    total += row;
  }
  print("all", total);
  fmt::print("{:.0f} s\n", wall_seconds() - start);
  return total.programs > 0 && total.is_as_it_should_be();
}

}  // namespace orrery::bench
