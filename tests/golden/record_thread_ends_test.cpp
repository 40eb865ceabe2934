// What threads do while they end, and leave behind: recorded on real cores and in simulation, by
// every method that the program's build allows.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"
#include "every_method.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::check_real_recordings;
using orrery::test::check_recordings;
using orrery::test::check_simulated_recordings;
using orrery::test::CommandResult;
using orrery::test::WorkingDirectory;

constexpr const char* robust = R"(#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t lock;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int died, counted, lost, left;
static int take(void) {
  const int error = pthread_mutex_lock(&lock);
  if (error != EOWNERDEAD) return error;
  ++died;
  return pthread_mutex_consistent(&lock);
}
static void *work(void *how) {
  take();
  ++counted;
  if (strcmp(how, "dies") == 0) return how;
  if (strcmp(how, "leaves") == 0) pthread_exit(how);
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&lock);
  return how;
}
static void *wait_for_three(void *argument) {
  take();
  while (counted < 3) {
    if (pthread_cond_wait(&condition, &lock) != EOWNERDEAD) continue;
    ++died;
    pthread_mutex_consistent(&lock);
  }
  pthread_mutex_unlock(&lock);
  return argument;
}
static void *come_too_late(void *argument) {
  const int is_lost = pthread_mutex_lock(&lock) == ENOTRECOVERABLE;
  __atomic_add_fetch(&lost, is_lost, __ATOMIC_SEQ_CST);
  return argument;
}
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &attributes);
  const char *const how[] = {"dies", "goes on", "leaves"};
  pthread_t threads[4];
  pthread_create(&threads[3], NULL, wait_for_three, NULL);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, (void *)how[i]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  take();
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&lock);
  pthread_join(threads[3], NULL);
  printf("%d died, %d counted\n", died, counted);
  pthread_create(&threads[0], NULL, work, "dies");
  pthread_join(threads[0], NULL);
  if (pthread_mutex_lock(&lock) == EOWNERDEAD) pthread_mutex_unlock(&lock);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, come_too_late, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  // The C library's own try leaves the lock taken: it comes last.
  printf("%d too late, %d\n", lost, pthread_mutex_trylock(&lock) == ENOTRECOVERABLE);
}
)";

TEST_CASE("That a thread has died with a robust mutex comes again, and what others make of it") {
  check_recordings(robust);
}

TEST_CASE("A condition's wait says that the mutex's holder has died, or that it is lost") {
  const WorkingDirectory here;
  build_app(here, R"(#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static pthread_mutex_t lock;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int sleeping;
static void *die(void *argument) {
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&condition);
  return argument;
}
static void *sleeper(void *mends) {
  pthread_mutex_lock(&lock);
  ++sleeping;
  const int error = pthread_cond_wait(&condition, &lock);
  printf("%d ", error == EOWNERDEAD ? 1 : error == ENOTRECOVERABLE ? 2 : 0);
  if (error == EOWNERDEAD && mends != NULL) pthread_mutex_consistent(&lock);
  if (error != ENOTRECOVERABLE) pthread_mutex_unlock(&lock);
  return mends;
}
static void run(void *mends) {
  pthread_t threads[3];
  int seen = 0;
  sleeping = 0;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, sleeper, mends);
  while (seen < 2) {
    sched_yield();
    pthread_mutex_lock(&lock);
    seen = sleeping;
    pthread_mutex_unlock(&lock);
  }
  pthread_create(&threads[2], NULL, die, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&lock, &attributes);
  run("mends");
  run(NULL);
  printf("%d\n", pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
}
)",
            "-g -w -pthread");
  const std::string expected = here.shell("./app").out;
  CHECK(expected == "1 0 1 2 1\n");
  here.write("expected", expected);
  const CommandResult explored = here.orrery("explore --runs 100 --expect-output expected ./app");
  INFO(explored.out);
  CHECK(explored.status == 0);
}

TEST_CASE("What destructors of a thread's own values do has its place in the order") {
  check_recordings(R"(#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
static tss_t key;
static atomic_int next;
static int turns[3];
static void take_turn(void *turn) { *(int *)turn = atomic_fetch_add(&next, 1); }
static int work(void *turn) {
  tss_set(key, turn);
  if (turn != &turns[2]) thrd_exit(5);
  return 6;
}
int main(void) {
  thrd_t threads[3];
  int result;
  tss_create(&key, take_turn);
  for (int i = 0; i < 3; ++i) thrd_create(&threads[i], work, &turns[i]);
  for (int i = 0; i < 3; ++i) {
    thrd_join(threads[i], &result);
    printf("%d ", result);
  }
  printf("%d %d %d\n", turns[0], turns[1], turns[2]);
}
)");
}

TEST_CASE(
    "What threads and main do while they leave, and leave behind, comes again in that order") {
  // In simulation, too, but for who is the last to end: that is in no log.
  const WorkingDirectory here;
  build_app(here, R"(#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <thread>
static std::mutex lock;
static std::condition_variable is_noted;
static pthread_mutex_t robust;
static pthread_key_t key;
static int order[9], used;
static std::atomic<int> sum;
static void note(int what) {
  const std::lock_guard<std::mutex> held(lock);
  order[used++] = what;
  is_noted.notify_one();
}
struct Local {
  int value = 0;
  ~Local() {
    sum += value;
    note(100 + value);
  }
};
static thread_local Local local;
static void end_value(void *value) { note(static_cast<int>(reinterpret_cast<long>(value))); }
static void report() {
  std::unique_lock<std::mutex> held(lock);
  is_noted.wait(held, [] { return used == 9; });
  for (const int one : order) std::printf("%d ", one);
  std::printf("%d\n", sum.load());
}
static void work(int number) {
  local.value = number;
  pthread_setspecific(key, reinterpret_cast<void *>(static_cast<long>(number)));
  if (pthread_mutex_lock(&robust) == EOWNERDEAD) pthread_mutex_consistent(&robust);
  if (number % 2 == 0) pthread_mutex_unlock(&robust);
  if (number == 3) pthread_exit(nullptr);
}
int main() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  pthread_mutex_lock(&robust);
  pthread_key_create(&key, end_value);
  local.value = 50;
  pthread_setspecific(key, reinterpret_cast<void *>(50));
  for (int i = 1; i < 5; ++i) std::thread(work, i).detach();
  std::thread(report).detach();
  pthread_exit(nullptr);
}
)",
            "-g -O1 -pthread", "cpp");
  check_real_recordings(here);
}

TEST_CASE("A thread is joined by another than has started it, while its handle is used again") {
  check_recordings(R"(#include <cstdio>
#include <future>
#include <vector>
int main() {
  std::shared_future<int> four = std::async(std::launch::async, [] { return 4; }).share();
  std::vector<std::future<int>> products;
  for (int i = 0; i < 3; ++i) {
    products.push_back(std::async(std::launch::async, [four, i] { return four.get() * i; }));
  }
  int sum = 0;
  for (auto &one : products) sum += one.get();
  std::printf("%d\n", sum);
}
)",
                   "cpp");
}

TEST_CASE("A promise that is kept when its thread ends is kept in every replay, and orders") {
  const WorkingDirectory here;
  build_app(here, R"(#include <cstdio>
#include <future>
#include <thread>
static int value;
int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&promise] {
    value = 3;
    promise.set_value_at_thread_exit(7);
  });
  const int got = future.get();
  std::printf("%d %d\n", got, value);
  thread.join();
}
)",
            "-g -O1 -pthread", "cpp");
  check_real_recordings(here);
  check_simulated_recordings(here, "20us", {1, 2, 3, 6});
  for (int seed = 1; seed <= 3; ++seed) {
    const CommandResult watched = here.orrery("run --detect fasttrack --window 20us --seed " +
                                              std::to_string(seed) + " ./app");
    INFO(watched.out << watched.err);
    CHECK(watched.status == 0);
  }
}

TEST_CASE("Detached threads that still run when main returns are ended where they were") {
  const WorkingDirectory here;
  build_app(here, R"(#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
static std::mutex lock;
static int sum;
static std::atomic<int> begun{0};
static std::atomic<bool> stops{false};
static void work(int number) {
  ++begun;
  while (true) {
    {
      const std::lock_guard<std::mutex> guard(lock);
      sum += number;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    if (stops.load()) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}
int main() {
  for (int i = 0; i < 3; ++i) std::thread(work, i).detach();
  while (begun.load() < 3) std::this_thread::yield();
  {
    const std::lock_guard<std::mutex> guard(lock);
    sum = 0;
  }
  stops = true;
  {
    const std::lock_guard<std::mutex> guard(lock);
    std::printf("%d\n", sum);
  }
}
)",
            "-g -O1 -pthread", "cpp");
  check_real_recordings(here);
  check_simulated_recordings(here, "20us", {1, 2, 3, 4});
}

}  // namespace
