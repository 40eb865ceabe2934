// Accesses are told once between two operations, and again after each.
#include <set>
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "source_lines.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::racing_lines;
using orrery::test::WorkingDirectory;

/// The first writes are handed over by the semaphore.  The second are of the same bytes, and race:
/// of a few bytes, of many, and of a range that begins and ends within words.
const std::string program = R"(#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>
enum { many = 30000 };
static int few[4], large[many];
static char* range;
static sem_t ready;
static int writer(void* unused) {
  (void)unused;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4; ++i) few[i] = round;  // A
    for (int i = 0; i < many; ++i) large[i] = i;  // B
    memset(range + 3, round, 77777);  // C
    if (round == 0) sem_post(&ready);
  }
  return 0;
}
int main(void) {
  range = malloc(100000);
  sem_init(&ready, 0, 0);
  thrd_t other;
  thrd_create(&other, writer, NULL);
  sem_wait(&ready);
  int sum = few[3];  // D
  sum += large[many - 1];  // E
  sum += large[7];  // F
  sum += range[77779];  // G
  sum += range[2] + range[77780];
  thrd_join(other, NULL);
  return sum == -1;
}
)";

int line_of(const std::string& mark) {
  return orrery::test::line_of(program, "// " + mark);
}

}  // namespace

TEST_CASE("What was accessed before an operation is told again when it is accessed behind it") {
  const WorkingDirectory here;
  here.write("app.c", program);
  const CommandResult built =
      here.shell("'" ORRERY_BINARY "' cc -std=gnu11 -O1 -g -pthread app.c -o app");
  INFO(built.err);
  REQUIRE(built.status == 0);
  const std::set<std::pair<int, int>> races{{line_of("A"), line_of("D")},
                                            {line_of("B"), line_of("E")},
                                            {line_of("B"), line_of("F")},
                                            {line_of("C"), line_of("G")}};
  // Under the limit there is no room to note what was told.
  for (const std::string limit : {"", "ulimit -v 8000000; "}) {
    for (const std::string detector : {"fasttrack", "recplay"}) {
      CAPTURE(limit, detector);
      const CommandResult run =
          here.shell(limit + "'" ORRERY_BINARY "' run --json --detect " + detector + " ./app");
      INFO(run.err);
      REQUIRE(run.status == 1);
      CHECK(racing_lines(json::parse(run.out)) == races);
    }
  }
}
