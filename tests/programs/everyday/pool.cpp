#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int size) {
    for (int i = 0; i < size; ++i) threads_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      const std::lock_guard held(lock_);
      is_ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  template <typename Function>
  std::future<long> submit(Function function) {
    auto task = std::make_shared<std::packaged_task<long()>>(std::move(function));
    std::future<long> result = task->get_future();
    {
      const std::lock_guard held(lock_);
      queue_.emplace_back([task] { (*task)(); });
    }
    changed_.notify_one();
    return result;
  }
  long done = 0;  // races

 private:
  void run() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock held(lock_);
        changed_.wait(held, [this] { return is_ending_ || !queue_.empty(); });
        if (queue_.empty()) return;
        task = std::move(queue_.front());
        queue_.pop_front();
      }
      task();
      ++done;
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

namespace {

std::shared_mutex table_lock;
std::map<std::string, std::shared_ptr<std::vector<int>>> table;

std::shared_ptr<std::vector<int>> row(const std::string& key) {
  {
    const std::shared_lock held(table_lock);
    const auto found = table.find(key);
    if (found != table.end()) return found->second;
  }
  const std::unique_lock held(table_lock);
  auto& made = table[key];
  if (!made) made = std::make_shared<std::vector<int>>();
  return made;
}

}  // namespace

int main() {
  std::string order;
  std::mutex order_lock;
  long sum = 0;
  long done = 0;
  {
    Pool pool(3);
    std::vector<std::future<long>> results;
    for (int i = 0; i < 40; ++i) {
      results.push_back(pool.submit([i, &order, &order_lock]() -> long {
        const auto own = row("key" + std::to_string(i % 7));
        const std::lock_guard held(order_lock);
        own->push_back(i);
        order += static_cast<char>('a' + i % 26);
        return i;
      }));
    }
    for (auto& result : results) sum += result.get();
    done = pool.done;
  }
  std::printf("%ld %ld %s", sum, done, order.c_str());
  for (const auto& [key, values] : table) {
    std::printf(" %s:", key.c_str());
    for (const int value : *values) std::printf("%d,", value);
  }
  std::printf("\n");
}
