// Threads as findings name them.
#include <string>

#include <catch2/catch.hpp>

#include <orrery/sim_runtime/orrery.hpp>

#include "run_undisturbed.hpp"

using namespace orrery;

TEST_CASE("who waits for a thread that goes out of scope is shown at the line that started it") {
  std::uint32_t line = 0;
  const Program program = [&line](World& world) {
    Mutex mutex(world);
    line = __LINE__ + 1;
    auto stuck = world.thread("stuck", [&mutex] {
      mutex.lock();
      mutex.lock();
    });
  };
  const Outcome outcome = test::run_undisturbed(program);
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings[0].kind == FindingKind::deadlock);
  bool names_start = false;
  for (const FindingPlace& place : outcome.findings[0].where) {
    CAPTURE(place.file, place.line);
    CHECK(place.file.find("thread_test.cpp") != std::string::npos);
    names_start = names_start || place.line == line;
  }
  CHECK(names_start);
}
