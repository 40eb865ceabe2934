// A run is the same whether somebody watches it or not, though the one that nobody watches takes a
// shorter way; and what a run that dies leaves behind does not depend on a recorder.
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::build_app;
using orrery::test::has;
using orrery::test::WorkingDirectory;

// Everything that has a short way: by a task that is alone (between `main`'s starting of threads,
// and after their end), and by several at once.
constexpr const char* every_operation = R"(
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, checked, robust;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t tokens;
static atomic_int count, turn;
static int total, is_open;
static void make(pthread_mutex_t* mutex, int type, int is_robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  if (is_robust) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &attributes);
}
static void do_all(void) {
  pthread_mutex_lock(&plain);
  ++total;
  if (pthread_mutex_trylock(&plain) != EBUSY) total += 1000;
  pthread_mutex_unlock(&plain);
  pthread_mutex_lock(&recursive);
  pthread_mutex_lock(&recursive);
  ++total;
  pthread_mutex_unlock(&recursive);
  pthread_mutex_unlock(&recursive);
  pthread_mutex_lock(&checked);
  if (pthread_mutex_lock(&checked) != EDEADLK) total += 1000;
  pthread_mutex_unlock(&checked);
  if (pthread_mutex_unlock(&checked) != EPERM) total += 1000;
  pthread_mutex_lock(&robust);
  ++total;
  pthread_mutex_unlock(&robust);
  pthread_rwlock_rdlock(&shelf);
  pthread_rwlock_rdlock(&shelf);
  pthread_rwlock_unlock(&shelf);
  pthread_rwlock_unlock(&shelf);
  if (pthread_rwlock_tryrdlock(&shelf) == 0) pthread_rwlock_unlock(&shelf);
  pthread_rwlock_wrlock(&shelf);
  ++total;
  pthread_rwlock_unlock(&shelf);
  pthread_spin_lock(&spin);
  ++total;
  pthread_spin_unlock(&spin);
  sem_wait(&tokens);
  sem_post(&tokens);
  if (sem_trywait(&tokens) == 0) sem_post(&tokens);
  pthread_cond_signal(&changed);
  atomic_fetch_add(&count, 2);
  int expected = -1;
  atomic_compare_exchange_strong(&turn, &expected, 5);
  for (int i = 0; i < 20; ++i) atomic_load(&turn);
  atomic_store(&turn, atomic_load(&turn) + 1);
}
static void* work(void* unused) {
  for (int i = 0; i < 3; ++i) do_all();
  pthread_mutex_lock(&plain);
  while (!is_open) pthread_cond_wait(&changed, &plain);
  pthread_mutex_unlock(&plain);
  return unused;
}
int main(void) {
  make(&recursive, PTHREAD_MUTEX_RECURSIVE, 0);
  make(&checked, PTHREAD_MUTEX_ERRORCHECK, 0);
  make(&robust, PTHREAD_MUTEX_NORMAL, 1);
  pthread_spin_init(&spin, 0);
  sem_init(&tokens, 0, 1);
  pthread_t all[3];
  for (int i = 0; i < 3; ++i) {
    do_all();
    pthread_create(&all[i], NULL, work, NULL);
  }
  for (int i = 0; i < 3; ++i) do_all();
  pthread_mutex_lock(&plain);
  is_open = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&plain);
  for (int i = 0; i < 3; ++i) pthread_join(all[i], NULL);
  for (int i = 0; i < 100; ++i) do_all();
  printf("%d %d\n", total, atomic_load(&count));
  return 0;
}
)";

TEST_CASE("A run that nobody watches is the one that a log of it replays") {
  const WorkingDirectory here;
  build_app(here, every_operation, "-g -O2 -pthread");
  for (const std::string seed : {"1", "2", "3", "4"}) {
    for (const std::string flags : {"", "--window 1s ", "--preempt shared ", "--preempt all "}) {
      const std::string how = "--json --seed " + seed + " " + flags;
      CAPTURE(how);
      const json alone = json::parse(here.orrery("run " + how + "./app").out);
      const json watched = json::parse(here.orrery("run " + how + "--timeline ./app").out);
      const json recorded = json::parse(here.orrery("run " + how + "--record run.orr ./app").out);
      const json replayed = json::parse(here.orrery("replay --json run.orr").out);
      // Several locks guard `total`: where a turn may be lost at an access, additions are too.
      if (!has(flags, "--preempt")) CHECK(alone["output"] == "575 230\n");
      for (const std::string field : {"steps", "output", "virtual_time_ns", "outcome"}) {
        CHECK(alone[field] == watched[field]);
        CHECK(alone[field] == recorded[field]);
        CHECK(alone[field] == replayed[field]);
      }
      CHECK(alone["stats"]["questions"] == recorded["stats"]["questions"]);
    }
  }
}

TEST_CASE("A process that is killed from outside still says who ran last, and how far it came") {
  const WorkingDirectory here;
  build_app(here, R"(
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
static void* die(void* unused) {
  long result = SYS_getpid;
  __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
  const long self = result;
  result = SYS_kill;
  __asm__ volatile("syscall" : "+a"(result) : "D"(self), "S"((long)SIGKILL) : "rcx", "r11", "memory");
  return unused;
}
static void* idle(void* unused) { return unused; }
int main(void) {
  pthread_t one;
  for (int i = 0; i < 3; ++i) {
    pthread_create(&one, 0, i == 2 ? die : idle, 0);
    pthread_join(one, 0);
  }
}
)",
            "-g -O1 -pthread");
  const json object = json::parse(here.orrery("run --json ./app").out);
  const json& finding = object["findings"][0];
  INFO(object.dump(1));
  CHECK(has(finding["message"], "killed by SIGKILL"));
  CHECK(finding["where"][0]["task"] == "die#1");
  CHECK(finding["where"][0]["role"] == "ran last");
  CHECK(object["steps"] > 8);
}

TEST_CASE("A crash is at the same step and date, whether the run is recorded or not") {
  const WorkingDirectory here;
  build_app(here, R"(
#include <pthread.h>
#include <unistd.h>
static void* fall(void* lock) {
  usleep(70);
  for (int i = 0; i < 10; ++i) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
  }
  *(volatile int*)8 = 1;
  return lock;
}
int main(void) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_t one;
  pthread_create(&one, 0, fall, &lock);
  pthread_join(one, 0);
}
)",
            "-g -O1 -pthread");
  const json alone = json::parse(here.orrery("run --json ./app").out);
  const json recorded = json::parse(here.orrery("run --json --record crash.orr ./app").out);
  INFO(alone.dump(1));
  CHECK(alone["findings"][0]["where"][0]["task"] == "fall#1");
  CHECK(alone["findings"][0]["where"][0]["line"] == 10);
  CHECK(alone["virtual_time_ns"] == 70'000);
  CHECK(alone["steps"] == recorded["steps"]);
  CHECK(alone["virtual_time_ns"] == recorded["virtual_time_ns"]);
  const json replayed = json::parse(here.orrery("replay --json crash.orr").out);
  CHECK(alone["steps"] == replayed["steps"]);
}

}  // namespace
