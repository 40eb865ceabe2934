// `orrery record` of a program of threads: how it ends, what it reads, and what cannot be recorded.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <orrery/replay_core/log.hpp>

#include "command_runner.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* start =
    "#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <signal.h>\n#include "
    "<stdio.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n#include <sys/random.h>\n#include <time.h>\n"
    "#include <unistd.h>\n"
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
    "static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;\n";

// Four threads count under a lock; the one that comes to ten ends the program as it is told.
const std::string ending =
    std::string(start) +
    "static const char* how;\nstatic int counted;\nstatic char who[5];\n"
    "static void give_up(int number) { _exit(number - 4); }\n"
    "static int deep(int n) {\n  volatile char room[4096];\n  room[n % 4096] = 1;\n"
    "  return n < 0 ? 0 : deep(n + 1) + room[0];\n}\n"
    "static void end(void) {\n"
    "  if (strcmp(how, \"segv\") == 0) *(volatile int*)(counted > 100 ? &counted : 0) = 1;\n"
    "  if (strcmp(how, \"abort\") == 0) abort();\n"
    "  if (strcmp(how, \"exit\") == 0) exit(4);\n"
    "  if (strcmp(how, \"assert\") == 0) assert(counted < 10);\n"
    "  if (strcmp(how, \"kill\") == 0) kill(getpid(), SIGKILL);\n"
    "  if (strcmp(how, \"raise\") == 0) raise(SIGTERM);\n"
    "  if (strcmp(how, \"handled\") == 0) signal(SIGSEGV, give_up), raise(SIGSEGV);\n"
    "  if (strcmp(how, \"deep\") == 0) counted = deep(counted);\n}\n"
    "static void* work(void* argument) {\n  const char name = *(char*)argument;\n"
    "  for (int i = 0; i < 6; ++i) {\n    pthread_mutex_lock(&lock);\n"
    "    printf(\"%c\", name);\n    fflush(stdout);\n"
    "    if (++counted == 10) end();\n    pthread_mutex_unlock(&lock);\n  }\n  return 0;\n}\n"
    "int main(int argc, char** argv) {\n  pthread_t threads[4];\n  how = argv[1];\n"
    "  for (int i = 0; i < 4; ++i) {\n    who[i] = (char)('a' + i);\n"
    "    pthread_create(&threads[i], 0, work, &who[i]);\n  }\n"
    "  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);\n  puts(\"\");\n  return 0;\n}\n";

CommandResult record(const WorkingDirectory& here, const std::string& words,
                     const std::string& flags = {}) {
  return here.orrery(fmt::format("record {} -o run.orr {}", flags, words));
}

}  // namespace

TEST_CASE("A program of threads that dies leaves a log, whose replay dies there of the same") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", ending);
  struct Case {
    const char* how;
    const char* recorded;
    const char* line;
  };
  for (const Case& one :
       {Case{"segv", "died of SIGSEGV (Segmentation fault) on the real machine", "app.c:23"},
        Case{"abort", "crash: abort() was called", "app.c:24"},
        Case{"assert", "assertion: assertion failed: counted < 10 (app.c:26, end)", "app.c:26"},
        Case{"kill", "crash: the program was killed by SIGKILL (Killed), which it sent itself",
             "app.c:27"},
        Case{"raise", "crash: the program was killed by SIGTERM (Terminated), which it sent itself",
             "app.c:28"},
        Case{"handled", "exit: the program exits with status 7", "exits with status 7"},
        Case{"deep", "died of SIGSEGV (Segmentation fault)", ""},
        Case{"exit", "the program exits with status 4", "exits with status 4"}}) {
    CAPTURE(one.how);
    const CommandResult real = record(here, std::string("./app ") + one.how, "--inject-delays");
    INFO(real.out << real.err);
    CHECK(real.status == 1);
    CHECK(has(real.err, one.recorded));
    CHECK(has(real.err, one.line));
    for (const char* const machine : {"", "--seed 9 --window 1ms"}) {
      const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
      INFO(again.out << again.err);
      CHECK(again.status == 1);
      CHECK(has(again.err, one.line));
      CHECK_FALSE(has(again.err, "divergence"));
      CHECK(again.out.substr(0, 10) == real.out.substr(0, 10));
    }
    CHECK(here.files() == std::vector<std::string>{"app", "app.c", "run.orr"});
  }
}

TEST_CASE("A program that hangs is ended by a signal, and its replay finds the deadlock") {
  const WorkingDirectory here;
  build_plainly(here, "gcc",
                std::string(start) +
                    "static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;\n"
                    "static pthread_barrier_t both;\n"
                    "static void* work(void* argument) {\n  pthread_mutex_lock(&other);\n"
                    "  pthread_barrier_wait(&both);\n  pthread_mutex_lock(&lock);\n"
                    "  return argument;\n}\n"
                    "int main(void) {\n  pthread_t thread;\n  pthread_barrier_init(&both, 0, 2);\n"
                    "  pthread_create(&thread, 0, work, 0);\n  pthread_mutex_lock(&lock);\n"
                    "  pthread_barrier_wait(&both);\n  pthread_mutex_lock(&other);\n"
                    "  return 0;\n}\n");
  const CommandResult real =
      here.shell(fmt::format("timeout -s INT 2 {} record -o run.orr ./app", ORRERY_BINARY));
  INFO(real.err);
  CHECK(here.files() == std::vector<std::string>{"app", "app.c", "run.orr"});
  const CommandResult again = here.orrery("replay run.orr");
  INFO(again.err);
  CHECK(again.status == 1);
  CHECK(has(again.err, "deadlock"));
}

TEST_CASE("A thread that hangs in the first thing that it does hangs there in the replay") {
  const WorkingDirectory here;
  build_plainly(here, "gcc",
                std::string(start) +
                    "static void* work(void* argument) {\n  pthread_mutex_lock(&lock);\n"
                    "  return argument;\n}\n"
                    "int main(void) {\n  pthread_t thread;\n  pthread_mutex_lock(&lock);\n"
                    "  pthread_create(&thread, 0, work, 0);\n  pthread_join(thread, 0);\n"
                    "  return 0;\n}\n");
  for (const char* const method : {"lamport-order", "instant-replay"}) {
    CAPTURE(method);
    // It asks both the recorder and the program, and so twice.
    const CommandResult real = here.shell(
        fmt::format("timeout 1 {} record --method {} -o run.orr ./app", ORRERY_BINARY, method));
    INFO(real.err);
    const CommandResult again = here.orrery("replay run.orr");
    INFO(again.err);
    CHECK(again.status == 1);
    CHECK(has(again.err, "deadlock"));
    CHECK(has(again.err, "work#1 waits for mutex lock"));
  }
}

TEST_CASE("A wake-up that was lost on real threads is lost in the replay") {
  const WorkingDirectory here;
  build_plainly(here, "gcc",
                std::string(start) +
                    "static void* work(void* argument) {\n  pthread_mutex_lock(&lock);\n"
                    "  pthread_cond_wait(&condition, &lock);\n  pthread_mutex_unlock(&lock);\n"
                    "  return argument;\n}\n"
                    "int main(void) {\n  pthread_t thread;\n  pthread_cond_signal(&condition);\n"
                    "  pthread_create(&thread, 0, work, 0);\n  pthread_join(thread, 0);\n"
                    "  return 0;\n}\n");
  const CommandResult real =
      here.shell(fmt::format("timeout -s INT 2 {} record -o run.orr ./app", ORRERY_BINARY));
  const CommandResult again = here.orrery("replay run.orr");
  INFO(real.err << again.err);
  CHECK(again.status == 1);
  CHECK(has(again.err, "deadlock"));
  CHECK_FALSE(has(again.err, "divergence"));
}

TEST_CASE("What threads read is in the log: clocks, chance, files, variables, standard input") {
  const WorkingDirectory here;
  build_plainly(
      here, "gcc",
      std::string(start) +
          "static void* work(void* argument) {\n  struct timespec now;\n  unsigned long drawn;\n"
          "  char line[80] = \"\";\n  for (int i = 0; i < 5; ++i) {\n"
          "    pthread_mutex_lock(&lock);\n    clock_gettime(CLOCK_REALTIME, &now);\n"
          "    if (getrandom(&drawn, sizeof drawn, 0) < 0) abort();\n"
          "    printf(\"%s %ld.%09ld %lx %ld\\n\", (char*)argument, (long)now.tv_sec, now.tv_nsec, "
          "drawn,\n           (long)time(0));\n"
          "    if (fgets(line, sizeof line, stdin)) printf(\"%s\", line);\n"
          "    pthread_mutex_unlock(&lock);\n  }\n  return 0;\n}\n"
          "int main(void) {\n  pthread_t one, two;\n  char line[80];\n"
          "  FILE* file = fopen(\"input.txt\", \"r\");\n"
          "  if (file && fgets(line, sizeof line, file)) printf(\"%s\", line);\n"
          "  printf(\"%s %d\\n\", getenv(\"WORD\"), (int)getpid());\n"
          "  pthread_create(&one, 0, work, \"one\");\n  pthread_create(&two, 0, work, \"two\");\n"
          "  pthread_join(one, 0);\n  pthread_join(two, 0);\n  return 0;\n}\n");
  here.write("input.txt", "what is in the file\n");
  here.write("words", "alpha\nbeta\ngamma\n");
  for (const char* const input : {"< words", "< /dev/null", ""}) {
    CAPTURE(input);
    const std::string piped = *input == '\0' ? "cat words | " : "";
    const CommandResult real = here.shell(fmt::format(
        "{} WORD=hello {} record --quiet -o run.orr ./app {}", piped, ORRERY_BINARY, input));
    INFO(real.err);
    REQUIRE(real.status == 0);
    here.write("input.txt", "what is in it later\n");
    const CommandResult again = here.orrery("replay --quiet run.orr");
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == real.out);
    here.write("input.txt", "what is in the file\n");
  }
}

TEST_CASE("A recorded run of threads can be recorded again, by steps, and that be shown") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", ending);
  const CommandResult real = record(here, "./app none", "--json --inject-delays");
  INFO(real.out << real.err);
  REQUIRE(real.status == 0);
  CHECK(has(real.out, "\"threads\": 5"));
  const CommandResult again = here.orrery("replay --record steps.orr run.orr");
  INFO(again.err);
  REQUIRE(again.status == 0);
  const CommandResult third = here.orrery("replay steps.orr");
  CHECK(third.status == 0);
  CHECK(third.out == again.out);
  CHECK(has(here.orrery("show --timeline steps.orr").out, "lock"));
}

TEST_CASE("Atomics that are instructions are named in the log, and those of orrery cc are in it") {
  const WorkingDirectory here;
  const std::string source =
      "#include <atomic>\n#include <cstdio>\n#include <thread>\nstd::atomic<int> counter;\n"
      "__attribute__((noinline)) int count_on() { return counter.fetch_add(1); }\n"
      "int main() {\n  int sum[2] = {};\n"
      "  const auto work = [&sum](int own) {\n"
      "    for (int i = 0; i < 200; ++i) sum[own] = sum[own] * 3 + count_on();\n  };\n"
      "  std::thread one(work, 0), two(work, 1);\n  one.join();\n  two.join();\n"
      "  std::printf(\"%d %d\\n\", sum[0], sum[1]);\n}\n";
  build_plainly(here, "g++", source);
  const CommandResult unseen = record(here, "./app");
  INFO(unseen.err);
  CHECK(unseen.status == 0);
  CHECK(has(unseen.err, "not in the log"));
  CHECK(has(unseen.err, "count_on()"));
  REQUIRE(here.orrery("c++ -std=c++17 -O2 -g -pthread app.cpp -o app").status == 0);
  const CommandResult seen = record(here, "./app");
  CHECK(seen.status == 0);
  CHECK_FALSE(has(seen.err, "atomics"));
  for (const char* const machine : {"", "--seed 4 --window inf"}) {
    const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == seen.out);
  }
}

TEST_CASE("Bytes of other instructions are no atomics, and an exchange with memory is one") {
  const WorkingDirectory here;
  const std::string source =
      "#include <pthread.h>\nstatic int word[4];\n"
      // The end of the first, with the beginning of the second, reads as `lock`.
      "__attribute__((noinline)) static void innocent() {\n"
      "  asm volatile(\"movl %%esi, %%eax; addl $1, 8(%0)\" : : \"r\"(word) : \"eax\", "
      "\"memory\");\n}\n"
      "#ifdef SWAPS\n__attribute__((noinline)) static void swap_it() {\n"
      "  int one = 1;\n"
      "  asm volatile(\"xchgl %0, (%1)\" : \"+r\"(one) : \"r\"(word) : \"memory\");\n}\n#endif\n"
      "static void* work(void*) {\n  innocent();\n"
      "#ifdef SWAPS\n  swap_it();\n#endif\n  return nullptr;\n}\n"
      "int main() {\n  pthread_t one;\n  pthread_create(&one, nullptr, work, nullptr);\n"
      "  pthread_join(one, nullptr);\n}\n";
  build_plainly(here, "g++", source);
  const CommandResult none = record(here, "./app");
  INFO(none.err);
  CHECK(none.status == 0);
  CHECK_FALSE(has(none.err, "atomics"));
  build_plainly(here, "g++", "#define SWAPS\n" + source);
  const CommandResult swaps = record(here, "./app");
  INFO(swaps.err);
  CHECK(has(swaps.err, "in swap_it(); build it with orrery cc"));
}

TEST_CASE("What cannot be recorded, or is no such program, is said with what to do") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", ending, "-static");
  struct Case {
    std::string words;
    const char* message;
  };
  for (const Case& one :
       {Case{"record -o run.orr ./app none", "could not be watched"},
        Case{"record -o run.orr ./nowhere", "No such file"},
        Case{"record --method stride -o run.orr ./app", "stride"},
        Case{"record --method choices -o run.orr ./app", "is for simulated runs"},
        Case{"record --method wildcards -o run.orr /bin/true", "no rank of the command"},
        Case{"record ./app", "no file is given for the log"},
        Case{"record -o nowhere/run.orr ./app", "nowhere"}}) {
    CAPTURE(one.words);
    const CommandResult result = here.orrery(one.words);
    INFO(result.out << result.err);
    CHECK(result.status == 2);
    CHECK(has(result.err, one.message));
    CHECK_FALSE(has(result.err, "\n\n"));
  }
}

TEST_CASE("A log of threads that is damaged, or of another build, is refused") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", ending);
  REQUIRE(record(here, "./app none").status == 0);
  std::string bytes = here.read("run.orr");
  bytes[bytes.size() / 2] ^= 4;
  here.write("damaged.orr", bytes);
  const CommandResult damaged = here.orrery("replay damaged.orr");
  CHECK(damaged.status == 2);
  build_plainly(here, "gcc", ending + "int another;\n");
  const CommandResult other = here.orrery("replay run.orr");
  INFO(other.err);
  CHECK(other.status == 2);
  CHECK(has(other.err, "build"));
}

TEST_CASE("Threads that hand each other bytes by a pipe or count by an eventfd are replayed") {
  const WorkingDirectory here;
  build_plainly(here, "gcc",
                std::string(start) +
                    "#include <sys/eventfd.h>\n#include <stdint.h>\n"
                    "static int ends[2], counter;\nstatic long sum;\n"
                    "static void* give(void* a) {\n  for (int i = 1; i <= 300; ++i) {\n"
                    "    pthread_mutex_lock(&lock);\n    sum += i;\n"
                    "    pthread_mutex_unlock(&lock);\n"
                    "    if (write(ends[1], &i, sizeof i) != sizeof i) abort();\n  }\n"
                    "  const uint64_t one = 1;\n"
                    "  if (write(counter, &one, 8) != 8) abort();\n  return a;\n}\n"
                    "static void* take(void* a) {\n  for (int n = 0; n < 300; ++n) {\n"
                    "    int i;\n    if (read(ends[0], &i, sizeof i) != sizeof i) abort();\n"
                    "    pthread_mutex_lock(&lock);\n    printf(\"%d %ld\\n\", i, sum);\n"
                    "    pthread_mutex_unlock(&lock);\n  }\n  return a;\n}\n"
                    "int main(void) {\n  pthread_t threads[2];\n  uint64_t count;\n"
                    "  if (pipe(ends) != 0) abort();\n  counter = eventfd(0, 0);\n"
                    "  pthread_create(&threads[0], 0, give, 0);\n"
                    "  pthread_create(&threads[1], 0, take, 0);\n"
                    "  if (read(counter, &count, 8) != 8) abort();\n"
                    "  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);\n"
                    "  printf(\"%ld\\n\", sum);\n  return 0;\n}\n");
  for (int round = 0; round < 5; ++round) {
    const CommandResult real = record(here, "./app", "--inject-delays=100us");
    INFO(real.out << real.err);
    REQUIRE(real.status == 0);
    const CommandResult again = here.orrery("replay --seed 4 run.orr");
    INFO(again.out << again.err);
    CHECK(again.status == 0);
    CHECK(again.out == real.out);
  }
}
