// Small programs in which tasks meet in objects: one for each kind, and mixtures.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include <orrery/sim_runtime/orrery.hpp>

namespace orrery::test {

struct ObjectProgram {
  std::string name;
  Program program;
};

/// So many threads with one body, which gets its number; returns when all have ended.
template <typename Body>
void in_threads(World& world, int count, const Body& body) {
  std::vector<Thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.push_back(world.thread("worker", [&body, i] { body(i); }));
  }
}

/// What a program has found is in what it does: as many yields.
inline void tell(World& world, int value) {
  for (int i = 0; i < value % 5; ++i) world.yield();
}

inline void use_mutexes(World& world) {
  Mutex first(world, "first");
  Mutex second(world, "second", Mutex::Type::recursive);
  Shared<int> sum(world, 0, "sum");
  in_threads(world, 3, [&](int me) {
    for (int round = 0; round < 4; ++round) {
      Lock outer(me == 1 ? second : first);
      if (me == 1) {
        Lock inner(second);
        sum.store(sum.load() + 1);
      } else if (second.try_lock()) {
        sum.store(sum.load() * 2);
        second.unlock();
      } else {
        tell(world, sum.load());
      }
    }
  });
}

inline void use_deadlines(World& world) {
  Mutex mutex(world, "mutex");
  Semaphore slots(world, 1, "slots");
  in_threads(world, 3, [&](int me) {
    for (int round = 0; round < 3; ++round) {
      if (mutex.try_lock_for(std::chrono::microseconds(2 * me))) {
        world.sleep_for(std::chrono::microseconds(3));
        mutex.unlock();
      }
      if (slots.try_acquire_for(std::chrono::microseconds(1 + me))) {
        world.sleep_for(std::chrono::microseconds(2));
        slots.release();
      }
    }
  });
}

inline void use_rw_lock(World& world) {
  RwLock lock(world, "lock");
  Shared<int> text(world, 0, "text");
  in_threads(world, 4, [&](int me) {
    for (int round = 0; round < 3; ++round) {
      if (me == 0) {
        std::unique_lock guard(lock);
        text.store(text.load() + 1);
      } else if (me == 1 && !lock.try_lock_shared()) {
        world.yield();
      } else {
        if (me != 1) lock.lock_shared();
        tell(world, text.load());
        lock.unlock_shared();
      }
    }
  });
}

inline void use_condition(World& world) {
  Mutex mutex(world, "mutex");
  ConditionVariable changed(world, "changed");
  int tokens = 0;
  int served = 0;
  in_threads(world, 5, [&](int me) {
    for (int round = 0; round < 2; ++round) {
      Lock lock(mutex);
      if (me < 2) {
        tokens += 2;
        if (round == 0) {
          changed.notify_one();
          changed.notify_one();
        } else {
          changed.notify_all();
        }
        continue;
      }
      while (tokens == 0 && served < 6) {
        if (me != 4) {
          changed.wait(lock);
        } else if (changed.wait_for(lock, std::chrono::microseconds(1)) ==
                   std::cv_status::timeout) {
          break;
        }
      }
      if (tokens > 0) --tokens, ++served;
      lock.unlock();
      tell(world, served);
    }
    Lock lock(mutex);
    served += 6;
    changed.notify_all();
  });
}

inline void use_barrier(World& world) {
  Barrier barrier(world, 3, "barrier");
  Shared<int> last(world, 0, "last");
  in_threads(world, 3, [&](int me) {
    for (int round = 0; round < 3; ++round) {
      if (barrier.arrive_and_wait()) last.store(me);
      tell(world, last.load());
    }
  });
}

inline void use_semaphore(World& world) {
  Semaphore slots(world, 2, "slots");
  Atomic<int> inside(world, 0, "inside");
  in_threads(world, 4, [&](int me) {
    for (int round = 0; round < 3; ++round) {
      if (me % 2 == 0) {
        slots.acquire();
      } else {
        while (!slots.try_acquire()) world.yield();
      }
      tell(world, inside.fetch_add(1));
      inside.fetch_sub(1);
      slots.release();
    }
  });
}

inline void use_latch(World& world) {
  Latch latch(world, 3, "latch");
  Shared<int> order(world, 0, "order");
  in_threads(world, 4, [&](int me) {
    if (me == 3) {
      latch.wait();
      tell(world, order.load());
      return;
    }
    order.store(order.load() * 3 + me);
    latch.count_down();
    latch.wait();
    tell(world, order.load() + me);
  });
}

inline void use_once(World& world) {
  OnceFlag once(world, "once");
  Shared<int> maker(world, -1, "maker");
  in_threads(world, 4, [&](int me) {
    for (int round = 0; round < 2; ++round) {
      once.call([&] { maker.store(me); });
      tell(world, maker.load());
    }
  });
}

inline void use_atomics(World& world) {
  Atomic<int> turn(world, 0, "turn");
  Atomic<int> sum(world, 0, "sum");
  Atomic<bool> is_open(world, false, "is open");
  in_threads(world, 3, [&](int me) {
    while (!is_open.load()) {
      if (me == 0) is_open.store(true);
    }
    for (int round = 0; round < 3; ++round) {
      while (turn.load() != me) world.yield();  // polls
      turn.store((me + 1) % 3);
      int seen = sum.load();
      while (!sum.compare_exchange(seen, seen + me + 1)) tell(world, seen);
      tell(world, sum.exchange(seen));
    }
  });
}

inline void use_shared(World& world) {
  Shared<int> x(world, 0, "x");
  Shared<int> y(world, 0, "y");
  in_threads(world, 3, [&](int me) {
    for (int round = 0; round < 4; ++round) {
      const int seen = x.load() + y.load();
      (seen % 2 == 0 ? x : y).store(seen + me + 1);
      tell(world, seen);
    }
  });
}

/// Tasks that start others, whoever comes first: their numbers are other ones elsewhere.
inline void use_families(World& world) {
  Mutex mutex(world, "mutex");
  Shared<int> sum(world, 0, "sum");
  const auto work = [&](int value) {
    Mutex own(world, "own");
    for (int round = 0; round < 2; ++round) {
      Lock outer(own);
      Lock lock(mutex);
      sum.store(sum.load() * 2 + value);
    }
    tell(world, sum.load());
  };
  in_threads(world, 3, [&](int me) {
    work(me);
    in_threads(world, 2, [&](int child) { work(4 + 2 * me + child); });
    work(-me);
  });
}

inline void use_draws(World& world) {
  Mutex mutex(world, "mutex");
  Shared<int> sum(world, 0, "sum");
  in_threads(world, 3, [&](int) {
    for (int round = 0; round < 3; ++round) {
      const auto value = static_cast<int>(world.random().below(7));
      if (world.now() > VirtualTime::start() + std::chrono::microseconds(2)) world.yield();
      Lock lock(mutex);
      sum.store(sum.load() + value);
      tell(world, sum.load());
    }
  });
}

/// Ranks with several threads each, which meet in messages and in objects.
inline void use_mailboxes(World& world) {
  Atomic<int> served(world, 0, "served");
  world.ranks(3, [&](Communicator& comm) {
    if (comm.rank() == 0) {
      in_threads(world, 2, [&](int) {
        for (int i = 0; i < 4; ++i) {
          const auto message = comm.receive<int>(any_source);
          tell(world, message.value + served.fetch_add(1));
        }
      });
      comm.send(1, 9, served.load());
      return;
    }
    in_threads(world, 2, [&](int me) {
      for (int i = 0; i < 2; ++i) comm.send(0, me, 10 * comm.rank() + 2 * me + i);
    });
    if (comm.rank() == 1) tell(world, comm.receive<int>(0).value);
  });
}

inline std::vector<ObjectProgram> object_programs() {
  return {{"mutexes", use_mutexes},     {"deadlines", use_deadlines}, {"rw lock", use_rw_lock},
          {"condition", use_condition}, {"barrier", use_barrier},     {"semaphore", use_semaphore},
          {"latch", use_latch},         {"once", use_once},           {"atomics", use_atomics},
          {"shared", use_shared},       {"families", use_families},   {"draws", use_draws},
          {"mailboxes", use_mailboxes}};
}

}  // namespace orrery::test
