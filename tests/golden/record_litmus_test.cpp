// Store buffers of this machine's cores: a program shows them by itself, in some of a hundred
// thousand rounds, and never while it is recorded with its memory.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <sched.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

// In each round both threads set off at once, write a word of their own and read the other's: the
// rounds in which neither has seen the other's write are printed.  Nobody records who waits for
// whom, or the threads would hardly be there at once; who waits for long touches a word now and
// then, so that its access before is over, and gives way, where only one thread runs at a time.
// Words of each round are new ones, or the same again.
const std::string source =
    "#include <cstdlib>\n#include <cstdio>\n#include <mutex>\n#include <thread>\n"
    "struct alignas(64) Padded { volatile long value; };\n"
    "constexpr int rounds_max = 100000;\n"
    "static Padded arrived[2], touched[2], words[2], own[2][rounds_max];\n"
    "static long seen[2][rounds_max], counted;\nstatic bool gives_way;\nstatic std::mutex mutex;\n"
    "#define APART __attribute__((no_sanitize_thread, noinline))\n"
    "APART static void arrive(int me, long round) { arrived[me].value = round; }\n"
    "APART static bool has_come(int other, long round) {\n"
    "  for (int looks = 0; looks < 200; ++looks)\n"
    "    if (arrived[other].value >= round) return true;\n"
    "  return false;\n}\n"
    "static inline void set_off(int me, long round) {\n"
    "  if (round % 64 == 0) { const std::lock_guard held(mutex); ++counted; }\n"
    "  arrive(me, round);\n  while (!has_come(1 - me, round)) {\n"
    "    touched[me].value = touched[1 - me].value + 1;\n"
    "    if (gives_way) std::this_thread::yield();\n  }\n}\n"
    "static void again(int me, long rounds) {\n  for (long i = 1; i <= rounds; ++i) {\n"
    "    set_off(me, i);\n    words[me].value = i;\n    seen[me][i - 1] = words[1 - me].value;\n"
    "  }\n}\n"
    "static void anew(int me, long rounds) {\n  for (long i = 1; i <= rounds; ++i) {\n"
    "    set_off(me, i);\n    own[me][i - 1].value = i;\n"
    "    seen[me][i - 1] = own[1 - me][i - 1].value;\n  }\n}\n"
    "int main(int count, char** arguments) {\n  gives_way = count > 3;\n"
    "  const auto work = arguments[1][1] == 'g' ? again : anew;\n"
    "  const long rounds = std::atol(arguments[2]);\n"
    "  std::thread other(work, 1, rounds);\n  work(0, rounds);\n  other.join();\n  long both = 0;\n"
    "  for (long i = 0; i < rounds; ++i) both += seen[0][i] < i + 1 && seen[1][i] < i + 1;\n"
    "  std::printf(\"%ld\\n\", both);\n}\n";

bool has_one_core() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) == 1;
}

/// Does the program, left to itself, show a store buffer?  Else its recordings say nothing.
bool shows_store_buffers(const WorkingDirectory& here, const std::string& words) {
  constexpr int attempts = 20;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const CommandResult alone = here.shell(fmt::format("./app {} 100000", words));
    REQUIRE(alone.status == 0);
    if (alone.out != "0\n") return true;
  }
  return false;
}

}  // namespace

TEST_CASE("Store buffers that a program shows by itself never come up in one that is recorded") {
  if (has_one_core()) {
    WARN("there is one core: no store buffer shows here");
    return;
  }
  const std::string words = GENERATE("again", "new");
  CAPTURE(words);
  const WorkingDirectory here;
  build_hooked(here, source);
  REQUIRE(shows_store_buffers(here, words));
  const CommandResult profile = here.orrery(
      fmt::format("run --quiet --window 50us --profile-locks list ./app {} 200 yes", words));
  INFO(profile.err);
  REQUIRE(profile.status == 0);
  for (const char* const method :
       {"leap", "global-writes", "stride", "stride:group=block:64", "stride:group=block:4096",
        "stride:group=site", "stride:protected=list", "stride:group=site,protected=list"}) {
    CAPTURE(method);
    const CommandResult real = here.orrery(
        fmt::format("record --quiet --method {} -o run.orr ./app {} 100000", method, words));
    INFO(real.err);
    CHECK(real.status == 0);
    CHECK(real.out == "0\n");
  }
}
