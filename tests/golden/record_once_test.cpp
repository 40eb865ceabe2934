// What is done once, recorded: also where the first who come to it leave it by an exception.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "every_method.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::check_real_recordings;
using orrery::test::check_recordings;
using orrery::test::check_simulated_recordings;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

TEST_CASE("Attempts at what is done once that throw come again, and who was the first to succeed") {
  check_recordings(R"(#include <atomic>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
static std::once_flag flag;
static std::atomic<int> tries{0};
static int caught[4];
static int who;
static void work(int number) {
  while (true) {
    try {
      std::call_once(flag, [number] {
        if (tries++ < 2) throw std::runtime_error("not yet");
        who = number;
      });
      return;
    } catch (const std::runtime_error &) {
      ++caught[number];
    }
  }
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto &one : threads) one.join();
  std::printf("%d: %d %d %d %d\n", who, caught[0], caught[1], caught[2], caught[3]);
}
)",
                   "cpp");
}

TEST_CASE("So do those at a static variable") {
  const WorkingDirectory here;
  build_app(here, R"(#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>
static std::atomic<int> tries{0};
static int caught[3];
struct Made {
  int who;
  explicit Made(int number) : who(number) {
    if (tries++ < 2) throw std::runtime_error("not yet");
  }
};
static int make(int number) {
  static Made made(number);
  return made.who;
}
static void work(int number) {
  while (true) {
    try {
      make(number);
      return;
    } catch (const std::runtime_error &) {
      ++caught[number];
    }
  }
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work, i);
  for (auto &one : threads) one.join();
  std::printf("%d: %d %d %d\n", make(5), caught[0], caught[1], caught[2]);
}
)",
            "-g -O1 -pthread", "cpp");
  check_real_recordings(here);
  check_simulated_recordings(here, "20us", {2, 5, 12});
}

TEST_CASE("Threads that come first to a static variable come again as they came, made or not") {
  const WorkingDirectory here;
  build_app(here, R"(#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex lock;
static int made;
static int number_of() {
  const std::lock_guard<std::mutex> guard(lock);
  return ++made;
}
static int first() {
  static int number = number_of();
  return number;
}
static int second() {
  static int number = first() + number_of();
  return number;
}
static std::once_flag flag;
static int calls;
int main() {
  std::vector<std::thread> threads;
  int sums[3] = {};
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i, &sums] {
      sums[i] = i == 0 ? first() : second();
      std::call_once(flag, [] { ++calls; });
      for (int again = 0; again < 3; ++again) sums[i] += first() * second();
    });
  }
  for (auto &one : threads) one.join();
  std::printf("%d %d: %d %d %d\n", made, calls, sums[0], sums[1], sums[2]);
}
)",
            "-g -O1 -pthread", "cpp");
  check_real_recordings(here);
  check_simulated_recordings(here, "20us", {1, 5, 6, 12});
  for (int seed = 1; seed <= 3; ++seed) {
    const CommandResult watched =
        here.orrery(fmt::format("run --detect fasttrack --window 20us --seed {} ./app", seed));
    INFO(watched.out << watched.err);
    CHECK(watched.status == 0);
  }
}

}  // namespace
