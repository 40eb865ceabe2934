// What is done once, recorded: also where the first who come to it leave it by an exception.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"
#include "every_method.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::check_real_recordings;
using orrery::test::check_recordings;
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

TEST_CASE("So do those at a static variable, on real cores") {
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
}

}  // namespace
