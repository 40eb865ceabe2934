#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <queue>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace {

template <typename T>
class Channel {
 public:
  void put(T one) {
    {
      const std::lock_guard held(lock_);
      queue_.push(std::move(one));
    }
    changed_.notify_one();
  }
  void close() {
    {
      const std::lock_guard held(lock_);
      is_closed_ = true;
    }
    changed_.notify_all();
  }
  std::optional<T> get() {
    std::unique_lock held(lock_);
    while (queue_.empty() && !is_closed_) {
      changed_.wait_for(held, std::chrono::milliseconds(1));
    }
    if (queue_.empty()) return std::nullopt;
    T one = std::move(queue_.front());
    queue_.pop();
    return one;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::queue<T> queue_;
  bool is_closed_ = false;
};

Channel<std::string> words;
Channel<std::pair<std::string, long>> counted;
std::counting_semaphore<8> room(4);
std::barrier<> ends(3);
thread_local std::string scratch;
long hot = 0;  // races

void give() {
  for (int i = 0; i < 50; ++i) {
    room.acquire();
    scratch = "word" + std::to_string(i * i % 17);
    words.put(scratch);
    hot += i;
  }
  words.close();
  ends.arrive_and_wait();
}

void check(long& errors) {
  while (const auto word = words.get()) {
    room.release();
    try {
      if (word->size() > 5 && word->back() == '3') throw std::runtime_error(*word);
      counted.put({*word, hot});
    } catch (const std::runtime_error& error) {
      ++errors;
      counted.put({std::string("bad ") + error.what(), 1});
    }
  }
  ends.arrive_and_wait();
}

void shout() {
  while (const auto word = words.get()) {
    room.release();
    hot ^= 1;
    counted.put({*word + "!", hot});
  }
  ends.arrive_and_wait();
  counted.close();
}

}  // namespace

int main() {
  std::unordered_map<std::string, long> seen;
  long errors = 0;
  std::thread giver(give);
  std::thread checker([&] { check(errors); });
  std::thread shouter(shout);
  std::string order;
  while (const auto one = counted.get()) {
    seen[one->first] += one->second;
    order += one->first + " ";
  }
  giver.join();
  checker.join();
  shouter.join();
  long sum = 0;
  for (const auto& [word, count] : seen) sum = sum * 7 + count + static_cast<long>(word.size());
  std::printf("%ld %ld %ld %s\n", sum, errors, hot, order.c_str());
}
