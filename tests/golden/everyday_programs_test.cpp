// Programs of threads as people write them (tests/programs/everyday), with races: in simulation and
// on real cores they are recorded by each method, and replayed.
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

void build(const WorkingDirectory& here, const std::string& name, const std::string& flags) {
  build_by_orrery(here, "c++ -std=c++20 -g -pthread " + flags,
                  fmt::format("{}/tests/programs/everyday/{}.cpp", ORRERY_SOURCE_DIR, name));
}

void check_simulated(const WorkingDirectory& here, const std::string& arguments) {
  for (const char* const method : {"instant-replay", "lamport-order", "lamport-order:objects=yes",
                                   "leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const CommandResult run = run_recorded(here, method, 3, arguments);
    CHECK(outputs_of_replays(here) == run.out + "no finding");
  }
}

void check_real(const WorkingDirectory& here, const std::string& arguments) {
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    for (const char* const delays : {"", "--inject-delays=50us --seed 2"}) {
      CAPTURE(method, delays);
      const CommandResult real = here.orrery(fmt::format(
          "record --quiet --method {} {} -o run.orr ./app {}", method, delays, arguments));
      INFO(real.err);
      REQUIRE(real.status == 0);
      CHECK(outputs_of_replays(here) == real.out + "no finding");
    }
  }
}

/// What the order of synchronisation says, without accesses to memory.
void check_by_synchronisation(const WorkingDirectory& here) {
  for (const char* const method : {"lamport-order", "instant-replay"}) {
    for (int seed = 1; seed <= 3; ++seed) {
      CAPTURE(method, seed);
      const CommandResult run = here.orrery(fmt::format(
          "run --quiet --window 20us --seed {} --method {} --record run.orr ./app", seed, method));
      REQUIRE(run.status == 0);
      CHECK(outputs_of_replays(here) == run.out + "no finding");
    }
  }
  for (const char* const method :
       {"lamport-order", "lamport-order:objects=yes", "instant-replay"}) {
    CAPTURE(method);
    const CommandResult real = here.orrery(fmt::format(
        "record --quiet --method {} --inject-delays=50us --seed 2 -o run.orr ./app", method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

/// In simulation, by both rules.
void check_by_stamps(const WorkingDirectory& here) {
  for (int seed = 1; seed <= 8; ++seed) {
    for (const char* const method : {"lamport-order", "lamport-order:objects=yes"}) {
      CAPTURE(seed, method);
      const CommandResult run = here.orrery(fmt::format(
          "run --quiet --window 20us --seed {} --method {} --record run.orr ./app", seed, method));
      REQUIRE(run.status == 0);
      CHECK(outputs_of_replays(here) == run.out + "no finding");
    }
  }
}

void check_program(const std::string& name, const std::string& arguments = "") {
  const WorkingDirectory here;
  for (const char* const file : {"one.txt", "two.txt"}) {
    std::string text;
    for (int i = 0; i < 12; ++i) text += fmt::format("line {} of {} has words\n", i, file);
    here.write(file, text);
  }
  for (const char* const flags : {"-O0", "-O2"}) {
    CAPTURE(flags);
    build(here, name, flags);
    check_simulated(here, arguments);
    check_real(here, arguments);
  }
}

}  // namespace

TEST_CASE("What is sent, drawn and cancelled is in the order of synchronisation, too") {
  for (const char* const name : {"pipes", "drawing", "events", "event_loop", "cancelling"}) {
    CAPTURE(name);
    const WorkingDirectory here;
    build(here, name, "-O2");
    check_by_synchronisation(here);
  }
}

TEST_CASE("What is in a directory is found again in the order in which it was found") {
  const WorkingDirectory here;
  build_hooked(here, R"(
#include <cstdio>
#include <thread>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
int main() {
  std::thread([] {}).join();
  DIR* const directory = opendir("some");
  while (const dirent* const entry = readdir(directory)) std::printf("%s ", entry->d_name);
  closedir(directory);
  mkdir("none", 0700);
  std::printf("%d %d\n", rmdir("some"), rmdir("none"));
}
)");
  REQUIRE(here.shell("mkdir some && touch some/one some/two some/three some/four").status == 0);
  for (const char* const method : {"lamport-order", "stride"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    REQUIRE(real.status == 0);
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

TEST_CASE("Who waits for a future is replayed by time stamps, whatever other threads do") {
  const WorkingDirectory here;
  build_hooked(here, R"(
#include <cstdio>
#include <future>
#include <thread>
int main() {
  std::promise<void> promise;
  auto future = promise.get_future();
  std::thread giver([&] { promise.set_value(); });
  std::thread waiter([&] {
    future.wait();
    std::puts("woken");
  });
  std::thread first([] {}), second([] {});
  giver.join();
  waiter.join();
  first.join();
  second.join();
}
)");
  check_by_stamps(here);
}

TEST_CASE("Who waits for a condition is replayed by time stamps, though who notifies has no lock") {
  const WorkingDirectory here;
  build_hooked(here, R"(
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
std::mutex lock;
std::condition_variable changed;
std::atomic<bool> is_over{false};
std::atomic<int> count{0};
static void wait(int me) {
  std::unique_lock held(lock);
  changed.wait(held, [] { return is_over.load(); });
  std::printf("%d saw %d\n", me, count++);
}
int main() {
  std::thread first(wait, 1), second(wait, 2);
  for (int i = 0; i < 4; ++i) ++count;
  {
    const std::lock_guard held(lock);
    is_over = true;
  }
  ++count;
  changed.notify_one();
  ++count;
  changed.notify_all();
  first.join();
  second.join();
}
)");
  check_by_stamps(here);
}

TEST_CASE("A receive that must not wait does not while it is recorded") {
  const WorkingDirectory here;
  build_hooked(here, R"(
#include <cerrno>
#include <cstdio>
#include <thread>
#include <sys/socket.h>
int main() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  std::thread other([] {});
  char letter = 0;
  const ssize_t bytes = recv(ends[0], &letter, 1, MSG_DONTWAIT);
  std::printf("%zd %d\n", bytes, errno == EAGAIN);
  other.join();
}
)");
  const CommandResult real =
      here.shell("timeout 20 '" ORRERY_BINARY "' record --quiet -o run.orr ./app");
  CHECK(real.status == 0);
  CHECK(real.out == "-1 1\n");
}

TEST_CASE("What real threads had room for need not fit into a simulated pipe") {
  const WorkingDirectory here;
  build_hooked(here, R"(
#include <cstdio>
#include <string>
#include <thread>
#include <sys/socket.h>
int main() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  std::string sent(150000, 'a');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>('a' + i % 23);
  std::string got(sent.size() * 2, ' ');
  std::thread other([&] {
    send(ends[1], sent.data(), sent.size(), 0);
    send(ends[1], sent.data(), sent.size(), 0);
  });
  recv(ends[0], got.data(), got.size(), MSG_WAITALL);
  other.join();
  std::printf("%d\n", got == sent + sent);
}
)");
  for (const char* const method : {"lamport-order", "stride"}) {
    CAPTURE(method);
    const CommandResult real = here.shell(fmt::format(
        "timeout 60 '" ORRERY_BINARY "' record --quiet --method {} -o run.orr ./app", method));
    REQUIRE(real.status == 0);
    CHECK(real.out == "1\n");
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

TEST_CASE("A pool of threads that gives futures does again what it did") {
  check_program("pool");
}

TEST_CASE("A stack without locks does again what it did") {
  check_program("stack");
}

TEST_CASE("Channels with timeouts do again what they did") {
  check_program("channel");
}

TEST_CASE("Threads that wait in many ways do again what they did") {
  check_program("waiting");
}

TEST_CASE("Threads that draw from one sequence get again what they got") {
  check_program("drawing");
}

TEST_CASE("Threads are cancelled again where they were") {
  check_program("cancelling");
}

TEST_CASE("Threads that send through pipes get again what they got") {
  check_program("pipes");
}

TEST_CASE("Threads that wait for events find again what they found") {
  check_program("events");
}

TEST_CASE("Servers that wait by epoll find again what they found") {
  check_program("event_loop");
}

TEST_CASE("Threads that share answers hear again what they heard") {
  check_program("answers");
}

TEST_CASE("Memory that is used anew has no time stamps of what was there before") {
  const WorkingDirectory here;
  build(here, "answers", "-O0");
  for (const char* const method : {"lamport-order", "lamport-order:objects=yes"}) {
    for (int seed = 1; seed <= 10; ++seed) {
      CAPTURE(method, seed);
      const CommandResult run = run_recorded(here, method, seed);
      CHECK(outputs_of_replays(here) == run.out + "no finding");
    }
  }
}

TEST_CASE("Threads that read the files of the command line do again what they did") {
  check_program("words", "one.txt two.txt");
}
