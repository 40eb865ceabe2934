#include "server.hpp"

#include <chrono>
#include <string>

#include <pthread.h>

namespace cache {

using std::chrono::microseconds;
using std::chrono::milliseconds;

long stored_value(int key) {
  return static_cast<long>(key) * 7919 % 1009;
}

Server::Server(int workers) : cache_(4, milliseconds(2)), queue_(2) {
  for (int i = 0; i < workers; ++i) {
    workers_.emplace_back([this] { work(); });
    const std::string name = "worker-" + std::to_string(i);
    pthread_setname_np(workers_.back().native_handle(), name.c_str());
  }
  sweeper_ = std::thread([this] { sweep_now_and_then(); });
}

long Server::look_up(int key) {
  if (const std::optional<long> value = cache_.find(key)) return *value;
  std::this_thread::sleep_for(microseconds(50));  // the store is slow
  const long value = stored_value(key);
  cache_.insert(key, value);
  return value;
}

void Server::work() {
  while (std::optional<Request> request = queue_.pop()) {
    request->reply.set_value(look_up(request->key));
  }
}

void Server::sweep_now_and_then() {
  std::unique_lock<std::mutex> lock(stop_mutex_);
  while (!stop_changed_.wait_for(lock, milliseconds(1), [this] { return stopping_; })) {
    lock.unlock();
    cache_.sweep();
    lock.lock();
  }
}

long Server::ask(int key) {
  Request request;
  request.key = key;
  std::future<long> reply = request.reply.get_future();
  while (!queue_.push(request)) std::this_thread::sleep_for(microseconds(100));
  while (reply.wait_for(milliseconds(5)) != std::future_status::ready) std::this_thread::yield();
  return reply.get();
}

void Server::stop() {
  {
    const std::lock_guard<std::mutex> lock(stop_mutex_);
    stopping_ = true;
    stop_changed_.notify_one();
  }
  sweeper_.join();
  queue_.close();
  for (std::thread& worker : workers_) worker.join();
}

}  // namespace cache
