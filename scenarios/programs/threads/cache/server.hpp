// Workers that answer requests from the cache or from a slow store, and a sweeper.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "bounded_cache.hpp"
#include "request_queue.hpp"

namespace cache {

// What the store has under a key.
[[nodiscard]] long stored_value(int key);

class Server {
 public:
  explicit Server(int workers);

  // The value of a key, after however many tries.
  [[nodiscard]] long ask(int key);
  // Answers what is under way and ends all threads.
  void stop();

  [[nodiscard]] const BoundedCache& cache() const { return cache_; }

 private:
  void work();
  void sweep_now_and_then();
  [[nodiscard]] long look_up(int key);

  BoundedCache cache_;
  RequestQueue queue_;
  std::mutex stop_mutex_;
  std::condition_variable stop_changed_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
  std::thread sweeper_;
};

}  // namespace cache
