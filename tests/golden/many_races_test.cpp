// What is said of a race beyond the first ones of a run, and of what two writes leave.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void build(const WorkingDirectory& here, const std::string& source) {
  here.write("app.cpp", source);
  REQUIRE(here.shell("'" ORRERY_BINARY "' c++ -g -pthread app.cpp -o app").status == 0);
}

/// So many places race, each with itself.
std::string many_races(int count) {
  std::string source = fmt::format("#include <thread>\nint a[{}];\nstatic void work() {{\n", count);
  for (int i = 0; i < count; ++i) source += fmt::format("  a[{}] = a[{}] + 1;\n", i, i);
  return source + "}\nint main() {\n  std::thread x(work), y(work);\n  x.join();\n  y.join();\n}\n";
}

std::size_t count_tried(const json& report) {
  std::size_t tried = 0;
  for (const json& finding : report["findings"]) tried += finding.contains("confirmed") ? 1 : 0;
  return tried;
}

}  // namespace

TEST_CASE("Races that were not tried say so and how they are, and stand behind those that were") {
  const WorkingDirectory here;
  build(here, many_races(14));
  const CommandResult told = here.orrery("run --detect fasttrack ./app");
  INFO(told.err);
  REQUIRE(told.status == 1);
  CHECK(has(told.err, "not tried: of this run 10 races were; --detect fasttrack:races=14 tries"));
  CHECK(told.err.find("not tried: ") > told.err.rfind("confirmed: in a run"));
  CHECK(told.err.ends_with("\nstatus 1: 14 findings, 4 of them not tried\n"));
  const json report = json::parse(here.orrery("run --json --detect fasttrack ./app").out);
  CHECK(count_tried(report) == 10);
  CHECK(has(report["findings"][13]["notes"].dump(), "not tried: "));
}

TEST_CASE("As many races are tried as the detector is told to") {
  const WorkingDirectory here;
  build(here, many_races(14));
  for (const char* const detector : {"fasttrack", "recplay:matrix_clocks=no", "eraser", "hybrid"}) {
    CAPTURE(detector);
    const std::string with = has(detector, ":") ? "," : ":";
    const CommandResult all =
        here.orrery(fmt::format("run --json --detect {}{}races=20 ./app", detector, with));
    INFO(all.out << all.err);
    const json report = json::parse(all.out);
    REQUIRE(report["findings"].size() >= 14);
    CHECK(count_tried(report) == report["findings"].size());
    CHECK_FALSE(has(all.out, "not tried"));
  }
  const json none = json::parse(here.orrery("run --json --detect fasttrack:races=0 ./app").out);
  CHECK(count_tried(none) == 0);
  CHECK(here.orrery("run --detect fasttrack:races=x ./app").status == 2);
}

TEST_CASE("Of two writes that race it is told where what they leave depends on their order") {
  const WorkingDirectory here;
  const std::string writers =
      "#include <thread>\nint x;\nstatic void one() { x = 1; }\nstatic void two() { x = TWO; }\n"
      "int main() {\n  std::thread a(one), b(two);\n  a.join();\n  b.join();\n}\n";
  build(here, "#define TWO 2\n" + writers);
  const CommandResult other = here.orrery("run --detect fasttrack ./app");
  INFO(other.err);
  CHECK((has(other.err, "either order gives the same output; what is left there differs: 1 or 2") ||
         has(other.err, "either order gives the same output; what is left there differs: 2 or 1")));
  build(here, "#define TWO 1\n" + writers);
  const CommandResult same = here.orrery("run --detect fasttrack ./app");
  INFO(same.err);
  CHECK(has(same.err, "either order gives the same output\n"));
}

TEST_CASE("What two writes leave is told of memory that is given back at once, too") {
  const WorkingDirectory here;
  build(here, R"(#include <sys/mman.h>
#include <thread>
static int* shared;
static void one() { *shared = 1; }
int main() {
  shared = static_cast<int*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::thread a(one);
  *shared = 2;
  a.join();
  munmap(shared, 4096);
}
)");
  const CommandResult told = here.orrery("run --detect fasttrack ./app");
  INFO(told.err);
  CHECK(told.status == 1);
  CHECK(has(told.err, "what is left there differs: "));
}
