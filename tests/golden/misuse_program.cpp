#include "misuse_program.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

namespace orrery::test {

using nlohmann::json;

MisuseProgram::MisuseProgram(const std::string& prelude, const std::vector<Misuse>& all,
                             const std::string& language, const std::string& compiler)
    : all_(all) {
  std::string source = prelude;
  first_line_ = static_cast<unsigned>(std::count(source.begin(), source.end(), '\n')) + 2;
  std::string table = "static void (*const all[])(void) = {";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = "misuse_" + std::to_string(i);
    source += "static void " + name + "(void) {\n" + all[i].statement + "\n}\n";
    table += name + ", ";
  }
  source += table + R"(};
static void *worker(void *which) {
  all[(long)which]();
  return 0;
}
int main(int count, char **words) {
  pthread_t id;
  pthread_create(&id, 0, worker, (void *)(long)atoi(words[count - 1]));
  pthread_join(id, 0);
  return 0;
}
)";
  const std::string file = "app." + language;
  here_.write(file, source);
  const bool is_c = language == "c";
  const std::string flags = is_c ? "cc " : "c++ -std=c++20 ";
  const CommandResult built =
      here_.shell("ORRERY_CC=" + compiler + " ORRERY_CXX=" + compiler + " '" ORRERY_BINARY "' " +
                  flags + "-g -O0 -w -pthread -o app " + file);
  INFO(built.err);
  REQUIRE(built.status == 0);
}

void MisuseProgram::check(std::size_t index) const {
  const Misuse& one = all_[index];
  INFO(one.statement);
  const CommandResult result = here_.orrery("run --json ./app " + std::to_string(index));
  INFO(result.out << result.err);
  CHECK(result.status == 1);
  const json report = json::parse(result.out, nullptr, false);
  REQUIRE(report.is_object());
  REQUIRE(report["findings"].size() == 1);
  const json& finding = report["findings"][0];
  CHECK(finding["kind"] == one.kind);
  CHECK(has(finding["message"], one.message));
  const json& place = finding["where"].at(0);
  CHECK(place["task"] == "worker#1");
  if (one.function != nullptr) {
    CHECK(place["function"] == one.function);
  } else {
    CHECK(place["line"] == first_line_ + 3 * index);
  }
}

void MisuseProgram::check_findings() const {
  for (std::size_t i = 0; i < all_.size(); ++i) check(i);
}

}  // namespace orrery::test
