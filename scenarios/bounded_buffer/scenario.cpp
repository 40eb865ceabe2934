// A producer and two consumers share a buffer with room for one item.
#include <deque>

#include <orrery/sim_runtime/orrery.hpp>

#include "all_scenarios.hpp"

namespace orrery::scenarios {
namespace {

enum class Wakes { one, all };

class Buffer {
 public:
  Buffer(World& world, Wakes wakes)
      : wakes_(wakes), mutex_(world, "buffer"), changed_(world, "changed") {}

  void put(int item) {
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.empty(); });
    items_.push_back(item);
    notify();
  }
  int take() {
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty(); });  // BUG: woken in the producer's place
    const int item = items_.front();
    items_.pop_front();
    notify();
    return item;
  }

 private:
  // Consumers and producers wait for the same condition variable: one wake-up may go to a task
  // that cannot use it, which goes back to sleep and tells nobody.
  void notify() { wakes_ == Wakes::one ? changed_.notify_one() : changed_.notify_all(); }

  Wakes wakes_;
  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<int> items_;
};

void run(World& world, Wakes wakes) {
  Buffer buffer(world, wakes);
  Thread producer = world.thread("producer", [&] {
    buffer.put(1);
    buffer.put(2);
  });
  Thread first = world.thread("first consumer", [&] { buffer.take(); });
  Thread second = world.thread("second consumer", [&] { buffer.take(); });
}

void buggy(World& world) {
  run(world, Wakes::one);
}
void mended(World& world) {
  run(world, Wakes::all);
}

}  // namespace

Scenario bounded_buffer() {
  return {
      .name = "bounded_buffer",
      .summary = "one condition variable for producers and consumers, and notify_one",
      .program = buggy,
      .mended = mended,
      .expected = {.kind = FindingKind::deadlock,
                   .file = "scenarios/bounded_buffer/scenario.cpp",
                   .line = 26,
                   .preemptions = 0},
      .options = any_order_options(),
  };
}

}  // namespace orrery::scenarios
