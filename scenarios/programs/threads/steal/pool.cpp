#include "pool.hpp"

#include <cassert>
#include <chrono>
#include <utility>

namespace steal {

Worker::Worker(Pool& pool, std::size_t number, std::size_t capacity)
    : pool_(pool), number_(number), deque_(capacity) {}

void Worker::spawn(Body body) {
  Task& task = tasks_.emplace_back();
  task.body = std::move(body);
  pool_.left_.fetch_add(1, std::memory_order_relaxed);
  deque_.push(&task);
}

Task* Worker::find() {
  if (Task* mine = deque_.take()) return mine;
  for (std::size_t step = 1; step < pool_.size(); ++step) {
    Worker& victim = *pool_.workers_[(number_ + step) % pool_.size()];
    if (Task* theirs = victim.deque_.steal()) {
      ++stolen_;
      return theirs;
    }
  }
  return nullptr;
}

void Worker::run(Task& task) {
  const bool ran_before = task.has_run.exchange(true);
  assert(!ran_before && "a task runs twice");
  (void)ran_before;
  task.body(*this);
  pool_.left_.fetch_sub(1, std::memory_order_acq_rel);
}

void Worker::work() {
  std::chrono::microseconds pause(1);
  while (pool_.left_.load(std::memory_order_acquire) > 0) {
    if (Task* task = find()) {
      run(*task);
      pause = std::chrono::microseconds(1);
      continue;
    }
    // Nobody had anything: the others are at work on what is left.
    std::this_thread::sleep_for(pause);
    if (pause < std::chrono::milliseconds(1)) pause *= 2;
  }
}

Pool::Pool(std::size_t threads, std::size_t capacity) {
  for (std::size_t i = 0; i < threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(*this, i, capacity));
  }
}

void Pool::run(Body first) {
  workers_[0]->spawn(std::move(first));
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    threads.emplace_back([worker = workers_[i].get()] { worker->work(); });
  }
  workers_[0]->work();
  for (std::thread& thread : threads) thread.join();
}

long Pool::stolen() const {
  long all = 0;
  for (const auto& worker : workers_) all += worker->stolen();
  return all;
}

}  // namespace steal
