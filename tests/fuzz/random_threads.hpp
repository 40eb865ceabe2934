// A random program of threads: locks of every kind, atomics, plain variables, draws, text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <orrery/sim_runtime/orrery.hpp>

#include "fuzz/campaign.hpp"

namespace orrery::test {

/// What a seed says, step by step: SplitMix64 (Steele, Lea and Flood 2014).
class SeedStream {
 public:
  explicit SeedStream(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ += 0x9e37'79b9'7f4a'7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ mixed >> 30U) * 0xbf58'476d'1ce4'e5b9U;
    mixed = (mixed ^ mixed >> 27U) * 0x94d0'49bb'1331'11ebU;
    return (mixed ^ mixed >> 31U) % bound;
  }
  /// What was read steers what comes: a replay that reads something else does something else.
  void mix(std::uint64_t value) { state_ ^= value * 0xff51'afd7'ed55'8ccdU; }

 private:
  std::uint64_t state_;
};

/// One run of it; whatever the order of steps, it ends.
class RandomThreads {
 public:
  RandomThreads(World& world, std::uint64_t seed) : world_(world), seed_(seed) {
    SeedStream shape(seed);
    threads_ = static_cast<std::uint32_t>(2 + shape.below(4));
    actions_ = 4 + shape.below(16);
    for (int i = 0; i < 2; ++i) {
      mutexes_.push_back(std::make_unique<Mutex>(world));
      counters_.push_back(std::make_unique<Shared<std::uint64_t>>(world, 0));
      atomics_.push_back(std::make_unique<Atomic<std::uint64_t>>(world, 0));
    }
    barrier_ = std::make_unique<Barrier>(world, threads_);
    latch_ = std::make_unique<Latch>(world, threads_);
  }

  void operator()() {
    std::vector<Thread> threads;
    for (std::uint32_t i = 0; i < threads_; ++i) {
      threads.push_back(world_.thread(fmt::format("t{}", i), [this, i] { worker(i); }));
    }
    Lock lock(*mutexes_[0]);
    changed_.wait(lock, [this] { return finished_.load() == threads_; });
  }

 private:
  static constexpr int action_kinds = 14;

  void worker(std::uint32_t number) {
    SeedStream stream(seed_ * 31 + number);
    for (std::uint64_t i = 0; i < actions_; ++i) act(stream, /*may_start=*/true);
    latch_->count_down();
    latch_->wait();
    for (std::uint64_t i = 0; i < actions_; ++i) act(stream, /*may_start=*/true);
    if (barrier_->arrive_and_wait()) world_.write("met\n");
    Lock lock(*mutexes_[0]);
    finished_.store(finished_.load() + 1);
    changed_.notify_all();
  }

  void act(SeedStream& stream, bool may_start) {
    const std::size_t which = stream.below(2);
    switch (stream.below(action_kinds)) {
      case 0: return lock_and_count(stream, which);
      case 1: return lock_both(stream);
      case 2: return try_lock(stream, which);
      case 3: return read_or_write(stream);
      case 4: return wait_or_notify(stream);
      case 5: return use_semaphore(stream);
      case 6: return stream.mix(atomics_[which]->fetch_add(stream.below(3)));
      case 7: return stream.mix(atomics_[which]->load());
      case 8: {
        std::uint64_t expected = atomics_[which]->load();
        return stream.mix(atomics_[which]->compare_exchange(expected, expected + 5) ? 1 : 2);
      }
      case 9: return spin(stream, which);
      case 10: return race(stream, which);
      case 11: return stream.mix(world_.random().below(4));
      case 12: return write(stream);
      default: return may_start ? start_one(stream) : world_.yield();
    }
  }

  void lock_and_count(SeedStream& stream, std::size_t which) {
    const Lock lock(*mutexes_[which]);
    stream.mix(counters_[which]->load());
    counters_[which]->store(counters_[which]->load() + stream.below(9));
  }
  void lock_both(SeedStream& stream) {
    const Lock first(*mutexes_[0]);
    const Lock second(*mutexes_[1]);
    stream.mix(counters_[0]->load() + counters_[1]->load());
  }
  void try_lock(SeedStream& stream, std::size_t which) {
    Mutex& mutex = *mutexes_[which];
    const VirtualDuration patience = std::chrono::microseconds(stream.below(30));
    const bool is_timed = stream.below(2) == 0;
    const bool is_held = is_timed ? mutex.try_lock_for(patience) : mutex.try_lock();
    stream.mix(is_held ? 3 : 4);
    if (is_held && stream.below(2) == 0) world_.sleep_for(std::chrono::microseconds(20));
    if (is_held) mutex.unlock();
  }
  void read_or_write(SeedStream& stream) {
    if (stream.below(3) == 0) {
      table_lock_.lock();
      table_.store(table_.load() + 1);
      table_lock_.unlock();
      return;
    }
    if (stream.below(2) == 0) {
      table_lock_.lock_shared();
    } else if (!table_lock_.try_lock_shared()) {
      return stream.mix(9);
    }
    if (stream.below(2) == 0) world_.yield();
    stream.mix(table_.load());
    table_lock_.unlock_shared();
  }
  void wait_or_notify(SeedStream& stream) {
    Lock lock(*mutexes_[1]);
    if (stream.below(2) == 0) {
      const auto status = news_.wait_for(lock, std::chrono::microseconds(stream.below(200)));
      stream.mix(status == std::cv_status::timeout ? 5 : 6);
    } else if (stream.below(3) == 0) {
      news_.notify_all();
    } else {
      news_.notify_one();
    }
  }
  void use_semaphore(SeedStream& stream) {
    if (stream.below(2) == 0) return slots_.release(1 + stream.below(2));
    const bool has_one = stream.below(2) == 0
                             ? slots_.try_acquire()
                             : slots_.try_acquire_for(std::chrono::microseconds(15));
    stream.mix(has_one ? 7 : 8);
  }
  void spin(SeedStream& stream, std::size_t which) {
    const std::uint64_t before = atomics_[which]->load();
    std::uint64_t tries = 0;
    while (tries < 5 && atomics_[which]->load() == before) ++tries;
    stream.mix(tries);
  }
  void race(SeedStream& stream, std::size_t which) {
    stream.mix(counters_[which]->load());
    counters_[which]->store(stream.below(100));
  }
  void write(SeedStream& stream) {
    once_.call([this] { world_.write("first\n"); });
    world_.write(fmt::format("{}\n", stream.below(1000)));
  }
  void start_one(SeedStream& stream) {
    const std::uint64_t seed = stream.below(1'000'000);
    Thread helper = world_.thread("helper", [this, seed] {
      SeedStream own(seed);
      for (int i = 0; i < 3; ++i) act(own, /*may_start=*/false);
    });
    if (stream.below(2) == 0) lock_and_count(stream, 0);
  }

  World& world_;
  std::uint64_t seed_;
  std::uint32_t threads_ = 0;
  std::uint64_t actions_ = 0;
  std::vector<std::unique_ptr<Mutex>> mutexes_;
  std::vector<std::unique_ptr<Shared<std::uint64_t>>> counters_;
  std::vector<std::unique_ptr<Atomic<std::uint64_t>>> atomics_;
  std::unique_ptr<Barrier> barrier_;
  std::unique_ptr<Latch> latch_;
  RwLock table_lock_{world_};
  Shared<std::uint64_t> table_{world_, 0};
  ConditionVariable changed_{world_}, news_{world_};
  Semaphore slots_{world_, 1};
  OnceFlag once_{world_};
  Shared<std::uint32_t> finished_{world_, 0};
};

/// A machine for it: how long things take, and how far apart they may be exchanged.
struct ThreadMachine {
  std::uint64_t seed = 0;
  VirtualDuration window;
};

inline Run run_threads(std::uint64_t program, const ThreadMachine& machine, Chooser& chooser,
                       std::initializer_list<Observer*> others) {
  SimulationOptions options;
  options.seed = machine.seed;
  options.window = machine.window;
  Simulation simulation(options);
  Run result;
  EventStream events;
  std::vector<Observer*> observers{&events, &result.seen.paths};
  for (Observer* const one : others) {
    if (one != nullptr) observers.push_back(one);
  }
  result.outcome = simulation.run([program](World& world) { RandomThreads(world, program)(); },
                                  chooser, observers);
  result.seen.events.assign(events.entries().begin(), events.entries().end());
  return result;
}

}  // namespace orrery::test
