// Semaphores on the stack of a thread that ends as soon as it has come through: who releases one
// wakes others by memory that may be nobody's then.  `std::stop_callback` has such.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

/// Variables that come later would get each other's names if one were counted twice or not at all.
const std::string semaphores = R"(
#include <atomic>
#include <cstdio>
#include <semaphore>
#include <thread>
std::atomic<int> later[12];
int main() {
  for (int i = 0; i < 12; i++) {
    std::atomic<std::binary_semaphore*> shared = nullptr;
    std::thread other([&, i] {
      std::binary_semaphore own{0};
      shared = &own;
      own.acquire();
      later[i] += 2;
    });
    while (shared == nullptr) std::this_thread::yield();
    shared.load()->release();
    later[i]++;
    other.join();
    later[i]++;
  }
  std::printf("%d\n", later[11].load());
}
)";

const std::string stops = R"(
#include <atomic>
#include <cstdio>
#include <stop_token>
#include <thread>
std::atomic<int> calls, seen;
int main() {
  for (int i = 0; i < 4; i++) {
    auto body = [&](std::stop_token stopped) {
      std::stop_callback callback(stopped, [&] { calls++; });
      while (!stopped.stop_requested()) { seen++; std::this_thread::yield(); }
    };
    std::jthread a(body), b(body);
    if (seen > 3) a.request_stop();
  }
  std::printf("calls %d\n", calls.load());
}
)";

void check_runs(const std::string& source) {
  const WorkingDirectory here;
  build_app(here, source, "-std=c++20 -g -O1 -w -pthread", "c++");
  for (const std::string method : {"leap", "global-writes", "stride", "stride:lag=3",
                                   "stride:group=block:64", "instant-replay", "lamport-order"}) {
    for (int seed = 1; seed <= 6; ++seed) {
      CAPTURE(method, seed);
      const CommandResult run = here.orrery(
          fmt::format("run --quiet --preempt all --window 20us --seed {} --method {} --record "
                      "run.orr ./app",
                      seed, method));
      INFO(run.err);
      REQUIRE(run.status == 0);
      for (const char* const machine : {"--seed 5", "--seed 6 --window 0", "--seed 7"}) {
        CAPTURE(machine);
        const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
        INFO(again.out << again.err);
        CHECK(again.status == 0);
        CHECK(again.out == run.out);
      }
    }
  }
}

}  // namespace

TEST_CASE("Who releases a semaphore does so again, whether or not its owner has ended by then") {
  check_runs(semaphores);
}

TEST_CASE("Who stops threads calls again what they had asked to be called") {
  check_runs(stops);
}
