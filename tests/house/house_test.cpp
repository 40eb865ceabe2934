// That this house keeps its own rules.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "house_rules.hpp"

namespace fs = std::filesystem;
using namespace orrery::house;

namespace {

const std::vector<std::string> folders{"network_model", "sim_runtime", "replay_core", "explorers",
                                       "scenarios",     "cli",         "bench",       "tests"};

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<SourceFile> our_files() {
  const fs::path root = ORRERY_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string suffix = entry.path().extension();
      const bool source = suffix == ".cpp" || suffix == ".hpp" || suffix == ".c" || suffix == ".h";
      if (!source || !entry.is_regular_file()) continue;
      files.push_back({fs::relative(entry.path(), root), contents(entry.path())});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace

TEST_CASE("The house keeps its rules") {
  const std::vector<SourceFile> files = our_files();
  REQUIRE(files.size() > 30);
  for (const Fault& fault : check_house(files)) {
    std::ostringstream text;
    text << fault;
    FAIL_CHECK(text.str());
  }
}

TEST_CASE("Each folder says what lives in it") {
  for (const std::string& folder : folders) {
    CAPTURE(folder);
    CHECK(fs::file_size(fs::path(ORRERY_SOURCE_DIR) / folder / "README.md") > 100);
  }
}
