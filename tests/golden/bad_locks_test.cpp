// Locks and their like, used as nobody should: each mistake is a finding with the names of the
// lock, of the thread and of the line, in C and in C++.
#include <catch2/catch.hpp>

#include "misuse_program.hpp"

namespace {

using orrery::test::Misuse;
using orrery::test::MisuseProgram;

constexpr const char* c_prelude = R"(#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t gate, never_made;
static pthread_spinlock_t spin;
static sem_t slots;
static struct { int length; struct { pthread_mutex_t lock; } inner; } queue;
static struct bucket { int count; pthread_mutex_t lock; } buckets[5];
static pthread_t helper;
static void *locks(void *lock) { pthread_mutex_lock(lock); return 0; }
static void *waits(void *unused) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); return 0; }
static void *takes(void *unused) { sem_wait(&slots); return 0; }
static void *arrives(void *unused) { pthread_barrier_wait(&gate); return 0; }
static void *sleeps(void *unused) { pthread_mutex_lock(&m); sleep(10); return 0; }
static void start(void *(*function)(void *), void *argument) {
  pthread_create(&helper, 0, function, argument);
  sleep(1);
}
static void once_more(void) { pthread_once(&once, once_more); }
static void handler(int number) { pthread_mutex_lock(&m); }
)";

const std::vector<Misuse>& of_c() {
  static const std::vector<Misuse> all{
      {"pthread_mutex_lock(&m); pthread_mutex_destroy(&m);", "leak", "mutex m is destroyed while"},
      {"start(locks, &m); pthread_mutex_destroy(&m);", "leak", "mutex m is destroyed while held"},
      {"pthread_mutex_unlock(&m);", "assertion",
       "worker#1 unlocks mutex m, which it does not hold"},
      {"start(locks, &buckets[3].lock); pthread_mutex_unlock(&buckets[3].lock);", "assertion",
       "worker#1 unlocks mutex buckets[3].lock, which it does not hold"},
      {"pthread_mutex_lock(&m); pthread_mutex_lock(&m);", "deadlock",
       "worker#1 waits for mutex m (mutex_lock), held by worker#1 since app.c:"},
      {"pthread_mutex_lock(&queue.inner.lock); pthread_mutex_lock(&queue.inner.lock);", "deadlock",
       "worker#1 waits for mutex queue.inner.lock (mutex_lock), held by worker#1"},
      {"pthread_spin_init(&spin, 0); pthread_spin_lock(&spin); pthread_spin_lock(&spin);",
       "deadlock", "waits for mutex spin (mutex_lock), held by worker#1 since app.c:"},
      {"start(sleeps, 0); pthread_cancel(helper); pthread_join(helper, 0); pthread_mutex_lock(&m);",
       "deadlock", "worker#1 waits for mutex m (mutex_lock), held by sleeps#1 since app.c:"},
      {"signal(SIGUSR1, handler); pthread_mutex_lock(&m); raise(SIGUSR1);", "deadlock",
       "worker#1 waits for mutex m (mutex_lock), held by worker#1", "handler"},
      {"pthread_cond_wait(&c, &m);", "assertion",
       "a wait on condition c without holding its mutex"},
      {"start(waits, 0); pthread_cond_destroy(&c);", "leak",
       "condition c is destroyed while waits#1 waits for it"},
      {"pthread_rwlock_rdlock(&table); pthread_rwlock_wrlock(&table);", "deadlock",
       "worker#1 waits for rw_lock table (mutex_lock), held by worker#1 since app.c:"},
      {"pthread_rwlock_unlock(&table);", "assertion",
       "worker#1 unlocks rw_lock table, which it does not hold"},
      {"pthread_rwlock_rdlock(&table); pthread_rwlock_destroy(&table);", "leak",
       "rw_lock table is destroyed while held"},
      {"sem_init(&slots, 0, 0); start(takes, 0); sem_destroy(&slots);", "leak",
       "semaphore slots is destroyed while takes#1 waits for it"},
      {"pthread_barrier_init(&gate, 0, 2); start(arrives, 0); pthread_barrier_destroy(&gate);",
       "leak", "barrier gate is destroyed while arrives#1 waits for it"},
      {"pthread_barrier_wait(&never_made);", "assertion",
       "a barrier is waited at that was never initialised"},
      {"pthread_once(&once, once_more);", "deadlock", "worker#1 waits for once_flag once",
       "once_more"},
      {"for (;;) pause();", "deadlock", "main waits for the end of worker#1"},
  };
  return all;
}

constexpr const char* cpp_prelude = R"(#include <array>
#include <barrier>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <pthread.h>
#include <unistd.h>
namespace bank {
struct Account { int balance = 0; std::mutex lock; };
std::array<Account, 3> accounts;
std::mutex journal;
}
static std::shared_mutex table;
static std::latch ready(2);
static std::barrier gate(2);
static std::counting_semaphore<4> slots(0);
static std::promise<int> answer;
struct Queue { std::mutex lock; std::condition_variable filled; };
static void wait_for(Queue& queue) { std::unique_lock own(queue.lock); queue.filled.wait(own); }
struct Once { Once(); int value; };
static Once& the_once() { static Once one; return one; }
Once::Once() : value(the_once().value) {}
)";

const std::vector<Misuse>& of_cpp() {
  static const std::vector<Misuse> all{
      {"bank::accounts[2].lock.unlock();", "assertion",
       "worker#1 unlocks mutex bank::accounts[2].lock, which it does not hold"},
      {"std::lock_guard one(bank::journal); std::lock_guard two(bank::journal);", "deadlock",
       "worker#1 waits for mutex bank::journal (mutex_lock), held by worker#1"},
      {"std::shared_lock reads(table); std::unique_lock writes(table);", "deadlock",
       "worker#1 waits for rw_lock table (mutex_lock), held by worker#1"},
      {"auto queue = std::make_unique<Queue>(); std::thread t(wait_for, std::ref(*queue)); "
       "sleep(1); queue.reset();",
       "leak", "is destroyed while wait_for#1 waits for it", "Queue::~Queue"},
      {"ready.arrive_and_wait();", "deadlock", "worker#1 waits for futex ready"},
      {"gate.arrive_and_wait();", "deadlock", "worker#1 waits for"},
      {"slots.acquire();", "deadlock", "worker#1 waits for futex slots"},
      {"answer.get_future().get();", "deadlock", "nobody can go on: worker#1 waits for"},
      {"the_once();", "deadlock", "worker#1 waits for once_flag the_once()::one", "the_once"},
  };
  return all;
}

TEST_CASE("What a thread of C does wrong with a lock is found, with the lock's name") {
  const char* const compiler = GENERATE("gcc", "clang");
  INFO(compiler);
  MisuseProgram(c_prelude, of_c(), "c", compiler).check_findings();
}

TEST_CASE("What a thread of C++ does wrong with a lock is found, with the lock's name") {
  const char* const compiler = GENERATE("g++", "clang++");
  INFO(compiler);
  MisuseProgram(cpp_prelude, of_cpp(), "cpp", compiler).check_findings();
}

}  // namespace
