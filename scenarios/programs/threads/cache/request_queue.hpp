// Requests on their way from clients to workers: a bounded queue that can be closed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <future>
#include <mutex>
#include <optional>

namespace cache {

struct Request {
  int key = 0;
  std::promise<long> reply;
};

class RequestQueue {
 public:
  explicit RequestQueue(std::size_t capacity) : capacity_(capacity) {}

  // Waits while the queue is full; false if that took too long.
  [[nodiscard]] bool push(Request& request);
  // Waits for a request; nothing once the queue is closed and empty.
  [[nodiscard]] std::optional<Request> pop();
  // Workers get what is there, and then nothing.
  void close();

 private:
  std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::condition_variable not_full_;
  std::deque<Request> requests_;
  std::atomic<bool> closed_{false};
};

}  // namespace cache
