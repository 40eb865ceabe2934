// OpenMP programs, as gcc compiles them: every construct does what it says in any schedule, and the
// bugs that people write with it are found, while their mended twins have none.
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

const fs::path sources = fs::path(ORRERY_SOURCE_DIR) / "tests" / "golden" / "openmp";

/// `compiler` is `cc` or `c++`; both take the same sources.
void build(const WorkingDirectory& here, const std::string& compiler, const std::string& file,
           const std::string& flags = {}) {
  const std::string language = compiler == "cc" ? "c" : "c++";
  const CommandResult built = here.orrery(compiler + " -g -O1 -fopenmp " + flags + " -o app -x " +
                                          language + " '" + (sources / file).string() + "'");
  INFO(built.err);
  REQUIRE(built.status == 0);
}

TEST_CASE("Every construct does what it says, under every strategy, in C and C++") {
  const std::string compiler = GENERATE("cc", "c++");
  const std::string file = GENERATE("constructs.c", "waiting_iterations.c");
  const WorkingDirectory here;
  build(here, compiler, file);
  CHECK(here.orrery("run ./app").out == "ok\n");
  for (const std::string strategy : {"random", "pct", "pos", "round_robin"}) {
    const CommandResult result =
        here.orrery("explore --runs 150 --strategy " + strategy + " ./app");
    INFO(strategy << "\n" << result.out << result.err);
    CHECK(result.status == 0);
  }
}

TEST_CASE("A team has four threads on every machine, or what the environment says") {
  const WorkingDirectory here;
  here.write("size.c", R"(#include <omp.h>
#include <stdio.h>
int main(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
#pragma omp parallel
#pragma omp single
  printf("%d %d %d\n", omp_get_num_threads(), (int)kind, chunk);
  return 0;
}
)");
  REQUIRE(here.orrery("cc -fopenmp -o app size.c").status == 0);
  CHECK(here.orrery("run ./app").out == "4 2 1\n");
  const std::string orrery = "'" ORRERY_BINARY "' run ./app";
  CHECK(here.shell("OMP_NUM_THREADS=7 OMP_SCHEDULE=guided,3 " + orrery).out == "7 3 3\n");
  CHECK(here.shell("OMP_NUM_THREADS=none OMP_SCHEDULE=odd " + orrery).out == "4 2 1\n");
}

TEST_CASE("What of OpenMP is not simulated is refused by its name") {
  const WorkingDirectory here;
  here.write("detached.c", R"(#include <omp.h>
int main(void) {
  omp_event_handle_t event;
#pragma omp parallel
#pragma omp single
#pragma omp task detach(event)
  omp_fulfill_event(event);
  return 0;
}
)");
  REQUIRE(here.orrery("cc -g -fopenmp -o app detached.c").status == 0);
  const CommandResult result = here.orrery("run ./app");
  INFO(result.err);
  CHECK(result.status == 2);
  CHECK(has(result.err, "detached.c:6 in main"));
  CHECK(has(result.err, "OpenMP's detached tasks are not in the simulated machine"));
}

TEST_CASE(
    "An iteration that does not wait for what it reads is a data race; one that waits is none") {
  const WorkingDirectory here;
  const std::string wait = GENERATE("", "#pragma omp ordered depend(sink : i - 1)");
  here.write("row.c", R"(#include <stdio.h>
int main(void) {
  int i, sum[12] = {1};
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (i = 1; i < 12; ++i) {
)" + wait + R"(
    sum[i] = sum[i - 1] + i;
#pragma omp ordered depend(source)
  }
  return 0;
}
)");
  REQUIRE(here.orrery("cc -g -O1 -fopenmp -o app row.c").status == 0);
  const CommandResult result = here.orrery("explore --runs 30 --detect fasttrack ./app");
  INFO(result.out << result.err);
  CHECK(result.status == (wait.empty() ? 1 : 0));
  CHECK(has(result.out, "data_race: ") == wait.empty());
}

TEST_CASE("A program of clang's OpenMP is told to use gcc") {
  const WorkingDirectory here;
  here.write("team.c", R"(#include <stdio.h>
int main(void) {
#pragma omp parallel
  puts("hello");
  return 0;
}
)");
  const CommandResult built =
      here.shell("ORRERY_CC=clang '" ORRERY_BINARY "' cc -g -fopenmp -o app team.c");
  INFO(built.err);
  REQUIRE(built.status == 0);
  const CommandResult result = here.orrery("run ./app");
  INFO(result.err);
  CHECK(result.status == 2);
  CHECK(has(result.err, "team.c:3 in main: __kmpc_"));
  CHECK(has(result.err, "is a call of OpenMP as clang compiles it"));
  CHECK(has(result.err, "build it with gcc"));
}

struct Twins {
  const char* name;  ///< the macro that chooses it in `twins.c`
  const char* kind;
};
constexpr Twins twins[] = {
    {"MISSING_BARRIER", "assertion"},    {"MISSING_TASKWAIT", "assertion"},
    {"MISSING_DEPENDENCE", "assertion"}, {"SPLIT_CRITICAL", "assertion"},
    {"LOCK_ORDER", "deadlock"},          {"SINGLE_WITHOUT_WAIT", "assertion"},
    {"MISSING_ORDER", "assertion"},      {"GROUP_LEFT_EARLY", "assertion"},
};

TEST_CASE("Bugs that people write with OpenMP are found, and their mended twins have none") {
  const std::string compiler = GENERATE("cc", "c++");
  const WorkingDirectory here;
  for (const Twins& one : twins) {
    INFO(one.name);
    build(here, compiler, "twins.c", std::string("-D") + one.name);
    const CommandResult found = here.orrery("explore --json --runs 300 -o bug.orr ./app");
    INFO(found.out << found.err);
    REQUIRE(found.status == 1);
    CHECK(json::parse(found.out).at("findings").at(0).at("kind") == one.kind);
    const CommandResult again = here.orrery("replay --json bug.orr");
    CHECK(again.status == 1);
    CHECK(json::parse(again.out).at("findings").at(0).at("kind") == one.kind);
    build(here, compiler, "twins.c", std::string("-DMENDED -D") + one.name);
    const CommandResult clean = here.orrery("explore --runs 300 ./app");
    INFO(clean.out << clean.err);
    CHECK(clean.status == 0);
  }
}

TEST_CASE("A missing reduction is a data race under every schedule of the loop") {
  const std::string schedule = GENERATE("static", "dynamic", "guided");
  const WorkingDirectory here;
  const std::string sum = R"(#include <stdio.h>
int main(void) {
  int i;
  long sum = 0;
#pragma omp parallel for schedule()" +
                          schedule + ") MENDED\n" +
                          R"(  for (i = 0; i < 8; ++i) {
    sum += i;
  }
  printf("%ld\n", sum);
  return 0;
}
)";
  const auto with = [&](std::string clause) {
    std::string text = sum;
    text.replace(text.find(" MENDED"), 7, clause);
    here.write("sum.c", text);
    const CommandResult built = here.orrery("cc -g -O1 -fopenmp -o app sum.c");
    INFO(built.err);
    REQUIRE(built.status == 0);
  };
  with("");
  const CommandResult racy = here.orrery("run --json --detect fasttrack ./app");
  INFO(racy.out << racy.err);
  REQUIRE(racy.status == 1);
  const json finding = json::parse(racy.out).at("findings").at(0);
  CHECK(finding["kind"] == "data_race");
  CHECK(finding["where"].at(0)["line"].get<int>() >= 5);
  CHECK(finding["where"].at(0)["line"].get<int>() <= 7);
  CHECK(here.orrery("explore --runs 20 --detect fasttrack ./app").status == 1);
  with(" reduction(+ : sum)");
  const CommandResult clean = here.orrery("explore --runs 50 --detect fasttrack ./app");
  INFO(clean.out << clean.err);
  CHECK(clean.status == 0);
}

TEST_CASE("Recorders that leave the order of steps open refuse teams of OpenMP, as real runs do") {
  const WorkingDirectory here;
  here.write("sum.c", R"(#include <stdio.h>
int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 10; ++i) sum += i;
  printf("%d\n", sum);
}
)");
  REQUIRE(here.orrery("cc -g -O1 -fopenmp -o app sum.c").status == 0);
  for (const char* const method : {"lamport-order", "instant-replay", "stride --preempt all"}) {
    CAPTURE(method);
    const CommandResult run =
        here.orrery("run --record run.orr --method " + std::string(method) + " ./app");
    CHECK(run.status == 2);
    CHECK(has(run.err, "does not keep"));
  }
  for (const char* const method : {"lamport-order", "stride"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery("record -o real.orr --method " + std::string(method) + " ./app");
    CHECK(real.status == 2);
    CHECK(has(real.err, "threads of OpenMP"));
  }
  REQUIRE(here.orrery("run --quiet --record run.orr ./app").status == 0);
  CHECK(here.orrery("replay --quiet --seed 5 run.orr").status == 0);
}

}  // namespace
