// How a process ends that has threads: when the last of them has, or when somebody says so.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// It ends well, with this output, natively and in every schedule.
void check_ends_well(const std::string& source, const std::string& flags, const std::string& output,
                     const std::string& language = "c") {
  const WorkingDirectory here;
  build_app(here, source, "-g -w " + flags, language);
  CHECK(here.shell("timeout 60 ./app").out == output);
  const CommandResult run = here.orrery("run ./app");
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK(run.out == output);
  here.write("expected", output);
  const CommandResult explored = here.orrery("explore --runs 200 --expect-output expected ./app");
  INFO(explored.out);
  CHECK(explored.status == 0);
}

TEST_CASE("A thread may join main, when that has left by pthread_exit, and has its result") {
  check_ends_well(R"(#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_t self;
static void *other(void *argument) {
  void *result = NULL;
  int error = pthread_join(self, &result);
  printf("%d %ld\n", error, (long)result);
  exit(argument != NULL);
}
int main(void) {
  pthread_t id;
  self = pthread_self();
  pthread_create(&id, NULL, other, NULL);
  pthread_exit((void *)5L);
}
)",
                  "-pthread", "0 5\n");
}

TEST_CASE("When main has left by pthread_exit, the last thread calls what is to be done at exit") {
  check_ends_well(R"(#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void bye(void) { puts("bye"); }
static void *other(void *argument) {
  usleep(1000);
  puts("working");
  return argument;
}
int main(void) {
  pthread_t id;
  atexit(bye);
  pthread_create(&id, NULL, other, NULL);
  pthread_detach(id);
  pthread_exit(NULL);
}
)",
                  "-pthread", "working\nbye\n");
}

TEST_CASE("OpenMP's idle threads do not keep a process whose own threads have ended") {
  check_ends_well(R"(#include <pthread.h>
#include <stdio.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += 1;
  printf("%d\n", sum);
  fflush(stdout);
  pthread_exit(NULL);
}
)",
                  "-pthread -fopenmp", "4\n");
}

TEST_CASE("A process that waits for nobody but itself after main has left is a deadlock") {
  const WorkingDirectory here;
  build_app(here, R"(#include <pthread.h>
static pthread_t self;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *argument) {
  pthread_join(self, NULL);
  pthread_mutex_lock(&lock);
  return argument;
}
int main(void) {
  pthread_t id;
  self = pthread_self();
  pthread_mutex_lock(&lock);
  pthread_create(&id, NULL, other, NULL);
  pthread_exit(NULL);
}
)",
            "-g -pthread");
  const CommandResult run = here.orrery("run ./app");
  INFO(run.err);
  CHECK(run.status == 1);
  CHECK(has(run.err,
            "deadlock: nobody can go on: other#1 waits for mutex lock (mutex_lock), "
            "held by main since"));
}

TEST_CASE("What the C++ library is to do at a thread's end is done at that of each thread") {
  check_ends_well(R"(#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
static std::mutex lock;
static std::condition_variable condition;
static bool is_ready = false;
struct Local {
  int value = 0;
  ~Local() { std::printf("end of %d\n", value); }
};
static thread_local Local local;
int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread one([&promise] {
    local.value = 1;
    promise.set_value_at_thread_exit(7);
  });
  std::printf("%d\n", future.get());
  one.join();
  std::thread other([] {
    std::unique_lock<std::mutex> held(lock);
    is_ready = true;
    std::notify_all_at_thread_exit(condition, std::move(held));
    local.value = 2;
  });
  {
    std::unique_lock<std::mutex> held(lock);
    condition.wait(held, [] { return is_ready; });
  }
  other.join();
}
)",
                  "-pthread", "end of 1\n7\nend of 2\n", "cpp");
}

TEST_CASE("Thread-local variables of main that leaves by pthread_exit end with the process") {
  // As in the C library: or not at all, where another thread is the last.
  check_ends_well(R"(#include <cstdio>
#include <pthread.h>
struct Local {
  ~Local() { std::puts("variable"); }
};
static thread_local Local local;
static void end(void *) { std::puts("value"); }
int main() {
  pthread_key_t key;
  pthread_key_create(&key, end);
  pthread_setspecific(key, &local);
  pthread_exit(nullptr);
}
)",
                  "-pthread", "value\nvariable\n", "cpp");
}

}  // namespace
