// Threads that send each other signals: who waits for them gets them in a replay, and a handler
// that comes in the midst of something keeps nobody waiting.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::run_recorded;
using orrery::test::WorkingDirectory;

const std::string start =
    "#include <atomic>\n#include <csignal>\n#include <cstdio>\n#include <pthread.h>\n"
    "#include <semaphore.h>\n#include <unistd.h>\nstatic long shared;\n"
    "static std::atomic<int> hits;\n";

/// By `sigwait`, `sigsuspend` and `pause`, in turn.
const std::string waiting =
    start +
    "static sem_t ready, done;\n"
    "static void handle(int) { ++hits; }\n"
    "static void* by_sigwait(void*) {\n  sigset_t set;\n  sigemptyset(&set);\n"
    "  sigaddset(&set, SIGUSR2);\n  sem_post(&ready);\n"
    "  for (int i = 0; i < 3; ++i) {\n    int got;\n    sigwait(&set, &got);\n"
    "    shared = shared * 3 + got;\n    sem_post(&done);\n  }\n  return nullptr;\n}\n"
    "static void* by_sigsuspend(void*) {\n  sigset_t none;\n  sigfillset(&none);\n"
    "  sigdelset(&none, SIGUSR1);\n  sem_post(&ready);\n"
    "  for (int i = 0; i < 3; ++i) {\n    sigsuspend(&none);\n    shared = shared * 5 + 1;\n"
    "    sem_post(&done);\n  }\n  return nullptr;\n}\n"
    "int main() {\n  sem_init(&ready, 0, 0);\n  sem_init(&done, 0, 0);\n"
    "  struct sigaction action = {};\n  action.sa_handler = handle;\n"
    "  sigaction(SIGUSR1, &action, nullptr);\n"
    "  sigset_t set;\n  sigemptyset(&set);\n  sigaddset(&set, SIGUSR1);\n"
    "  sigaddset(&set, SIGUSR2);\n  pthread_sigmask(SIG_BLOCK, &set, nullptr);\n"
    "  pthread_t a, b;\n  pthread_create(&a, nullptr, by_sigwait, nullptr);\n"
    "  pthread_create(&b, nullptr, by_sigsuspend, nullptr);\n"
    "  sem_wait(&ready);\n  sem_wait(&ready);\n"
    "  for (int i = 0; i < 3; ++i) {\n    pthread_kill(a, SIGUSR2);\n    sem_wait(&done);\n"
    "    pthread_kill(b, SIGUSR1);\n    sem_wait(&done);\n  }\n"
    "  pthread_join(a, nullptr);\n  pthread_join(b, nullptr);\n"
    "  std::printf(\"%d %ld\\n\", hits.load(), shared);\n}\n";

/// Handlers that come between any two instructions, and access what these access.
const std::string running =
    start +
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic std::atomic<bool> quit;\n"
    "static void handle(int) {\n  ++hits;\n  shared = shared * 3 + 1;\n}\n"
    "static void* work(void*) {\n  while (!quit) {\n    pthread_mutex_lock(&lock);\n"
    "    for (int i = 0; i < 20; ++i) shared += i;\n    pthread_mutex_unlock(&lock);\n  }\n"
    "  return nullptr;\n}\n"
    "int main() {\n  std::signal(SIGUSR1, handle);\n  pthread_t all[2];\n"
    "  for (auto& one : all) pthread_create(&one, nullptr, work, nullptr);\n"
    "  for (int i = 0; i < 40; ++i) {\n    pthread_kill(all[i % 2], SIGUSR1);\n"
    "    while (hits == i) usleep(50);\n  }\n  quit = true;\n"
    "  for (const auto one : all) pthread_join(one, nullptr);\n"
    "  std::printf(\"%d\\n\", hits.load());\n}\n";

CommandResult record(const WorkingDirectory& here, const std::string& method) {
  return here.shell(fmt::format(
      "timeout -k 5 60 '" ORRERY_BINARY "' record --method {} -o run.orr ./app", method));
}

}  // namespace

TEST_CASE("A handler that comes in the midst of a recorded operation keeps nobody waiting") {
  const WorkingDirectory here;
  build_hooked(here, running);
  for (const char* const method :
       {"leap", "stride", "global-writes", "lamport-order", "instant-replay"}) {
    CAPTURE(method);
    const CommandResult real = record(here, method);
    INFO(real.err);
    REQUIRE(real.status == 0);
    CHECK(real.out == "40\n");
    CHECK(real.err.find("the program has handled signals") != std::string::npos);
    // It may part from its log, and then says so.
    CHECK(here.orrery("replay --wall-limit 60s run.orr").status < 2);
  }
}

TEST_CASE("Who waits for signals on real cores gets them in a replay") {
  const WorkingDirectory here;
  build_hooked(here, waiting);
  for (const char* const method :
       {"leap", "stride", "global-writes", "lamport-order", "instant-replay"}) {
    CAPTURE(method);
    const CommandResult real = record(here, method);
    INFO(real.err);
    REQUIRE(real.status == 0);
    const CommandResult again = here.orrery("replay --seed 7 run.orr");
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == real.out);
  }
}

TEST_CASE("Who waits for signals in simulation gets them in a replay") {
  const WorkingDirectory here;
  build_hooked(here, waiting);
  for (const char* const method :
       {"leap", "stride", "global-writes", "lamport-order", "instant-replay"}) {
    for (int seed = 1; seed <= 4; ++seed) {
      CAPTURE(method, seed);
      const CommandResult run = run_recorded(here, method, seed);
      const CommandResult again = here.orrery("replay --seed 7 run.orr");
      INFO(again.err);
      CHECK(again.status == 0);
      CHECK(again.out == run.out);
    }
  }
}
