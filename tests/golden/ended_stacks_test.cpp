// Threads that come to variables on the stack of another one, which may have ended by then: only
// time says so, and in a replay that may be earlier or later.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::outputs_of_replays;
using orrery::test::WorkingDirectory;

/// Variables that come later would get each other's names if one were counted twice or not at all.
/// What a thread computes takes a replay no time, what it sleeps does.
const std::string visits = R"(
#include <cstdio>
#include <initializer_list>
#include <thread>
#include <unistd.h>
static volatile long* volatile shown;
static volatile long later[8];
static void compute(long rounds) { for (long i = 0; i < rounds; ++i) __asm__ volatile(""); }
static void visit() {
  while (shown == nullptr) usleep(1000);
  VISITOR_WAITS;
  for (long i = 0; i < 64; ++i) shown[i] = shown[i] + i;
  for (long i = 0; i < 8; ++i) later[i] = later[i] * 3 + i;
}
static void own() {
  volatile long on_stack[64];
  shown = on_stack;
  OWNER_WAITS;
}
int main() {
  std::thread owner(own), visitor(visit);
  for (long round = 0; round < 100; ++round) {
    for (long i = 0; i < 8; ++i) later[i] = later[i] + round;
    usleep(500);
  }
  // On real cores it cannot have the owner's stack before that is joined.
  std::thread third([] { for (long i = 0; i < 8; ++i) later[i] = later[i] + 1000; });
  for (std::thread* const one : {&visitor, &third, &owner}) one->join();
  long hash = 0;
  for (const volatile long& one : later) hash = hash * 31 + one;
  std::printf("%ld\n", hash);
}
)";

}  // namespace

TEST_CASE("Who comes to the stack of a real thread that sleeps, or has ended, does so again") {
  const WorkingDirectory here;
  const char* const ends_first =
      "'-DOWNER_WAITS=usleep(10000)' '-DVISITOR_WAITS=compute(200000000)'";
  const char* const is_still_there =
      "'-DOWNER_WAITS=compute(200000000)' '-DVISITOR_WAITS=usleep(10000)'";
  for (const char* const waits : {ends_first, is_still_there}) {
    build_hooked(here, visits, std::string("-O2 ") + waits);
    for (const std::string method : {"leap", "stride", "global-writes"}) {
      // There the owner's next write waits for the visitor's, behind its frame's end.
      if (waits == is_still_there && method == "global-writes") continue;
      CAPTURE(waits, method);
      const CommandResult real =
          here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
      INFO(real.err);
      REQUIRE(real.status == 0);
      CHECK(outputs_of_replays(here) == real.out + "no finding");
    }
  }
}
