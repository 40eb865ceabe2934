// `--profile-locks` and `orrery record --method stride:protected=FILE`: accesses that need not be
// followed, and lists that are wrong.
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// Three threads that count, under a lock but for -DBUG; what is counted is read without it where
/// -DLOOKS says so, by a fourth.
const std::string counting =
    "#include <cstdio>\n#include <mutex>\n#include <pthread.h>\n#include <thread>\n"
    "#include <vector>\n"
    "volatile int counter = 0; volatile bool is_over = false; unsigned sum = 0;\n"
    "std::mutex mutex; pthread_barrier_t start;\n"
    "static void count() {\n"
    "  for (int j = 0; j < 300; ++j) {\n"
    "#ifdef BUG\n"
    "    counter = counter + 1;  // here\n"
    "#else\n"
    "    const std::lock_guard held(mutex);\n"
    "    counter = counter + 1;  // here\n"
    "#endif\n"
    "  }\n}\n"
    "static void look() {\n"
    "  for (int j = 0; j < 300; ++j) sum = sum * 31 + counter;\n}\n"
    "int main() {\n  pthread_barrier_init(&start, nullptr, 4);\n  std::vector<std::thread> all;\n"
    "  for (int i = 0; i < 4; ++i) {\n    all.emplace_back([i] {\n"
    "      pthread_barrier_wait(&start);\n"
    "      if (i < 3) count();\n"
    "#ifdef LOOKS\n"
    "      else look();\n"
    "#endif\n"
    "    });\n  }\n"
    "  for (auto& one : all) one.join();\n  std::printf(\"%d %u\\n\", counter, sum);\n}\n";

void profile(const WorkingDirectory& here) {
  for (int seed = 1; seed <= 2; ++seed) {
    const CommandResult run = here.orrery(
        fmt::format("run --quiet --seed {} --window 50us --profile-locks list ./app", seed));
    INFO(run.err);
    REQUIRE(run.status == 0);
  }
}

CommandResult record(const WorkingDirectory& here, const std::string& more = "") {
  return here.orrery("record --json --method stride:protected=list " + more + " -o run.orr ./app");
}

/// The replays' output and what is said of them, where it is the same on all machines.
std::string replayed(const WorkingDirectory& here, const std::string& flags = "") {
  std::set<std::string> outputs;
  for (const char* const machine : {"", "--seed 8 --window 30us", "--window inf"}) {
    const CommandResult again = here.orrery(fmt::format("replay {} {} run.orr", flags, machine));
    outputs.insert(again.out + again.err.substr(0, again.err.find("\nrun ")));
  }
  REQUIRE(outputs.size() == 1);
  return *outputs.begin();
}

std::string list_of(const WorkingDirectory& here) {
  return here.shell("cat list").out;
}

std::string stat(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\":");
  return at == std::string::npos ? "" : json.substr(at, json.find_first_of(",}", at) - at);
}

}  // namespace

TEST_CASE("Accesses under a lock are switched off by a profile, and the run is done again") {
  const WorkingDirectory here;
  build_hooked(here, counting);
  profile(here);
  CHECK_THAT(list_of(here), Catch::Contains("protected_rw"));
  CHECK_THAT(list_of(here), Catch::Contains("app.cpp:14 count"));
  CHECK(!has(list_of(here), "unprotected 0x"));
  const CommandResult real = record(here);
  INFO(real.err);
  REQUIRE(real.status == 0);
  // Without the list there are 1,800 to the counter alone.
  CHECK(stat(real.out, "accesses").size() < std::string("\"accesses\": 999").size());
  CHECK_THAT(replayed(here), Catch::Contains("900 0\n") && Catch::Contains("no finding"));
}

TEST_CASE("What readers without the lock have read comes again where writes have no order") {
  const WorkingDirectory here;
  build_hooked(here, counting, "-O2 -DLOOKS");
  profile(here);
  CHECK_THAT(list_of(here), Catch::Contains("protected_w ") && Catch::Contains("unprotected "));
  for (int seed = 0; seed < 5; ++seed) {
    const CommandResult real = here.orrery(
        fmt::format("record --quiet --method stride:protected=list --inject-delays=50us --seed {} "
                    "-o run.orr ./app",
                    seed));
    INFO(real.err);
    REQUIRE(real.status == 0);
    CHECK(replayed(here) == real.out + "no finding");
  }
}

TEST_CASE("A race is not taken for protected, and a list that says so is found out") {
  const WorkingDirectory here;
  build_hooked(here, counting, "-O2 -DBUG");
  profile(here);
  CHECK_THAT(list_of(here), Catch::Contains("unprotected "));
  CHECK_THAT(list_of(here), Catch::Contains("app.cpp:11 count"));
  const CommandResult real = here.orrery(
      "record --quiet --method stride:protected=list --inject-delays=50us -o run.orr ./app");
  REQUIRE(real.status == 0);
  CHECK(replayed(here) == real.out + "no finding");
  // By hand, as somebody does who believes that it is.
  REQUIRE(here.shell("sed -i 's/^unprotected /protected_rw/' list").status == 0);
  REQUIRE(record(here, "--inject-delays=50us").status == 0);
  const CommandResult again = here.orrery("replay run.orr");
  CHECK(again.status == 1);
  CHECK_THAT(again.err, Catch::Contains("depends on an access that was switched off"));
  CHECK_THAT(again.err, Catch::Contains("app.cpp:11 in count"));
  // The order of writes alone.
  REQUIRE(here.shell("sed -i 's/^protected_rw/protected_w /' list").status == 0);
  REQUIRE(record(here, "--inject-delays=50us").status == 0);
  CHECK_THAT(here.orrery("replay --seed 3 --window 50us run.orr").err,
             Catch::Contains("depends on an access that was switched off"));
}

TEST_CASE("A list by hand names lines, and a replay makes a schedule of what was left out") {
  const WorkingDirectory here;
  build_hooked(here, counting);
  here.write("list", "# what the mutex protects\nprotected_rw app.cpp:14\n");
  const CommandResult real =
      here.orrery("record --quiet --method stride:protected=list -o run.orr ./app");
  INFO(real.err);
  REQUIRE(real.status == 0);
  CHECK(replayed(here) == real.out + "no finding");
  REQUIRE(here.orrery("replay --quiet --record steps.orr run.orr").status == 0);
  CHECK(here.orrery("replay steps.orr").out == real.out);
}

TEST_CASE("A replay of a recorded run makes a profile, too") {
  const WorkingDirectory here;
  build_hooked(here, counting, "-O2 -DLOOKS");
  REQUIRE(here.orrery("record --quiet --method stride -o run.orr ./app").status == 0);
  REQUIRE(here.orrery("replay --quiet --profile-locks list run.orr").status == 0);
  CHECK_THAT(list_of(here), Catch::Contains("build-id "));
  const CommandResult real =
      here.orrery("record --quiet --method stride:protected=list -o run.orr ./app");
  REQUIRE(real.status == 0);
  CHECK_THAT(replayed(here), Catch::Contains(real.out));
}

TEST_CASE("A list that cannot be used is one clear error") {
  const WorkingDirectory here;
  build_hooked(here, counting);
  const auto complaint = [&](const std::string& list) {
    here.write("list", list);
    const CommandResult result = record(here);
    CHECK(result.status == 2);
    CHECK(here.shell("ls -d run.orr*").status != 0);
    return result.out + result.err;
  };
  CHECK_THAT(complaint("protected_rw app.cpp:14\nprotected_x app.cpp:14\n"),
             Catch::Contains("list:2") && Catch::Contains("'protected_x' is no way"));
  CHECK_THAT(complaint("\nprotected_rw\n"), Catch::Contains("list:2"));
  CHECK_THAT(complaint("protected_rw app.cpp\n"), Catch::Contains("'app.cpp' is no FILE:LINE"));
  CHECK_THAT(complaint("protected_w 0x12zz\n"), Catch::Contains("'0x12zz' is no number"));
  CHECK_THAT(complaint("protected_rw 0x1234\n"), Catch::Contains("no line says of which build-id"));
  CHECK_THAT(complaint("build-id 00ff\nprotected_rw 0x1234\n"),
             Catch::Contains("of another build of the program"));
  CHECK_THAT(complaint("protected_rw other.cpp:3\n"),
             Catch::Contains("list:1") && Catch::Contains("no access is at other.cpp:3"));
  const CommandResult missing =
      here.orrery("record --method stride:protected=none -o run.orr ./app");
  CHECK(missing.status == 2);
  const CommandResult other = here.orrery("record --method stride:slots=3 -o run.orr ./app");
  CHECK(other.status == 2);
  here.write("list", "hello\n");
  CHECK(here.orrery("run --profile-locks list ./app").status == 2);
  CHECK(list_of(here) == "hello\n");
}
