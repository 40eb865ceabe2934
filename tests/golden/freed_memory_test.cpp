// Threads that use memory when it has been freed: what they do to the allocator's lists, or get
// from them, is done again.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::outputs_of_replays;
using orrery::test::run_recorded;
using orrery::test::WorkingDirectory;

// Counts in a block that the other thread frees: then in the way to the next free one.
const std::string registry =
    "#include <atomic>\n#include <cstdio>\n#include <mutex>\n#include <thread>\n"
    "std::atomic<bool> is_over;\n"
    "struct Session { int id; long* counter; };\n"
    "std::mutex guard; Session* sessions[8];\n"
    "#ifdef BUG\n#define LOCK_READERS\n"
    "#else\n#define LOCK_READERS std::lock_guard held(guard);\n#endif\n"
    "void touch(int slot) {\n  LOCK_READERS\n  Session* const s = sessions[slot];\n"
    "  if (s != nullptr && s->counter != nullptr) ++*s->counter;\n}\n"
    "void reap(int slot) {\n  std::lock_guard held(guard);\n"
    "  Session* const s = sessions[slot];\n  if (s == nullptr) return;\n"
    "  delete s->counter;\n  s->counter = nullptr;\n  sessions[slot] = nullptr;\n}\n"
    "void renew(int slot, int id) {\n  std::lock_guard held(guard);\n"
    "  if (sessions[slot] == nullptr) sessions[slot] = new Session{id, new long(0)};\n}\n"
    "int main() {\n  for (int i = 0; i < 8; ++i) renew(i, i);\n"
    "  std::thread worker([] { for (int i = 0; !is_over; ++i) touch(i % 8); });\n"
    "  std::thread reaper([] {\n"
    "    for (int i = 0; i < 1000; ++i) { reap(i * 5 % 8); renew(i * 5 % 8, i); }\n"
    "    is_over = true;\n  });\n"
    "  worker.join(); reaper.join();\n"
    "  long sum = 0;\n"
    "  for (Session* s : sessions) sum = sum * 31 + s->id + *s->counter;\n"
    "  std::printf(\"%ld\\n\", sum);\n}\n";

// What is read from a block may be the allocator's, or what the next one puts there.
const std::string looks_behind =
    "#include <cstdio>\n#include <cstdlib>\n#include <thread>\n"
    "unsigned long* shown; unsigned long hash;\n"
    "int main() {\n  shown = static_cast<unsigned long*>(calloc(2, 8));\n"
    "  std::thread reader([] {\n"
    "    for (int i = 0; i < 600; ++i) { unsigned long* const p = shown; hash = hash * 31 + p[0] + "
    "p[1]; }\n  });\n"
    "  std::thread writer([] {\n    for (int i = 0; i < 100; ++i) {\n"
    "      unsigned long* const old = shown;\n"
    "      unsigned long* const next = static_cast<unsigned long*>(malloc(16));\n"
    "      next[0] = i; next[1] = 2 * i; shown = next; free(old);\n"
    "      if (i % 3 == 0) { void* p = realloc(malloc(16), 300); free(p); }\n    }\n  });\n"
    "  reader.join(); writer.join();\n  std::printf(\"%lx\\n\", hash);\n}\n";

CommandResult record(const WorkingDirectory& here, const std::string& method, int seed) {
  return here.orrery(fmt::format(
      "record --quiet --method {} --inject-delays=60us --seed {} -o run.orr ./app", method, seed));
}

}  // namespace

TEST_CASE("A real program that has spoilt the lists of free memory dies again where it died") {
  const WorkingDirectory here;
  build_hooked(here, registry, "-O2 -DBUG");
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    CAPTURE(method);
    int deaths = 0;
    for (int seed = 1; seed <= 100 && deaths < 2; ++seed) {
      CAPTURE(seed);
      const CommandResult real = record(here, method, seed);
      const std::string again = outputs_of_replays(here);
      if (real.status == 0) {
        CHECK(again == real.out + "no finding");
        continue;
      }
      ++deaths;
      CHECK(again.substr(0, again.find(':')) == "crash");
      CHECK_THAT(again, Catch::Contains("app.cpp:"));
    }
    CHECK(deaths == 2);
  }
}

TEST_CASE("A program that frees what nobody else uses then is left in peace") {
  const WorkingDirectory here;
  build_hooked(here, registry);
  for (int seed = 1; seed <= 5; ++seed) {
    const CommandResult real = record(here, "stride", seed);
    REQUIRE(real.status == 0);
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

TEST_CASE("What real threads read in blocks that were freed is read again") {
  const WorkingDirectory here;
  build_hooked(here, looks_behind);
  for (const char* const method : {"leap", "stride", "global-writes", "stride:group=allocation"}) {
    CAPTURE(method);
    for (int seed = 1; seed <= 6; ++seed) {
      CAPTURE(seed);
      const CommandResult real = record(here, method, seed);
      INFO(real.err);
      REQUIRE(real.status == 0);
      CHECK(outputs_of_replays(here) == real.out + "no finding");
    }
  }
}

TEST_CASE("A real program that runs off the end of its memory does so again") {
  const WorkingDirectory here;
  build_hooked(here,
               "#include <cstdlib>\n#include <thread>\nlong sum;\n"
               "int main() {\n  char* const block = static_cast<char*>(malloc(100));\n"
               "  std::thread([block] {\n"
               "    for (const char* at = block;; at += 65536) sum += *at;\n"
               "  }).join();\n}\n");
  const CommandResult real = record(here, "stride", 1);
  REQUIRE(real.status == 1);
  const std::string again = outputs_of_replays(here);
  CHECK(again.substr(0, again.find(':')) == "crash");
  CHECK_THAT(again, Catch::Contains("app.cpp:7"));
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("What simulated threads read in blocks that were freed is read again") {
  const WorkingDirectory here;
  build_hooked(here, looks_behind);
  for (const char* const method :
       {"leap", "stride", "global-writes", "instant-replay", "lamport-order"}) {
    CAPTURE(method);
    for (int seed = 1; seed <= 4; ++seed) {
      CAPTURE(seed);
      const CommandResult run = run_recorded(here, method, seed);
      CHECK(outputs_of_replays(here) == run.out + "no finding");
    }
  }
}

TEST_CASE("A simulated program that has spoilt the lists of free memory dies again where it died") {
  const WorkingDirectory here;
  build_hooked(here, registry, "-O2 -DBUG");
  for (const char* const method :
       {"leap", "stride", "global-writes", "instant-replay", "lamport-order"}) {
    CAPTURE(method);
    int deaths = 0;
    for (int seed = 1; seed <= 30 && deaths < 2; ++seed) {
      CAPTURE(seed);
      const CommandResult run = here.orrery(
          fmt::format("run --quiet --preempt all --window 20us --seed {} --record run.orr "
                      "--method {} ./app",
                      seed, method));
      const std::string again = outputs_of_replays(here);
      if (run.status == 0) {
        CHECK(again == run.out + "no finding");
        continue;
      }
      ++deaths;
      CHECK(again.substr(0, 60) == run.err.substr(0, 60));
    }
  }
}
#endif
