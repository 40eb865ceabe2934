// Small programs for the tests of strategies, searches and shrinking: a bug and its mended twin.
#pragma once

#include <cstdlib>
#include <mutex>
#include <string>

#include <orrery/sim_runtime/orrery.hpp>

namespace programs {

/// Two threads add 1 without a lock: wrong if one comes between the other's load and store.  Needs
/// one preemption.
inline void lost_update(orrery::World& world) {
  orrery::Shared<int> count(world, 0, "count");
  const auto add = [&] { count.store(count.load() + 1); };
  auto first = world.thread("first", add);
  auto second = world.thread("second", add);
  first.join();
  second.join();
  world.check(count.load() == 2, "an update was lost");
}

inline void mended_update(orrery::World& world) {
  orrery::Shared<int> count(world, 0, "count");
  orrery::Mutex mutex(world, "mutex");
  const auto add = [&] {
    const std::scoped_lock guard(mutex);
    count.store(count.load() + 1);
  };
  auto first = world.thread("first", add);
  auto second = world.thread("second", add);
  first.join();
  second.join();
  world.check(count.load() == 2, "an update was lost");
}

/// Two locks in two orders.  Needs one preemption.
inline void crossed_locks(orrery::World& world) {
  orrery::Mutex left(world, "left");
  orrery::Mutex right(world, "right");
  auto first = world.thread("first", [&] {
    const std::scoped_lock outer(left);
    const std::scoped_lock inner(right);
  });
  auto second = world.thread("second", [&] {
    const std::scoped_lock outer(right);
    const std::scoped_lock inner(left);
  });
}

/// Three workers take from a queue until it is closed without its lock: who has looked whether it
/// is but does not wait yet is never woken.  Needs one preemption; how much each worker does, and
/// so where in its loop it has to be, is another thing in each run.
inline void deaf_workers(orrery::World& world) {
  constexpr int rounds = 12;
  orrery::Mutex mutex(world, "mutex");
  orrery::ConditionVariable changed(world, "changed");
  orrery::Atomic<int> is_closed(world, 0, "is_closed");
  int waiting = 0;
  const auto work = [&] {
    for (;;) {
      std::unique_lock lock(mutex);
      while (waiting == 0) {
        if (is_closed.load() == 1) return;
        changed.wait(lock);
      }
      --waiting;
    }
  };
  auto first = world.thread("first", work);
  auto second = world.thread("second", work);
  auto third = world.thread("third", work);
  for (int i = 0; i < rounds; ++i) {
    const std::scoped_lock lock(mutex);
    ++waiting;
    changed.notify_one();
  }
  is_closed.store(1);
  changed.notify_all();
}

/// Wrong only if `reader` reads all of five variables exactly between the writer's two stores to
/// each: a bug that is planted to be rare.
inline void rare_bug(orrery::World& world) {
  orrery::Shared<int> phase(world, 0, "phase");
  auto writer = world.thread("writer", [&] {
    for (int i = 1; i <= 8; ++i) phase.store(i);
  });
  auto reader = world.thread("reader", [&] {
    const int first = phase.load();
    const int second = phase.load();
    const int third = phase.load();
    world.check(!(first == 2 && second == 5 && third == 7), "the rare order came up");
  });
}

/// `count` senders, one wildcard receiver that trusts rank 1 to come first.
inline void trusting_receiver(orrery::World& world) {
  world.ranks(4, [&](orrery::Communicator& comm) {
    if (comm.rank() != 0) return comm.send(0, 0, comm.rank());
    const int first = comm.receive<int>().value;
    for (int i = 0; i < 2; ++i) comm.receive<int>();
    orrery::check(first == 1, "somebody else was first");
  });
}

/// Dies of a signal in some orders.
inline void crashes(orrery::World& world) {
  orrery::Shared<int> ready(world, 0, "ready");
  auto setter = world.thread("setter", [&] { ready.store(1); });
  auto user = world.thread("user", [&] {
    volatile int* volatile nowhere = nullptr;
    if (ready.load() == 0) *nowhere = 1;
  });
}

/// Leaves the process in some orders.
inline void exits(orrery::World& world) {
  orrery::Shared<int> ready(world, 0, "ready");
  auto setter = world.thread("setter", [&] { ready.store(1); });
  auto user = world.thread("user", [&] {
    if (ready.load() == 0) std::_Exit(7);
  });
}

}  // namespace programs
