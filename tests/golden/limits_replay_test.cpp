// Runs that a limit has ended, or that went round in circles, are replayed to there by whatever
// method they were recorded.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "every_method.hpp"

namespace {

using orrery::test::all_methods;
using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* flags = "-g -O1 -pthread";

/// Records a run of so many steps by each method; its replay ends as it did, and says `end`.
void check_ends(const WorkingDirectory& here, int status, const std::string& end) {
  for (const char* const method : all_methods) {
    CAPTURE(method);
    const CommandResult recorded = here.orrery(fmt::format(
        "run --preempt all --step-limit 4000 --seed 3 --record cut.orr --method {} ./app", method));
    INFO(recorded.err);
    CHECK(recorded.status == status);
    CHECK(has(recorded.err, end));
    const CommandResult replayed = here.orrery("replay --seed 9 cut.orr");
    INFO(replayed.err);
    CHECK(replayed.status == status);
    CHECK(has(replayed.err, end));
    CHECK_FALSE(has(replayed.err, "divergence"));
  }
}

}  // namespace

TEST_CASE("Threads that count in memory come to the limit on steps, in the replay, too") {
  const WorkingDirectory here;
  build_app(here,
            "#include <thread>\nint x;\n"
            "void count(int factor) {\n  volatile int* const p = &x;\n"
            "  for (int i = 0; i < 100000; ++i) *p = *p * factor + i;\n}\n"
            "int main() {\n  std::thread other([] { count(1); });\n  count(3);\n"
            "  other.join();\n}\n",
            flags, "c++");
  check_ends(here, 3, "stopped at the limit on steps");
}

TEST_CASE("Threads that look for what nobody writes are a livelock, in the replay, too") {
  const WorkingDirectory here;
  build_app(here,
            "#include <thread>\nint a, b;\n"
            "void wait_for(volatile int* p) {\n  while (*p == 0) {\n  }\n}\n"
            "int main() {\n  std::thread other([] { wait_for(&a); });\n  wait_for(&b);\n"
            "  other.join();\n}\n",
            flags, "c++");
  check_ends(here, 1, "livelock: no progress");
}
