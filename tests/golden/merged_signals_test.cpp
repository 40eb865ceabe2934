// `orrery record`: signals that a program sends itself, of which several come as one or do not. How
// many a thread got, and which, is the same in each replay.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

const std::string start =
    "#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <initializer_list>\n"
    "#include <pthread.h>\n#include <semaphore.h>\n#include <sys/time.h>\n#include <unistd.h>\n"
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic long shared;\n"
    "static void add(long value) {\n  pthread_mutex_lock(&lock);\n"
    "  shared = shared * 31 + value;\n  pthread_mutex_unlock(&lock);\n}\n"
    "static void compute(int rounds) {\n  for (volatile int i = 0; i < rounds; i = i + 1) {}\n}\n"
    "static sigset_t set_of(std::initializer_list<int> all) {\n  sigset_t set;\n"
    "  sigemptyset(&set);\n  for (const int one : all) sigaddset(&set, one);\n  return set;\n}\n"
    "static void block(std::initializer_list<int> all) {\n  const sigset_t set = set_of(all);\n"
    "  pthread_sigmask(SIG_BLOCK, &set, nullptr);\n}\n";

/// More of them than a thread can take in time, to one that waits.
const std::string to_a_thread =
    start +
    "static void* take(void*) {\n  const sigset_t set = set_of({SIGUSR1, SIGUSR2});\n"
    "  long count = 0;\n  for (int got = 0; got != SIGUSR2; ++count) sigwait(&set, &got);\n"
    "  return (void*)count;\n}\n"
    "int main() {\n  block({SIGUSR1, SIGUSR2});\n  pthread_t taker;\n"
    "  pthread_create(&taker, nullptr, take, nullptr);\n"
    "  for (int i = 0; i < 12; ++i) {\n    pthread_kill(taker, SIGUSR1);\n    compute(i * 500);\n"
    "  }\n  pthread_kill(taker, SIGUSR2);\n  void* count;\n  pthread_join(taker, &count);\n"
    "  std::printf(\"%ld\\n\", (long)count);\n}\n";

/// To whoever takes them; two kinds of them; some that queue, with a value.
const std::string to_the_process =
    start +
    "static void* take(void*) {\n"
    "  const sigset_t set = set_of({SIGUSR1, SIGUSR2, SIGTERM, SIGRTMIN});\n  long own = 0;\n"
    "  while (true) {\n    siginfo_t info = {};\n    const int got = sigwaitinfo(&set, &info);\n"
    "    if (got < 0) continue;\n    if (got == SIGTERM) return (void*)own;\n"
    "    own = own * 7 + got + info.si_value.sival_int + info.si_code;\n    add(got);\n  }\n}\n"
    "int main() {\n  block({SIGUSR1, SIGUSR2, SIGTERM, SIGRTMIN});\n  pthread_t all[3];\n"
    "  for (auto& one : all) pthread_create(&one, nullptr, take, nullptr);\n"
    "  for (int i = 0; i < 12; ++i) {\n    kill(getpid(), SIGUSR1);\n"
    "    pthread_kill(all[i % 3], SIGUSR2);\n    sigval value = {};\n    value.sival_int = i;\n"
    "    pthread_sigqueue(all[i % 2], SIGRTMIN, value);\n    compute(i * 700);\n  }\n"
    "  for (const auto one : all) pthread_kill(one, SIGTERM);\n"
    "  for (const auto one : all) {\n    void* own;\n    pthread_join(one, &own);\n"
    "    std::printf(\"%ld \", (long)own);\n  }\n  std::printf(\"%ld\\n\", shared);\n}\n";

/// A thread waits for all three, until a handler sets `quit`.
const std::string suspending =
    start +
    "static volatile bool quit;\n"
    "static void* suspend(void*) {\n  sigset_t rest;\n  sigfillset(&rest);\n"
    "  for (const int one : {SIGHUP, SIGUSR1, SIGINT}) sigdelset(&rest, one);\n  long count = 0;\n"
    "  for (; !quit; ++count) sigsuspend(&rest);\n  return (void*)count;\n}\n";

/// Sends them to `suspend`, and then the last one.
std::string main_that(const std::string& sends) {
  return "int main() {\n"
         "  for (const int one : {SIGHUP, SIGUSR1, SIGINT}) std::signal(one, handle);\n"
         "  block({SIGHUP, SIGUSR1, SIGINT});\n  pthread_t waiter;\n"
         "  pthread_create(&waiter, nullptr, suspend, nullptr);\n" +
         sends +
         "  pthread_kill(waiter, SIGINT);\n  void* count;\n  pthread_join(waiter, &count);\n"
         "  std::printf(\"%ld %ld\\n\", (long)count, shared);\n}\n";
}

/// To handlers of a thread that waits, of one that unblocks them, and of who sends them.
const std::string to_handlers =
    suspending +
    "static void handle(int signal) {\n  if (signal == SIGINT) quit = true;\n  add(signal);\n}\n"
    "int main() {\n  struct sigaction action = {};\n  action.sa_handler = handle;\n"
    "  action.sa_mask = set_of({SIGHUP, SIGUSR1, SIGINT});\n"
    "  for (const int one : {SIGHUP, SIGUSR1, SIGINT}) sigaction(one, &action, nullptr);\n"
    "  block({SIGHUP, SIGUSR1, SIGINT});\n  pthread_t waiter;\n"
    "  pthread_create(&waiter, nullptr, suspend, nullptr);\n"
    "  for (int i = 0; i < 12; ++i) {\n"
    "    pthread_kill(waiter, i % 2 != 0 ? SIGHUP : SIGUSR1);\n    compute(i * 500);\n  }\n"
    "  pthread_kill(waiter, SIGINT);\n  void* count;\n  pthread_join(waiter, &count);\n"
    "  raise(SIGHUP);\n  sigset_t pending;\n  sigpending(&pending);\n"
    "  const sigset_t set = set_of({SIGHUP});\n"
    "  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);\n  raise(SIGHUP);\n"
    "  std::printf(\"%ld %d %ld\\n\", (long)count, sigismember(&pending, SIGHUP), shared);\n}\n";

/// To handlers that may interrupt each other, also in the midst of what they count.
const std::string to_nested_handlers =
    start +
    "static volatile long handled;\nstatic volatile bool quit;\n"
    "static void handle(int signal) {\n  if (signal == SIGINT) quit = true;\n"
    "  __atomic_fetch_add(&handled, signal, __ATOMIC_RELAXED);\n}\n"
    "static void* suspend(void*) {\n  sigset_t rest;\n  sigfillset(&rest);\n"
    "  for (const int one : {SIGHUP, SIGUSR1, SIGINT}) sigdelset(&rest, one);\n  long count = 0;\n"
    "  for (; !quit; ++count) {\n    sigsuspend(&rest);\n    add(handled);\n  }\n"
    "  return (void*)count;\n}\n" +
    main_that(
        "  for (int i = 0; i < 12; ++i) {\n    pthread_kill(waiter, SIGHUP);\n"
        "    pthread_kill(waiter, SIGUSR1);\n    compute(i * 500);\n  }\n");

/// To handlers that take longer than it takes for others to come, which may interrupt them.
const std::string to_slow_handlers =
    suspending +
    "static void handle(int signal) {\n  add(signal);\n"
    "  for (long i = 0; i < 5'000'000; ++i) __asm__ volatile(\"\");\n  add(signal + 1);\n"
    "  if (signal == SIGINT) quit = true;\n}\n" +
    main_that(
        "  for (int i = 0; i < 5; ++i) {\n"
        "    pthread_kill(waiter, i % 2 != 0 ? SIGHUP : SIGUSR1);\n    usleep(700);\n  }\n");

/// To a thread that is about to begin a handler, or to end one.
const std::string to_many_handlers =
    suspending +
    "static void handle(int signal) {\n  if (signal == SIGINT) quit = true;\n  add(signal);\n}\n" +
    main_that(
        "  for (int i = 0; i < 1500; ++i) {\n"
        "    pthread_kill(waiter, i % 2 != 0 ? SIGHUP : SIGUSR1);\n"
        "    for (int k = i % 50 * 100; k > 0; --k) __asm__ volatile(\"\");\n  }\n");

/// From a timer of the system's.
const std::string from_a_timer =
    start +
    "static bool is_over;\n"
    "static void* tick(void*) {\n  const sigset_t set = set_of({SIGALRM});\n"
    "  for (int i = 0; i < 4; ++i) {\n    int got;\n    sigwait(&set, &got);\n    add(got);\n  }\n"
    "  pthread_mutex_lock(&lock);\n  is_over = true;\n  pthread_mutex_unlock(&lock);\n"
    "  return nullptr;\n}\n"
    "static void* work(void*) {\n  for (bool goes_on = true; goes_on; usleep(700)) {\n"
    "    add(1);\n    pthread_mutex_lock(&lock);\n    goes_on = !is_over;\n"
    "    pthread_mutex_unlock(&lock);\n  }\n  return nullptr;\n}\n"
    "int main() {\n  block({SIGALRM});\n  itimerval often = {{0, 8000}, {0, 8000}};\n"
    "  setitimer(ITIMER_REAL, &often, nullptr);\n  pthread_t a, b;\n"
    "  pthread_create(&a, nullptr, tick, nullptr);\n"
    "  pthread_create(&b, nullptr, work, nullptr);\n  pthread_join(a, nullptr);\n"
    "  pthread_join(b, nullptr);\n  std::printf(\"%ld\\n\", shared);\n}\n";

/// Threads are cancelled while they wait for more.
const std::string with_cancellation =
    start +
    "static sem_t ready;\nstatic void leave(void* number) { add((long)number); }\n"
    "static void* by_sigwait(void*) {\n  pthread_cleanup_push(leave, (void*)1);\n"
    "  const sigset_t set = set_of({SIGUSR1});\n  sem_post(&ready);\n  while (true) {\n"
    "    int got;\n    sigwait(&set, &got);\n    add(got);\n  }\n  pthread_cleanup_pop(0);\n"
    "  return nullptr;\n}\n"
    "static void* by_pause(void*) {\n  pthread_cleanup_push(leave, (void*)2);\n"
    "  sem_post(&ready);\n  while (true) pause();\n  pthread_cleanup_pop(0);\n"
    "  return nullptr;\n}\n"
    "int main() {\n  sem_init(&ready, 0, 0);\n  block({SIGUSR1});\n"
    "  for (int round = 0; round < 3; ++round) {\n    pthread_t a, b;\n"
    "    pthread_create(&a, nullptr, by_sigwait, nullptr);\n"
    "    pthread_create(&b, nullptr, by_pause, nullptr);\n    sem_wait(&ready);\n"
    "    sem_wait(&ready);\n    for (int i = 0; i < 5; ++i) {\n      pthread_kill(a, SIGUSR1);\n"
    "      compute(i * 2000);\n    }\n    pthread_cancel(a);\n    pthread_cancel(b);\n"
    "    for (const auto one : {a, b}) {\n      void* result;\n      pthread_join(one, &result);\n"
    "      if (result != PTHREAD_CANCELED) std::puts(\"?\");\n    }\n  }\n"
    "  std::printf(\"%ld\\n\", shared);\n}\n";

/// A thread still waits when the program ends.
const std::string to_the_end =
    start +
    "static void* take(void*) {\n  const sigset_t set = set_of({SIGUSR1});\n  while (true) {\n"
    "    int got;\n    sigwait(&set, &got);\n    pthread_mutex_lock(&lock);\n"
    "    std::printf(\"%ld\\n\", ++shared);\n    pthread_mutex_unlock(&lock);\n  }\n}\n"
    "int main() {\n  block({SIGUSR1});\n  pthread_t taker;\n"
    "  pthread_create(&taker, nullptr, take, nullptr);\n"
    "  for (int i = 0; i < 8; ++i) {\n    pthread_kill(taker, SIGUSR1);\n    compute(20000);\n"
    "  }\n  pthread_mutex_lock(&lock);\n  std::puts(\"end\");\n  std::fflush(stdout);\n"
    "  _exit(0);\n}\n";

void check_recordings(const WorkingDirectory& here, const std::string& method) {
  for (int round = 1; round <= 3; ++round) {
    CAPTURE(method, round);
    const CommandResult real = here.shell(fmt::format(
        "timeout -k 5 60 '" ORRERY_BINARY "' record --method {} -o run.orr ./app", method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    CHECK(real.out.find('?') == std::string::npos);
    for (const int seed : {0, round}) {
      const CommandResult again = here.orrery(fmt::format("replay --seed {} run.orr", seed));
      INFO(again.err);
      CHECK(again.status == 0);
      CHECK(again.out == real.out);
    }
  }
}

/// By each recorder of real threads.
void check_program(const std::string& source) {
  const WorkingDirectory here;
  build_hooked(here, source);
  for (const char* const method :
       {"leap", "stride", "global-writes", "lamport-order", "instant-replay"}) {
    check_recordings(here, method);
  }
  const CommandResult built = here.shell("c++ -std=c++17 -O2 -pthread app.cpp -o app");
  REQUIRE(built.status == 0);
  check_recordings(here, "lamport-order");
}

}  // namespace

TEST_CASE("How many equal signals came to a recorded thread as one is kept") {
  check_program(to_a_thread);
}

TEST_CASE("Who took a signal that was for a recorded process is kept, and what came with it") {
  check_program(to_the_process);
}

TEST_CASE("How often handlers of signals ran in calls of recorded threads is kept") {
  check_program(to_handlers);
  check_program(to_nested_handlers);
  check_program(to_slow_handlers);
}

TEST_CASE("Handlers of a recorded thread that are told do not interrupt each other") {
  const WorkingDirectory here;
  build_hooked(here, to_many_handlers);
  for (const char* const method : {"stride", "stride", "lamport-order", "lamport-order"}) {
    check_recordings(here, method);
  }
}

TEST_CASE("Signals of a timer that a recorded thread waits for come in a replay") {
  check_program(from_a_timer);
}

TEST_CASE("A recorded thread is cancelled where it waits for signals") {
  check_program(with_cancellation);
}

TEST_CASE("A recorded thread that waits for signals when the program ends does so in a replay") {
  check_program(to_the_end);
}

TEST_CASE("A thread of a simulated run is cancelled where it waits for signals") {
  const WorkingDirectory here;
  build_hooked(here, with_cancellation);
  for (const char* const method : {"choices", "leap", "stride", "lamport-order"}) {
    for (int seed = 1; seed <= 3; ++seed) {
      CAPTURE(method, seed);
      const CommandResult run = orrery::test::run_recorded(here, method, seed);
      CHECK(run.out.find('?') == std::string::npos);
      const CommandResult again = here.orrery("replay --seed 7 run.orr");
      INFO(again.err);
      CHECK(again.status == 0);
      CHECK(again.out == run.out);
    }
  }
}
