#include "request_queue.hpp"

#include <chrono>
#include <utility>

namespace cache {

bool RequestQueue::push(Request& request) {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool has_room = not_full_.wait_for(lock, std::chrono::milliseconds(2),
                                           [this] { return requests_.size() < capacity_; });
  if (!has_room) return false;
  requests_.push_back(std::move(request));
  not_empty_.notify_one();
  return true;
}

std::optional<Request> RequestQueue::pop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (requests_.empty()) {
    if (closed_.load()) return std::nullopt;
    not_empty_.wait(lock);
  }
  std::optional<Request> request(std::move(requests_.front()));
  requests_.pop_front();
  not_full_.notify_one();
  return request;
}

void RequestQueue::close() {
#ifndef BUG
  const std::lock_guard<std::mutex> lock(mutex_);
#endif
  closed_.store(true);
  not_empty_.notify_all();  // BUG: who has looked at `closed_` but does not wait yet hears nothing
}

}  // namespace cache
