// `orrery record` of a program of threads, by the rule for objects and by Instant Replay: how it
// ends, what it asks for, and how much is kept of who polls.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* start =
    "#define _GNU_SOURCE\n#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>\n"
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n"
    "#include <unistd.h>\n"
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
    "static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;\n"
    "static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;\n"
    "static pthread_barrier_t both;\nstatic int counted;\n";

// Which of them the argument says.
const std::string endings =
    std::string(start) +
    "static void* crash(void* argument) {\n"
    "  for (int i = 0; i < 6; ++i) {\n    pthread_mutex_lock(&lock);\n"
    "    printf(\"%s\", (char*)argument);\n    fflush(stdout);\n"
    "    if (++counted == 8) *(volatile int*)0 = 1;\n"
    "    pthread_mutex_unlock(&lock);\n  }\n  return 0;\n}\n"
    "static void* hang(void* argument) {\n  pthread_mutex_lock(&other);\n"
    "  pthread_barrier_wait(&both);\n  pthread_mutex_lock(&lock);\n  return argument;\n}\n"
    "static void* sleep_in(void* argument) {\n  pthread_mutex_lock(&lock);\n"
    "  pthread_cond_wait(&condition, &lock);\n  pthread_mutex_unlock(&lock);\n"
    "  return argument;\n}\n"
    "int main(int argc, char** argv) {\n  pthread_t one, two;\n"
    "  pthread_barrier_init(&both, 0, 2);\n"
    "  if (strcmp(argv[1], \"crash\") == 0) {\n"
    "    pthread_create(&one, 0, crash, \"a\");\n    pthread_create(&two, 0, crash, \"b\");\n"
    "    pthread_join(one, 0);\n    pthread_join(two, 0);\n"
    "  } else if (strcmp(argv[1], \"hang\") == 0) {\n"
    "    pthread_create(&one, 0, hang, 0);\n    pthread_mutex_lock(&lock);\n"
    "    pthread_barrier_wait(&both);\n    pthread_mutex_lock(&other);\n"
    "  } else {\n    pthread_cond_signal(&condition);\n"
    "    pthread_create(&one, 0, sleep_in, 0);\n    pthread_join(one, 0);\n  }\n"
    "  return 0;\n}\n";

constexpr const char* methods[] = {"lamport-order:objects=yes", "instant-replay"};

}  // namespace

TEST_CASE("A crash, a hang and a lost wake-up come again, by whatever is kept of objects") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", endings);
  for (const char* const method : methods) {
    CAPTURE(method);
    const CommandResult crashed = here.orrery(
        fmt::format("record --method {} --inject-delays -o run.orr ./app crash", method));
    CHECK(has(crashed.err, "died of SIGSEGV (Segmentation fault) on the real machine"));
    for (const char* const machine : {"", "--seed 9 --window 1ms"}) {
      const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
      INFO(again.out << again.err);
      CHECK(again.status == 1);
      CHECK(has(again.err, "app.c:20"));
      CHECK_FALSE(has(again.err, "divergence"));
      CHECK(again.out.substr(0, 8) == crashed.out.substr(0, 8));
    }
    for (const char* const what : {"hang", "sleep"}) {
      CAPTURE(what);
      const CommandResult real =
          here.shell(fmt::format("timeout -s INT 1 '{}' record --method {} -o run.orr ./app {}",
                                 ORRERY_BINARY, method, what));
      const CommandResult again = here.orrery("replay run.orr");
      INFO(real.err << again.err);
      CHECK(again.status == 1);
      CHECK(has(again.err, "deadlock"));
      CHECK_FALSE(has(again.err, "divergence"));
    }
  }
}

TEST_CASE("What the methods keep of threads is counted, and told apart") {
  const WorkingDirectory here;
  build_plainly(here, "gcc",
                std::string(start) +
                    "static void* work(void* argument) {\n"
                    "  for (int i = 0; i < 500; ++i) {\n    pthread_mutex_lock(&lock);\n"
                    "    ++counted;\n    pthread_mutex_unlock(&lock);\n  }\n"
                    "  return argument;\n}\n"
                    "int main(void) {\n  pthread_t threads[3];\n"
                    "  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, 0);\n"
                    "  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);\n"
                    "  return counted != 1500;\n}\n");
  for (const char* const method :
       {"lamport-order", "lamport-order:objects=yes", "instant-replay"}) {
    CAPTURE(method);
    const CommandResult real = here.orrery(
        fmt::format("record --json --method {} --inject-delays=50us -o run.orr ./app", method));
    REQUIRE(real.status == 0);
    const auto stats = nlohmann::json::parse(real.out).at("stats");
    CHECK(stats.at("stamped") == 3006);
    CHECK(stats.at("stamp_bytes") > 0);
    const bool has_objects = has(method, "objects");
    CHECK((stats.at("objects_kept") > 2) == has_objects);
    CHECK((stats.at("object_bytes") > 0) == has_objects);
    for (const char* const machine : {"", "--seed 4 --window 30us", "--window inf"}) {
      CHECK(here.orrery(fmt::format("replay --quiet {} run.orr", machine)).status == 0);
    }
    // Of any of them a log of steps can be made, or one by another method.
    for (const char* const kept : {"choices", "instant-replay", "lamport-order"}) {
      CAPTURE(kept);
      const CommandResult again =
          here.orrery(fmt::format("replay --quiet --record steps.orr --method {} run.orr", kept));
      INFO(again.err);
      CHECK(again.status == 0);
      CHECK(here.orrery("replay --quiet --seed 3 steps.orr").status == 0);
    }
  }
}

TEST_CASE(
    "What a semaphore holds is answered as it was, and a join that came too late came too late") {
  const WorkingDirectory here;
  build_plainly(
      here, "gcc",
      std::string(start) +
          "static sem_t semaphore;\n"
          "static void* work(void* argument) {\n"
          "  for (int i = 0; i < 20; ++i) {\n    usleep(300);\n    sem_post(&semaphore);\n  }\n"
          "  return argument;\n}\n"
          "int main(void) {\n  pthread_t one, two;\n  struct timespec date;\n"
          "  int value = 0, late = 0;\n  sem_init(&semaphore, 0, 0);\n"
          "  pthread_create(&one, 0, work, 0);\n  pthread_create(&two, 0, work, 0);\n"
          "  for (int i = 0; i < 12; ++i) {\n    usleep(250);\n"
          "    sem_getvalue(&semaphore, &value);\n    printf(\"%d \", value);\n  }\n"
          "  do {\n    clock_gettime(CLOCK_REALTIME, &date);\n    date.tv_nsec += 200000;\n"
          "    if (date.tv_nsec >= 1000000000) { ++date.tv_sec; date.tv_nsec -= 1000000000; }\n"
          "  } while (pthread_timedjoin_np(two, 0, &date) == ETIMEDOUT && ++late);\n"
          "  sem_getvalue(&semaphore, &value);\n"
          "  pthread_join(one, 0);\n  printf(\"late %d at last %d\\n\", late, value);\n  return "
          "0;\n}\n");
  for (const char* const method :
       {"lamport-order", "lamport-order:objects=yes", "instant-replay"}) {
    CAPTURE(method);
    for (int i = 0; i < 5; ++i) {
      const CommandResult real =
          here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
      REQUIRE(real.status == 0);
      for (const char* const machine : {"", "--seed 4 --window 30us"}) {
        const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
        INFO(again.err);
        CHECK(again.status == 0);
        CHECK(again.out == real.out);
      }
    }
  }
}

TEST_CASE(
    "Latches of C++ are replayed where their atomics are seen, and named where they are not") {
  const std::string program =
      "#include <cstdio>\n#include <latch>\n#include <mutex>\n#include <thread>\n#include "
      "<vector>\n"
      "std::latch ready(3);\nstd::mutex lock;\nint order = 0;\n"
      "int main() {\n  std::vector<std::thread> threads;\n"
      "  for (int i = 0; i < 3; ++i) {\n    threads.emplace_back([i] {\n"
      "      ready.arrive_and_wait();\n      const std::lock_guard held(lock);\n"
      "      order = order * 10 + i;\n    });\n  }\n"
      "  for (auto& thread : threads) thread.join();\n  std::printf(\"%d\\n\", order);\n}\n";
  const WorkingDirectory here;
  build_plainly(here, "g++", program, "-std=c++20");
  const CommandResult plain = here.orrery("record -o run.orr ./app");
  INFO(plain.err);
  CHECK(has(plain.err, "build it with orrery cc"));
  build_by_orrery(here, "c++ -std=c++20 -O2 -g -pthread", "app.cpp");
  for (const char* const method :
       {"lamport-order", "lamport-order:objects=yes", "instant-replay"}) {
    CAPTURE(method);
    for (int i = 0; i < 5; ++i) {
      const CommandResult real =
          here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
      REQUIRE(real.status == 0);
      const CommandResult again = here.orrery("replay --seed 7 run.orr");
      INFO(again.err);
      CHECK(again.status == 0);
      CHECK(again.out == real.out);
    }
  }
}

TEST_CASE("Where a thread was cancelled is in the log, but where it did not wait") {
  const WorkingDirectory here;
  const auto record = [&](const std::string& work) {
    build_plainly(here, "gcc",
                  std::string(start) + "static void* work(void* argument) {\n" + work +
                      "  return argument;\n}\n"
                      "int main(void) {\n  pthread_t one;\n  pthread_create(&one, 0, work, 0);\n"
                      "  usleep(1000);\n  pthread_cancel(one);\n  pthread_join(one, 0);\n"
                      "  return 0;\n}\n");
    CommandResult real = here.orrery("record -o run.orr ./app");
    INFO(real.err);
    CHECK(real.status == 0);
    return real.err;
  };
  CHECK(!has(record("  sleep(100);\n"), "cancel"));
  CHECK(here.orrery("replay run.orr").status == 0);
  const std::string asynchronous =
      "  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);\n"
      "  for (volatile int i = 0;; ++i) continue;\n";
  CHECK(has(record(asynchronous),
            "a thread was cancelled, but not in a function that waits (or asynchronously)"));
}
