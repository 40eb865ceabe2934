// Races for variables on the stack of `main`, of real threads: looked for in the replay, and found
// again in those runs that name and confirm them.
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

const std::string counter_of_main = R"(
#include <mutex>
#include <thread>
int main() {
  std::mutex lock;
  volatile int count = 0;
  std::thread one([&] {
    for (int i = 0; i < 20; ++i) {
#ifdef MENDED
      std::lock_guard<std::mutex> mine(lock);
#endif
      count = count + 1;
    }
  });
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) {
      std::lock_guard<std::mutex> mine(lock);
      count = count + 1;
    }
  });
  one.join();
  other.join();
}
)";

/// All races of `app`, recorded on real cores, are.
void check_confirmed(const WorkingDirectory& here) {
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    for (int seed = 1; seed <= 2; ++seed) {
      const CommandResult real = here.orrery(
          fmt::format("record --quiet --method {} --inject-delays=50us --seed {} -o run.orr ./app",
                      method, seed));
      REQUIRE(real.status == 0);
      const CommandResult looked = here.orrery("replay --detect fasttrack run.orr");
      CAPTURE(method, seed);
      INFO(looked.err);
      CHECK(looked.status == 1);
      CHECK(has(looked.err, "confirmed: in a run that was tried"));
      CHECK_FALSE(has(looked.err, "not confirmed"));
    }
  }
}

}  // namespace

TEST_CASE("Races of real threads on main's stack have their lines, and are confirmed") {
  const WorkingDirectory here;
  build_hooked(here, counter_of_main, "-O1");
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} --inject-delays=50us --seed 1 "
                                "-o run.orr ./app",
                                method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    for (const char* const detector : {"recplay", "fasttrack", "hybrid", "sync-preserving"}) {
      CAPTURE(method, detector);
      const CommandResult looked = here.orrery(fmt::format("replay --detect {} run.orr", detector));
      INFO(looked.err);
      CHECK(looked.status == 1);
      CHECK(has(looked.err, "app.cpp:12"));
      CHECK(has(looked.err, "app.cpp:18"));
      CHECK_FALSE(has(looked.err, "not confirmed"));
      CHECK_FALSE(has(looked.err, "not known"));
    }
  }
}

TEST_CASE("Where a lock orders them there is no race on main's stack") {
  const WorkingDirectory here;
  build_hooked(here, counter_of_main, "-O1 -DMENDED");
  const CommandResult real = here.orrery("record --quiet --method leap -o run.orr ./app");
  INFO(real.err);
  REQUIRE(real.status == 0);
  for (const char* const detector : {"recplay", "fasttrack", "hybrid", "sync-preserving"}) {
    const CommandResult looked = here.orrery(fmt::format("replay --detect {} run.orr", detector));
    INFO(looked.err);
    CHECK(looked.status == 0);
  }
}

TEST_CASE("A race with a thread that lets others go first again and again is confirmed") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <mutex>
#include <thread>
int main() {
  std::mutex mutex;
  unsigned long chosen = 0, sum = 0;
  std::thread printing([&] {
    for (int round = 0; round < 60; ++round) {
      std::this_thread::yield();
      sum += chosen;
    }
  });
  std::thread moving([&] {
    for (int round = 0; round < 200; ++round) {
      const std::lock_guard<std::mutex> guard(mutex);
      chosen = (chosen + 7) % 30;
    }
  });
  moving.join();
  printing.join();
  return sum == 1;
}
)",
               "-O2");
  check_confirmed(here);
}

TEST_CASE("A race of threads that poll until all have begun is confirmed") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <latch>
#include <mutex>
#include <thread>
int main() {
  std::mutex mutex;
  std::latch begun(2);
  unsigned long chosen = 0, sum = 0;
  std::thread printing([&] {
    begun.arrive_and_wait();
    for (int round = 0; round < 60; ++round) sum += chosen;
  });
  std::thread moving([&] {
    begun.arrive_and_wait();
    for (int round = 0; round < 200; ++round) {
      const std::lock_guard<std::mutex> guard(mutex);
      chosen = (chosen + 7) % 30;
    }
  });
  moving.join();
  printing.join();
  return sum == 1;
}
)",
               "-O1 -std=c++20");
  check_confirmed(here);
}

TEST_CASE("A race is told of, too, if a program in which it goes the other way never ends") {
  const WorkingDirectory here;
  build_hooked(here, R"(#include <chrono>
#include <thread>
volatile long bound, sum;
int main() {
  std::thread setting([] { bound = 100; });
  std::thread counting([] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const long end = bound;
    for (long i = 1; i != end; ++i) sum = sum + 1;
  });
  setting.join();
  counting.join();
}
)",
               "-O1");
  for (const char* const method : {"stride", "lamport-order"}) {
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    REQUIRE(real.status == 0);
    // Long before the run's own limit on real time.
    const CommandResult looked = here.orrery("replay --wall-limit 20s --detect fasttrack run.orr");
    CAPTURE(method);
    INFO(looked.err);
    CHECK(looked.status == 1);
    CHECK(has(looked.err, "app.cpp:8"));
    CHECK(has(looked.err, "confirmed: in a run that was tried"));
    CHECK(has(looked.err, "a run did not come to its end"));
  }
}
