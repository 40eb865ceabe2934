// Threads that have done less, in a replay of real threads, than the log says: led astray by a
// race, or cut short by the end of their process.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"
#include "plain_program.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

// Of two threads the later one takes the lock if it sees what the first one has set; it spends its
// time before it looks.  In simulation it looks first.  `STATUS`: what the program exits with.
const std::string worker_parts =
    "#include <pthread.h>\n"
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
    "#ifdef MENDED\n"
    "static _Atomic int ready;\n"
    "#else\n"
    "static volatile int ready;\n"
    "#endif\n"
    "static void* set(void* argument) {\n"
    "  ready = 1;\n"  // line 9
    "  return argument;\n"
    "}\n"
    "static void* look(void* argument) {\n"
    "  for (volatile long i = 0; i < 100000000; ++i) continue;\n"
    "  if (!ready) return argument;\n"  // line 14
    "  for (int i = 0; i < 5; ++i) {\n"
    "    pthread_mutex_lock(&lock);\n"
    "    pthread_mutex_unlock(&lock);\n"
    "  }\n"
    "  return argument;\n"
    "}\n"
    "int main(void) {\n"
    "  pthread_t looks, sets;\n"
    "  pthread_create(&looks, 0, look, 0);\n"
    "  pthread_create(&sets, 0, set, 0);\n"
    "  pthread_join(looks, 0);\n"
    "  pthread_join(sets, 0);\n"
    "  return STATUS;\n"
    "}\n";

}  // namespace

TEST_CASE("A thread that ends with less done than was recorded has been led astray by a race") {
  for (const std::string method :
       {"lamport-order", "lamport-order:objects=yes", "instant-replay"}) {
    for (const std::string status : {"0", "3"}) {
      CAPTURE(method, status);
      const WorkingDirectory here;
      build_app(here, worker_parts, "-g -O1 -pthread -DSTATUS=" + status);
      const std::string record = "record --quiet -o run.orr --method " + method + " ./app";
      REQUIRE(here.orrery(record).status == (status == "0" ? 0 : 1));
      const CommandResult again = here.orrery("replay run.orr");
      INFO(again.err);
      CHECK(again.status == 1);
      CHECK(has(again.err, "expected 10 more operations; came the end of the thread"));
      CHECK(has(again.err, "data_race (parallel segments): nothing orders two accesses to ready"));
      CHECK(has(again.err, "app.c:9"));
      CHECK(has(again.err, "app.c:14"));
      CHECK(has(again.err, "race frontier"));

      build_app(here, worker_parts, "-g -O1 -pthread -DMENDED -DSTATUS=" + status);
      const CommandResult real = here.orrery(record);
      const CommandResult mended = here.orrery("replay --quiet run.orr");
      INFO(mended.err);
      CHECK(mended.status == real.status);
      CHECK_FALSE(has(mended.err, "divergence"));
      CHECK_FALSE(has(mended.err, "race"));
    }
  }
}

// Detached, and in the midst of its work when the program ends.
TEST_CASE("A thread that the end of its process has cut short has not parted from its log") {
  const std::string ends[] = {"return 0;", "_exit(0);", "pthread_exit(0);"};
  for (const std::string& end : ends) {
    for (const std::string method : {"lamport-order", "instant-replay"}) {
      CAPTURE(end, method);
      const WorkingDirectory here;
      build_app(here,
                "#include <pthread.h>\n#include <unistd.h>\n"
                "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
                "static pthread_barrier_t begun;\n"
                "static int turns;\n"
                "static int is_over(void) {\n"
                "  pthread_mutex_lock(&lock);\n"
                "  int over = ++turns > 30000;\n"
                "  pthread_mutex_unlock(&lock);\n"
                "  return over;\n"
                "}\n"
                "static void* work(void* argument) {\n"
                "  pthread_barrier_wait(&begun);\n"
                "  while (!is_over()) continue;\n"
                "  return argument;\n"
                "}\n"
                "static void* start(void* argument) {\n"
                "  pthread_t thread;\n"
                "  pthread_create(&thread, 0, work, 0);\n"
                "  pthread_detach(thread);\n"
                "  return argument;\n"
                "}\n"
                "int main(void) {\n"
                "  pthread_t thread;\n"
                "  pthread_barrier_init(&begun, 0, 4);\n"
                "  for (int i = 0; i < 3; ++i) {\n"
                "    pthread_create(&thread, 0, start, 0);\n"
                "    pthread_detach(thread);\n"
                "  }\n"
                "  pthread_barrier_wait(&begun);\n"
                "  for (int i = 0; i < 20; ++i) is_over();\n"
                "  " +
                    end + "\n}\n",
                "-g -O1 -pthread");
      const std::string record = "record --quiet -o run.orr --method " + method + " ./app";
      for (int i = 0; i < 3; ++i) {
        REQUIRE(here.orrery(record).status == 0);
        const CommandResult again = here.orrery("replay --quiet run.orr");
        INFO(again.err);
        CHECK(again.status == 0);
      }
    }
  }
}

TEST_CASE(
    "What else than a race may lead a replay astray is told, too, whoever built the program") {
  // How often a lock is taken depends on what neither the recorder nor the simulation sees.  Of one
  // thread it may come out the same; hardly so of three.
  struct Case {
    const char* unseen;
    const char* what;
  };
  for (const Case& one :
       {Case{
            "__asm__ volatile(\"syscall\" : \"=a\"(result) : \"a\"(318), \"D\"(&number), \"S\"(8), "
            "\"d\"(0) : \"rcx\", \"r11\", \"memory\");",
            "the system call getrandom, without the C library"},
        Case{"number = __builtin_ia32_rdtsc();", "the processor's count of cycles"}}) {
    for (const bool is_plain : {true, false}) {
      CAPTURE(one.what, is_plain);
      const WorkingDirectory here;
      const std::string source =
          std::string(
              "#include <pthread.h>\n"
              "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
              "static void* work(void* argument) {\n"
              "  unsigned long number = 0, result = 0;\n  ") +
          one.unseen +
          "\n  for (unsigned long i = 0; i < (number + result) % 10007; ++i) {\n"
          "    pthread_mutex_lock(&lock);\n    pthread_mutex_unlock(&lock);\n  }\n"
          "  return argument;\n}\n"
          "int main(void) {\n  for (int i = 0; i < 3; ++i) {\n    pthread_t thread;\n"
          "    pthread_create(&thread, 0, work, 0);\n    pthread_join(thread, 0);\n  }\n"
          "  return 0;\n}\n";
      if (is_plain) {
        build_plainly(here, "gcc", source);
      } else {
        build_app(here, source, "-g -O1 -pthread");
      }
      REQUIRE(here.orrery("record --quiet -o run.orr ./app").status == 0);
      const CommandResult again = here.orrery("replay run.orr");
      INFO(again.err);
      CHECK(again.status == 1);
      CHECK(has(again.err, "divergence: the program parts from its log in work#"));
      CHECK(has(again.err, is_plain ? "may be a data race: build the program with orrery cc"
                                    : "no data race comes before that"));
      CHECK(has(again.err, "system calls and instructions whose results are not recorded"));
      CHECK_FALSE(has(again.err, "data_race"));
    }
  }
}

TEST_CASE("Whatever a program exits with, a thread that has done less is told, by every method") {
  // What the program is called, in a system call that nobody sees, is another thing in simulation.
  const std::string source = R"(#include <pthread.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared[2];
static int is_called_app(void) {
  char name[256] = "";
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(89), "D"("/proc/self/exe"), "S"(name), "d"(sizeof name - 1)
                   : "rcx", "r11", "memory");
  return strstr(name, "/app") != 0;
}
static void *work(void *argument) {
  for (int i = 0; i < 5 && is_called_app(); ++i) {
    pthread_mutex_lock(&lock);
    ++shared[0];
    pthread_mutex_unlock(&lock);
  }
  return argument;
}
static void *count(void *argument) {
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&lock);
    ++shared[0];
    pthread_mutex_unlock(&lock);
  }
  return argument;
}
int main(void) {
  pthread_t works, counts;
  pthread_create(&counts, 0, count, 0);
  pthread_join(counts, 0);
  pthread_create(&works, 0, work, 0);
  pthread_join(works, 0);
  return STATUS;
}
)";
  for (const std::string status : {"0", "3"}) {
    const WorkingDirectory here;
    build_app(here, source, "-g -O1 -pthread -DSTATUS=" + status);
    for (const std::string method :
         {"lamport-order", "instant-replay", "leap", "global-writes", "stride"}) {
      CAPTURE(status, method);
      const CommandResult real =
          here.orrery("record --quiet -o run.orr --method " + method + " ./app");
      REQUIRE(real.status == (status == "0" ? 0 : 1));
      const CommandResult again = here.orrery("replay run.orr");
      INFO(again.err);
      CHECK(again.status == 1);
      CHECK(has(again.err, "divergence: the program parts from its log in work#1"));
    }
  }
}
