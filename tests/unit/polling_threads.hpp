// Threads that poll on where nothing has happened, as real ones do.
#pragma once

#include <cstdint>
#include <random>

#include <orrery/sim_runtime/orrery.hpp>

namespace polling_threads {

/// Both wait for each other again and again, and count without a lock in one of these rounds.
inline void meet_and_count(orrery::World& world) {
  orrery::Atomic<int> arrived(world, 0, "arrived");
  orrery::Shared<int> count(world, 0, "count");
  constexpr int rounds = 400;
  const auto use = [&] {
    for (int round = 1; round <= rounds; ++round) {
      arrived.fetch_add(1);
      while (arrived.load() < 2 * round) {
      }
      if (round == rounds / 2) count.store(count.load() + 1);
    }
  };
  auto first = world.thread("first", use);
  auto second = world.thread("second", use);
  first.join();
  second.join();
  world.check(count.load() == 2, "one is lost");
}

/// Gives one of two threads some steps, then the other, whether they poll in vain or not.
class InSlices final : public orrery::Chooser {
 public:
  explicit InSlices(std::uint32_t seed) : random_(seed) {}
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const orrery::Alternative& one) override {
    return one.id.task.value == 0 || one.id.task.value == turn_;
  }
  void took(const orrery::Alternative& taken) override {
    if (taken.id.task.value != 0 && --steps_left_ == 0) pass_on();
  }
  bool gives_way(const orrery::PendingOperations&) override {
    pass_on();
    return ++passed_on_ < passed_on_max;
  }
  orrery::Decision choose(const orrery::ChoicePoint& point) override {
    return orrery::Decision::take(point.default_index());
  }

 private:
  static constexpr std::uint64_t passed_on_max = 1000;

  void pass_on() {
    turn_ = 3 - turn_;
    steps_left_ = 1 + random_() % 16;
  }

  std::minstd_rand random_;
  std::uint32_t turn_ = 1;
  std::uint64_t steps_left_ = 1;
  std::uint64_t passed_on_ = 0;
};

}  // namespace polling_threads
