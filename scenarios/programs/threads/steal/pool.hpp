// Threads that share their tasks by stealing.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "deque.hpp"

namespace steal {

class Pool;
class Worker;

// What a task does; it may spawn more through its worker.
using Body = std::function<void(Worker&)>;

struct Task {
  Body body;
  std::atomic<bool> has_run{false};
};

class Worker {
 public:
  Worker(Pool& pool, std::size_t number, std::size_t capacity);

  void spawn(Body body);
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] long stolen() const { return stolen_; }

 private:
  friend class Pool;
  void work();
  Task* find();
  void run(Task& task);

  Pool& pool_;
  std::size_t number_;
  Deque<Task> deque_;
  std::deque<Task> tasks_;  // those that it spawned, until the pool goes
  long stolen_ = 0;
};

class Pool {
 public:
  explicit Pool(std::size_t threads, std::size_t capacity = 4096);

  // Runs `first` and all that comes of it; returns when nothing is left.
  void run(Body first);
  // Tasks that were run by another worker than the one that spawned them.
  [[nodiscard]] long stolen() const;
  [[nodiscard]] std::size_t size() const { return workers_.size(); }

 private:
  friend class Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<long> left_{0};
};

}  // namespace steal
