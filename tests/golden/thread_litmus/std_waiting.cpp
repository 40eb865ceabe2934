// The mutexes, condition variables, barriers, latches, semaphores and waiting atomics of C++20.
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>

#include "litmus_cpp.hpp"

namespace {

using std::chrono::milliseconds;

std::atomic<int> x{0}, y{0};
int plain = 0;

template <typename First, typename Second>
void run(First first, Second second) {
  std::thread one(first), two(second);
  one.join();
  two.join();
}

template <typename Mutex>
int exclusion() {
  static Mutex mutex;
  const auto add = [] {
    const std::lock_guard<Mutex> lock(mutex);
    const int before = plain;
    x.fetch_add(1);
    plain = before + 1;
  };
  run(add, add);
  return plain;
}
int std_mutex() {
  return exclusion<std::mutex>();
}
int std_shared_mutex() {
  return exclusion<std::shared_mutex>();
}

int std_recursive_mutex() {
  static std::recursive_mutex mutex;
  const auto add = [] {
    const std::lock_guard<std::recursive_mutex> outer(mutex);
    const int before = plain;
    const std::lock_guard<std::recursive_mutex> inner(mutex);
    x.fetch_add(1);
    plain = before + 1;
  };
  run(add, add);
  return plain;
}

int std_timed_mutex() {
  std::timed_mutex mutex;
  const std::lock_guard<std::timed_mutex> held(mutex);
  std::thread other([&mutex] {
    x = mutex.try_lock_for(milliseconds(2)) ? 2 : 1;
    y = mutex.try_lock_until(std::chrono::system_clock::now() + milliseconds(2)) ? 2 : 1;
  });
  other.join();
  return x * 10 + y;
}

// Two mutexes at once, in both orders: no deadlock.
int scoped_lock() {
  static std::mutex first, second;
  run(
      [] {
        const std::scoped_lock lock(first, second);
        ++plain;
      },
      [] {
        const std::scoped_lock lock(second, first);
        ++plain;
      });
  return plain;
}

int shared_readers() {
  static std::shared_mutex mutex;
  const auto read = [] {
    const std::shared_lock<std::shared_mutex> lock(mutex);
    const int inside = x.fetch_add(1) + 1;
    if (inside == 2) y = 2;
    x.fetch_sub(1);
  };
  run(read, read);
  return y;
}

int std_condition() {
  static std::mutex mutex;
  static std::condition_variable changed;
  run(
      [] {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return plain == 1; });
        plain = 2;
      },
      [] {
        {
          const std::lock_guard<std::mutex> lock(mutex);
          plain = 1;
        }
        changed.notify_one();
      });
  return plain;
}

int std_condition_times_out() {
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock<std::mutex> lock(mutex);
  const bool late = changed.wait_for(lock, milliseconds(1)) == std::cv_status::timeout;
  const auto until = std::chrono::steady_clock::now() + milliseconds(3);
  const bool never = !changed.wait_until(lock, until, [] { return false; });
  return late * 10 + never + (std::chrono::steady_clock::now() >= until ? 100 : 0);
}

// A stop wakes whoever waits.
int std_condition_any() {
  static std::mutex mutex;
  static std::condition_variable_any changed;
  {
    const std::jthread waiter([](const std::stop_token& stop) {
      std::unique_lock<std::mutex> lock(mutex);
      x = changed.wait(lock, stop, [] { return false; }) ? 2 : 1;
    });
  }
  return x;
}

int std_barrier() {
  static std::barrier meeting(2, []() noexcept { x.fetch_add(1); });
  const auto meet = [] {
    for (int round = 1; round <= 2; ++round) {
      meeting.arrive_and_wait();
      if (x < round) y = 10;
    }
  };
  run(meet, meet);
  return x + y;
}

int std_latch() {
  static std::latch ready(2);
  const auto count = [] {
    x.fetch_add(1);
    ready.count_down();
  };
  std::thread one(count), two(count);
  ready.wait();
  const int seen = x;
  one.join();
  two.join();
  return seen;
}

int counting_semaphore() {
  static std::counting_semaphore<4> places(1);
  const auto enter = [] {
    places.acquire();
    const int before = plain;
    x.fetch_add(1);
    plain = before + 1;
    places.release();
  };
  run(enter, enter);
  const bool taken = places.try_acquire();
  const bool late = !places.try_acquire_for(milliseconds(1));
  return plain * 100 + taken * 10 + late;
}

int atomic_wait() {
  run(
      [] {
        x.wait(0);
        y = x.load();
      },
      [] {
        x = 3;
        x.notify_all();
      });
  return y;
}

int atomic_flag_lock() {
  static std::atomic_flag taken;
  const auto add = [] {
    while (taken.test_and_set(std::memory_order_acquire)) taken.wait(true);
    const int before = plain;
    x.fetch_add(1);
    plain = before + 1;
    taken.clear(std::memory_order_release);
    taken.notify_one();
  };
  run(add, add);
  return plain;
}

}  // namespace

const Litmus litmus_std_waiting[] = {{"std_mutex", std_mutex},
                                     {"std_shared_mutex", std_shared_mutex},
                                     {"std_recursive_mutex", std_recursive_mutex},
                                     {"std_timed_mutex", std_timed_mutex},
                                     {"scoped_lock", scoped_lock},
                                     {"shared_readers", shared_readers},
                                     {"std_condition", std_condition},
                                     {"std_condition_times_out", std_condition_times_out},
                                     {"std_condition_any", std_condition_any},
                                     {"std_barrier", std_barrier},
                                     {"std_latch", std_latch},
                                     {"counting_semaphore", counting_semaphore},
                                     {"atomic_wait", atomic_wait},
                                     {"atomic_flag_lock", atomic_flag_lock},
                                     {nullptr, nullptr}};
