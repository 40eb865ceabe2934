#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct Own {
  std::string name;
  static std::atomic<int> alive;
  Own() { ++alive; }
  ~Own() { --alive; }
};
std::atomic<int> Own::alive{0};
thread_local Own own;

std::atomic<int> turn{0};
std::once_flag once;
std::timed_mutex timed;
std::recursive_mutex again;
int total;  // these race
double average;
std::string last;
std::mutex last_lock;

int descend(int depth) {
  const std::lock_guard held(again);
  return depth == 0 ? total++ : descend(depth - 1) + 1;
}

void take_turn(int me) {
  while (turn.load() % 3 != me) {
    const int seen = turn.load();
    if (seen % 3 != me) turn.wait(seen);
  }
  turn.fetch_add(1);
  turn.notify_all();
}

std::string work(int me) {
  std::ostringstream out;
  own.name = std::to_string(me);
  for (int i = 0; i < 10; ++i) {
    std::call_once(once, [] { total = 100; });
    if (i < 4) take_turn(me);
    if (timed.try_lock_for(20us)) {
      average = (average * i + total) / (i + 1);
      timed.unlock();
    } else {
      out << 'x';
    }
    out << descend(i % 3) << ',';
    {
      const std::lock_guard held(last_lock);
      last = last.size() > 40 ? own.name : last + own.name;
    }
    if (i % 5 == me) std::this_thread::sleep_for(10us);
    auto later = std::async(std::launch::async, [i] { return total + i; });
    out << later.get() << ' ';
  }
  return out.str();
}

void wait_for_stop(const std::stop_token& stop) {
  std::mutex lock;
  std::condition_variable_any changed;
  std::unique_lock held(lock);
  int rounds = 0;
  const auto is_over = [&] { return stop.stop_requested(); };
  while (!changed.wait_for(held, stop, 300us, is_over)) {
    if (++rounds > 50) return;
  }
}

}  // namespace

int main() {
  std::latch ready(3);
  std::string out[3];
  std::jthread stopper(wait_for_stop);
  std::vector<std::thread> threads;
  for (int me = 0; me < 3; ++me) {
    threads.emplace_back([&, me] {
      ready.arrive_and_wait();
      out[me] = work(me);
    });
  }
  for (std::thread& thread : threads) thread.join();
  stopper.request_stop();
  stopper.join();
  std::printf("%d %.3f %s %d\n", total, average, last.c_str(), Own::alive.load());
  for (const std::string& text : out) std::printf("%s\n", text.c_str());
}
