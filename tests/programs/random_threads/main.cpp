// A program of threads that do at random what threads do: main SEED THREADS STEPS.  What it prints
// depends on every outcome, on the order of all holders of each lock, and on the order of
// everything else that is ordered; and on nothing else.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <pthread.h>
#include <semaphore.h>

namespace {

using namespace std::chrono_literals;

/// What is written under one lock, and read under it.
struct Mixed {
  std::uint64_t value = 1;
  void mix(std::uint64_t what) { value = value * 1099511628211U + what; }
};

struct Shared {
  std::mutex mutex;
  std::recursive_mutex recursive;
  std::timed_mutex timed;
  std::condition_variable condition;
  pthread_rwlock_t rw_lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t spin_lock{};
  pthread_barrier_t barrier{};
  sem_t semaphore{};
  sem_t single{};  // one may have it, as a lock
  std::once_flag once;
  Mixed under_mutex;
  Mixed under_rw_lock;
  Mixed under_spin_lock;
  Mixed under_recursive;
  Mixed under_timed;
  Mixed under_single;
};
Shared shared;  // NOLINT: threads share it
#ifdef WITH_ATOMICS
std::atomic<std::uint64_t> counter{0};  // NOLINT
#endif

struct MadeOnce {
  explicit MadeOnce(std::uint64_t number) {
    const std::lock_guard lock(shared.mutex);
    shared.under_mutex.mix(number + 77);
  }
  std::uint64_t value = 3;
};

class Walker {
 public:
  Walker(unsigned seed, unsigned number) : random_(seed * 64 + number + 1), number_(number) {}

  std::uint64_t walk(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      if (i % 50 == 25 && pthread_barrier_wait(&shared.barrier) != 0) own_.mix(37);
      if (i == 10) {
        std::call_once(shared.once, [this] {
          const std::lock_guard lock(shared.mutex);
          shared.under_mutex.mix(number_ * 1000);
        });
      }
      if (i == 20) {
        static const MadeOnce made(number_);
        own_.mix(made.value);
      }
    }
    return own_.value;
  }

 private:
  void step() {
    switch (random_() % 15) {
      case 0: return read();
      case 1: return write();
      case 2: return take();
      case 3: return try_to_take();
      case 4: return spin();
      case 5: return try_to_lock();
      case 6: return lock_twice();
      case 7: return lock_in_time();
      case 8: return wait();
      case 9: return shared.condition.notify_one();
      case 10: return shared.condition.notify_all();
      case 11: return try_to_write();
      case 12: return poll();
      case 13: return take_single();
      default: return count();
    }
  }

  void read() {
    pthread_rwlock_rdlock(&shared.rw_lock);
    own_.mix(shared.under_rw_lock.value);
    pthread_rwlock_unlock(&shared.rw_lock);
  }
  void write() {
    pthread_rwlock_wrlock(&shared.rw_lock);
    shared.under_rw_lock.mix(number_);
    pthread_rwlock_unlock(&shared.rw_lock);
  }
  void try_to_write() {
    if (pthread_rwlock_trywrlock(&shared.rw_lock) != 0) return own_.mix(29);
    shared.under_rw_lock.mix(number_ + 100);
    pthread_rwlock_unlock(&shared.rw_lock);
  }
  void take() {
    sem_wait(&shared.semaphore);
    int left = 0;  // for others
    sem_getvalue(&shared.semaphore, &left);
    own_.mix(static_cast<std::uint64_t>(left));
    sem_post(&shared.semaphore);
  }
  void try_to_take() {
    if (sem_trywait(&shared.semaphore) != 0) return own_.mix(5);
    own_.mix(3);
    sem_post(&shared.semaphore);
  }
  void take_single() {
    sem_wait(&shared.single);
    shared.under_single.mix(number_);
    own_.mix(shared.under_single.value);
    sem_post(&shared.single);
  }
  void spin() {
    pthread_spin_lock(&shared.spin_lock);
    shared.under_spin_lock.mix(number_);
    own_.mix(shared.under_spin_lock.value);
    pthread_spin_unlock(&shared.spin_lock);
  }
  void try_to_lock() {
    const std::unique_lock lock(shared.mutex, std::try_to_lock);
    if (!lock) return own_.mix(11);
    shared.under_mutex.mix(number_ * 7);
    own_.mix(7);
  }
  /// How often is told, too.
  void poll() {
    constexpr unsigned polls_max = 30;
    unsigned polls = 0;
#ifdef WITH_ATOMICS
    const std::uint64_t seen = counter.load();
    while (counter.load() == seen && polls < polls_max) ++polls;
    own_.mix(polls);
    polls = 0;
#endif
    while (!shared.mutex.try_lock()) {
      if (++polls == polls_max) return own_.mix(47);
    }
    own_.mix(polls);
    shared.under_mutex.mix(number_ * 13);
    shared.mutex.unlock();
  }
  void lock_twice() {
    const std::lock_guard outer(shared.recursive);
    const std::lock_guard inner(shared.recursive);
    shared.under_recursive.mix(number_);
    own_.mix(shared.under_recursive.value);
  }
  void lock_in_time() {
    if (!shared.timed.try_lock_for(20us)) return own_.mix(19);
    std::this_thread::sleep_for(10us);
    shared.under_timed.mix(number_);
    own_.mix(shared.under_timed.value);
    shared.timed.unlock();
  }
  void wait() {
    std::unique_lock lock(shared.mutex);
    shared.under_mutex.mix(number_ * 5);
    const bool is_late = shared.condition.wait_for(lock, 30us) == std::cv_status::timeout;
    own_.mix(is_late ? 23 : 31);
    shared.under_mutex.mix(own_.value);
  }
  void count() {
#ifdef WITH_ATOMICS
    own_.mix(counter.fetch_add(number_ + 1));
    std::uint64_t seen = counter.load();
    own_.mix(counter.compare_exchange_strong(seen, seen ^ number_) ? 41 : 43);
#endif
  }

  std::minstd_rand random_;
  std::uint64_t number_;
  Mixed own_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto seed = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  const auto threads = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const int steps = std::atoi(argv[3]);
  sem_init(&shared.semaphore, 0, 2);
  sem_init(&shared.single, 0, 1);
  pthread_spin_init(&shared.spin_lock, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&shared.barrier, nullptr, threads);
  std::vector<std::uint64_t> results(threads);
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) {
    all.emplace_back([&results, seed, i, steps] { results[i] = Walker(seed, i).walk(steps); });
  }
  for (std::thread& one : all) one.join();
  for (const std::uint64_t result : results)
    std::printf("%016llx\n", static_cast<unsigned long long>(result));
  for (const Mixed& under : {shared.under_mutex, shared.under_rw_lock, shared.under_spin_lock,
                             shared.under_recursive, shared.under_timed, shared.under_single}) {
    std::printf("%016llx\n", static_cast<unsigned long long>(under.value));
  }
  return 0;
}
