// std::thread, std::jthread, std::async, and what is made once or once a thread.
#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "litmus_cpp.hpp"

namespace {

std::atomic<int> x{0}, y{0};

int first_of_two() {
  const auto say = [](int number) {
    int none = 0;
    x.compare_exchange_strong(none, number);
  };
  std::thread one(say, 1), two(say, 2);
  one.join();
  two.join();
  return x;
}

// A relaxed store may be seen before the data that it announces only if the data are unordered:
// here each operation is one step, so 1 without 10 is not there.
int message_passing() {
  std::thread writer([] {
    y.store(10, std::memory_order_relaxed);
    x.store(1, std::memory_order_release);
  });
  const int flag = x.load(std::memory_order_acquire);
  const int data = y.load(std::memory_order_relaxed);
  writer.join();
  return flag + data;
}

int fetch_operations() {
  std::thread other([] {
    x.fetch_add(3);
    y.fetch_or(6);
  });
  x.fetch_sub(1);
  y.fetch_and(3);
  other.join();
  return x * 10 + y;
}

// A stop that is asked for is seen at the next look: after 0 to 3 rounds.
int stop_token() {
  {
    std::jthread worker([](const std::stop_token& stop) {
      for (int i = 0; i < 3 && !stop.stop_requested(); ++i) x.fetch_add(1);
    });
  }
  return x;
}

int stop_callback() {
  std::stop_source source;
  const std::stop_callback callback(source.get_token(), [] { x = 7; });
  std::jthread worker([&source] { source.request_stop(); });
  worker.join();
  return x;
}

std::once_flag once;
int called_once() {
  const auto call = [] {
    std::call_once(once, [] { x.fetch_add(1); });
    if (x == 0) y = 10;
  };
  std::thread one(call), two(call);
  one.join();
  two.join();
  return x + y;
}

// The first try throws: the next one is the first.
int called_until_done() {
  const auto call = [] {
    try {
      std::call_once(once, [] {
        if (x.fetch_add(1) == 0) throw std::runtime_error("not yet");
      });
    } catch (const std::runtime_error&) {
      y.fetch_add(10);
    }
  };
  std::thread one(call), two(call);
  one.join();
  two.join();
  return x + y;
}

struct Counted {
  Counted() { x.fetch_add(1); }
  ~Counted() { y.fetch_add(10); }
};
int static_local() {
  const auto touch = [] { static const Counted made; };
  std::thread one(touch), two(touch);
  one.join();
  two.join();
  return x + y;
}

thread_local Counted of_thread;
int thread_local_objects() {
  const auto touch = [] { static_cast<void>(&of_thread); };
  std::thread one(touch), two(touch);
  one.join();
  two.join();
  return x + y;
}

int promised() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread giver([&promise] { promise.set_value(5); });
  const bool in_time = future.wait_for(std::chrono::seconds(1)) == std::future_status::ready;
  giver.join();
  return future.get() * 10 + (in_time ? 1 : 0);
}

int broken_promise() {
  std::future<int> future;
  {
    std::promise<int> promise;
    future = promise.get_future();
  }
  try {
    return future.get();
  } catch (const std::future_error& error) {
    return error.code() == std::future_errc::broken_promise ? 1 : 2;
  }
}

int asynchronous() {
  std::future<int> sum = std::async(std::launch::async, [] { return x.fetch_add(2) + 2; });
  std::future<int> thrown =
      std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  std::future<int> deferred = std::async(std::launch::deferred, [] { return 4; });
  int result = sum.get() + deferred.get();
  try {
    result += thrown.get();
  } catch (const std::runtime_error&) {
    result += 10;
  }
  return result;
}

int packaged() {
  std::packaged_task<int(int)> task([](int value) { return value + 1; });
  std::future<int> result = task.get_future();
  std::thread worker(std::move(task), 8);
  worker.join();
  return result.get();
}

// Exceptions are a thread's own, also while others throw.
int exceptions() {
  const auto throw_and_catch = [](int number) {
    for (int i = 0; i < 3; ++i) {
      try {
        x.fetch_add(0);
        throw number;
      } catch (int caught) {
        x.fetch_add(0);
        try {
          throw;
        } catch (int again) {
          if (caught != number || again != number) y = 1;
        }
      }
    }
  };
  std::thread one(throw_and_catch, 1), two(throw_and_catch, 2);
  one.join();
  two.join();
  return y;
}

}  // namespace

const Litmus litmus_std_threads[] = {{"std_first_of_two", first_of_two},
                                     {"message_passing", message_passing},
                                     {"fetch_operations", fetch_operations},
                                     {"stop_token", stop_token},
                                     {"stop_callback", stop_callback},
                                     {"called_once", called_once},
                                     {"called_until_done", called_until_done},
                                     {"static_local", static_local},
                                     {"thread_local_objects", thread_local_objects},
                                     {"promised", promised},
                                     {"broken_promise", broken_promise},
                                     {"asynchronous", asynchronous},
                                     {"packaged", packaged},
                                     {"exceptions", exceptions},
                                     {nullptr, nullptr}};
