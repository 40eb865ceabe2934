// Data races: each way to order two accesses, and what is left when it is taken away.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/replay_core/fasttrack.hpp>
#include <orrery/scenarios/scenarios.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery {
namespace {

/// All findings of `runs` random runs.
std::vector<Finding> findings_in(const Program& program, const SimulationOptions& machine,
                                 std::uint64_t runs) {
  ExploreOptions options;
  options.name = "race";
  options.runs = runs;
  options.keep_going = true;
  options.shrink = options.save_logs = options.isolate = false;
  options.simulation = machine;
  const auto detector = std::make_shared<FastTrack>();
  options.observers = [detector] { return std::vector<Observer*>{detector.get()}; };
  options.observer_findings = [detector] { return detector->findings(); };
  std::vector<Finding> findings;
  for (const FoundRun& found : explore(options, program).findings) {
    findings.push_back(found.finding);
    findings.insert(findings.end(), found.others.begin(), found.others.end());
  }
  return findings;
}

bool has_race(const Program& program, std::uint64_t runs = 30) {
  const auto findings = findings_in(program, ExploreOptions::any_order_simulation(), runs);
  for (const Finding& finding : findings) {
    INFO(finding.message);
    CHECK(finding.kind == FindingKind::data_race);
  }
  return !findings.empty();
}

void lock_and_add(Mutex& mutex, Shared<int>& data) {
  Lock lock(mutex);
  data.store(data.load() + 1);
}

}  // namespace

TEST_CASE("starting and joining a thread order; two threads beside each other are not ordered") {
  CHECK_FALSE(has_race([](World& world) {
    Shared<int> data(world);
    data.store(1);
    Thread child = world.thread("child", [&] { data.store(data.load() + 1); });
    child.join();
    data.store(data.load() + 1);
  }));
  CHECK(has_race([](World& world) {
    Shared<int> data(world);
    Thread child = world.thread("child", [&] { data.store(1); });
    data.store(2);  // after the start: not ordered
    child.join();
  }));
  CHECK(has_race([](World& world) {
    Shared<int> data(world);
    Thread child = world.thread("child", [&] { data.store(1); });
    static_cast<void>(data.load());  // before the join
    child.join();
  }));
}

TEST_CASE("two reads never race, and a write races with every one of them that it does not know") {
  const auto with_readers = [](bool writes) {
    return [writes](World& world) {
      Shared<int> data(world);
      const auto read = [&] { static_cast<void>(data.load()); };
      Thread first = world.thread("first", read);
      Thread second = world.thread("second", read);
      if (writes) data.store(1);
    };
  };
  CHECK_FALSE(has_race(with_readers(false)));
  CHECK(has_race(with_readers(true)));
}

TEST_CASE("a mutex orders what its holders do, another mutex does not") {
  const auto with_mutexes = [](bool same) {
    return [same](World& world) {
      Shared<int> data(world);
      Mutex one(world);
      Mutex other(world);
      Thread first = world.thread("first", [&] { lock_and_add(one, data); });
      Thread second = world.thread("second", [&] { lock_and_add(same ? one : other, data); });
    };
  };
  CHECK_FALSE(has_race(with_mutexes(true)));
  CHECK(has_race(with_mutexes(false)));
}

TEST_CASE("a try_lock orders only where it succeeds") {
  const auto with_try = [](bool looks) {
    return [looks](World& world) {
      Shared<int> data(world);
      Mutex mutex(world);
      const auto work = [&] {
        const bool has_it = mutex.try_lock();
        if (has_it || !looks) data.store(1);
        if (has_it) mutex.unlock();
      };
      Thread first = world.thread("first", work);
      Thread second = world.thread("second", work);
    };
  };
  CHECK_FALSE(has_race(with_try(true)));
  CHECK(has_race(with_try(false)));
}

TEST_CASE("a reader-writer lock orders writers with all, and readers with writers only") {
  const auto with_lock = [](bool writes_as_reader) {
    return [writes_as_reader](World& world) {
      Shared<int> data(world);
      RwLock lock(world);
      const auto read = [&] {
        lock.lock_shared();
        writes_as_reader ? data.store(1) : static_cast<void>(data.load());
        lock.unlock_shared();
      };
      const auto write = [&] {
        lock.lock();
        data.store(2);
        lock.unlock();
      };
      Thread first = world.thread("first", read);
      Thread second = world.thread("second", read);
      Thread writer = world.thread("writer", write);
    };
  };
  CHECK_FALSE(has_race(with_lock(false)));
  CHECK(has_race(with_lock(true)));
}

TEST_CASE("a semaphore's release comes before the acquire that follows") {
  const auto with_semaphore = [](std::uint64_t initial) {
    return [initial](World& world) {
      Shared<int> data(world);
      Semaphore filled(world, initial);
      Thread maker = world.thread("maker", [&] {
        data.store(1);
        filled.release();
      });
      filled.acquire();
      static_cast<void>(data.load());
    };
  };
  CHECK_FALSE(has_race(with_semaphore(0)));
  CHECK(has_race(with_semaphore(1)));
}

TEST_CASE(
    "a wait on a condition gives up its mutex in order; a notification alone orders nothing") {
  const auto with_condition = [](bool checks) {
    return [checks](World& world) {
      Shared<int> data(world);
      Mutex mutex(world);
      ConditionVariable filled(world);
      Thread waiter = world.thread("waiter", [&] {
        Lock lock(mutex);
        data.store(1);
        filled.wait_for(lock, std::chrono::microseconds(5));
        data.store(data.load() + 1);
      });
      if (checks) mutex.lock();
      data.store(data.load() + 1);
      if (checks) mutex.unlock();
      filled.notify_one();
    };
  };
  CHECK_FALSE(has_race(with_condition(true), 200));
  CHECK(has_race(with_condition(false)));
}

TEST_CASE("a barrier orders what is before it with what is behind it, meeting by meeting") {
  // In the second half of a round each task reads what its neighbour wrote in the first.
  const auto rounds = [](bool meets_again) {
    return [meets_again](World& world) {
      Shared<int> left(world, 0, "left");
      Shared<int> right(world, 0, "right");
      Barrier barrier(world, 2);
      const auto work = [&](Shared<int>& own, Shared<int>& others) {
        for (int i = 0; i < 3; ++i) {
          own.store(i);
          barrier.arrive_and_wait();
          static_cast<void>(others.load());
          if (meets_again) barrier.arrive_and_wait();
        }
      };
      Thread first = world.thread("first", [&] { work(left, right); });
      Thread second = world.thread("second", [&] { work(right, left); });
    };
  };
  CHECK_FALSE(has_race(rounds(true), 200));
  CHECK(has_race(rounds(false)));
}

TEST_CASE("a task that is slow to leave a barrier does not learn what others did behind it") {
  // The fast one writes and arrives at the next meeting before the slow one has left this one.
  const Program program = [](World& world) {
    Shared<int> data(world);
    Barrier barrier(world, 2);
    Thread fast = world.thread("fast", [&] {
      barrier.arrive_and_wait();
      data.store(1);
      barrier.arrive_and_wait();
    });
    barrier.arrive_and_wait();
    static_cast<void>(data.load());
    barrier.arrive_and_wait();
  };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto machine = ExploreOptions::any_order_simulation();
    machine.seed = seed;
    CHECK(findings_in(program, machine, 1).size() == 1);
  }
}

TEST_CASE("a latch orders every count before whoever waits") {
  const auto with_latch = [](bool counts_after) {
    return [counts_after](World& world) {
      Shared<int> data(world);
      Latch done(world, 1);
      Thread worker = world.thread("worker", [&] {
        if (!counts_after) done.count_down();
        data.store(1);
        if (counts_after) done.count_down();
      });
      done.wait();
      static_cast<void>(data.load());
    };
  };
  CHECK_FALSE(has_race(with_latch(true)));
  CHECK(has_race(with_latch(false)));
}

TEST_CASE("what is done once comes before whoever calls later") {
  const auto with_once = [](bool inside) {
    return [inside](World& world) {
      Shared<int> data(world);
      OnceFlag flag(world);
      const auto use = [&] {
        flag.call([&] {
          if (inside) data.store(1);
        });
        if (!inside) data.store(1);
        static_cast<void>(data.load());
      };
      Thread first = world.thread("first", use);
      Thread second = world.thread("second", use);
    };
  };
  CHECK_FALSE(has_race(with_once(true)));
  CHECK(has_race(with_once(false)));
}

TEST_CASE("a send comes before its receive, and processes begin after who started them") {
  const auto with_message = [](bool writes_first, bool posts) {
    return [=](World& world) {
      Shared<int> data(world);
      data.store(1);
      Thread sender = world.process("sender", [&](Communicator& comm) {
        if (writes_first) data.store(2);
        comm.send(1, 0, 7);
        if (!writes_first) data.store(2);
      });
      Thread receiver = world.process("receiver", [&](Communicator& comm) {
        if (posts) {
          Request request = comm.start_receive(0, 0);
          request.wait();
          static_cast<void>(request.take_payload());
        } else {
          static_cast<void>(comm.receive<int>(0, 0));
        }
        static_cast<void>(data.load());
      });
    };
  };
  CHECK_FALSE(has_race(with_message(true, false)));
  CHECK_FALSE(has_race(with_message(true, true)));
  CHECK(has_race(with_message(false, false)));
  CHECK(has_race(with_message(false, true)));
}

TEST_CASE("a synchronous send ends after its receive has begun") {
  CHECK_FALSE(has_race([](World& world) {
    Shared<int> data(world);
    Thread receiver = world.process("receiver", [&](Communicator& comm) {
      data.store(1);
      static_cast<void>(comm.receive<int>(1, 0));
    });
    Thread sender = world.process("sender", [&](Communicator& comm) {
      comm.send(0, 0, 7, SendMode::synchronous);
      data.store(2);
    });
  }));
}

TEST_CASE("an atomic flag orders by release and acquire, and not if either side is relaxed") {
  const auto with_flag = [](MemoryOrder writes, MemoryOrder reads) {
    return [=](World& world) {
      Shared<int> data(world);
      Atomic<int> flag(world, 0, "flag");
      Thread maker = world.thread("maker", [&] {
        data.store(1);
        flag.store(1, writes);
      });
      while (flag.load(reads) == 0) {
      }
      static_cast<void>(data.load());
    };
  };
  using enum MemoryOrder;
  CHECK_FALSE(has_race(with_flag(release, acquire)));
  CHECK_FALSE(has_race(with_flag(seq_cst, seq_cst)));
  CHECK(has_race(with_flag(relaxed, acquire)));
  CHECK(has_race(with_flag(release, relaxed)));
}

TEST_CASE(
    "a relaxed read-modify-write hands on what was released before, a relaxed write does not") {
  const auto with_chain = [](bool modifies) {
    return [modifies](World& world) {
      Shared<int> data(world);
      Atomic<int> flag(world, 0, "flag");
      Thread maker = world.thread("maker", [&] {
        data.store(1);
        flag.store(1, MemoryOrder::release);
      });
      Thread middle = world.thread("middle", [&] {
        while (flag.load(MemoryOrder::relaxed) == 0) {
        }
        modifies ? static_cast<void>(flag.fetch_add(1, MemoryOrder::relaxed))
                 : flag.store(2, MemoryOrder::relaxed);
      });
      while (flag.load(MemoryOrder::acquire) != 2) {
      }
      static_cast<void>(data.load());
    };
  };
  CHECK_FALSE(has_race(with_chain(true)));
  CHECK(has_race(with_chain(false)));
}

TEST_CASE("a disk that outlives a crash orders its writes before its reads") {
  CHECK_FALSE(has_race([](World& world) {
    Shared<int> data(world);
    Disk disk(world, "disk");
    Thread writer = world.process("writer", [&](Communicator&) {
      data.store(1);
      disk.write("done", 1);
    });
    Thread reader = world.process("reader", [&](Communicator&) {
      if (disk.read<int>("done")) static_cast<void>(data.load());
    });
  }));
}

TEST_CASE("a finding names the variable, both lines, both tasks and what they did") {
  constexpr std::uint32_t write_line = __LINE__ + 3;
  const Program program = [](World& world) {
    Shared<int> data(world, 0, "data");
    Thread child = world.thread("child", [&] { data.store(1); });
    static_cast<void>(data.load());
  };
  constexpr std::uint32_t read_line = write_line + 1;
  const auto findings = findings_in(program, ExploreOptions::any_order_simulation(), 50);
  REQUIRE(findings.size() == 1);  // two orders, one pair of places
  CHECK(findings[0].message == "nothing orders two accesses to variable data");
  REQUIRE(findings[0].where.size() == 2);
  const auto text = [&](std::size_t i) {
    const FindingPlace& place = findings[0].where[i];
    return place.task + " " + place.role + " " + std::to_string(place.line);
  };
  if (findings[0].where[0].task == "root") {
    CHECK(text(0) == "root reads here " + std::to_string(read_line));
    CHECK(text(1) == "child wrote here before " + std::to_string(write_line));
  } else {
    CHECK(text(0) == "child writes here " + std::to_string(write_line));
    CHECK(text(1) == "root read here before " + std::to_string(read_line));
  }
}

TEST_CASE("a race is found in a run that goes well, and is no end of it") {
  const auto& scenario = *scenarios::program("lost_update").scenario;
  for (const bool mended : {false, true}) {
    const Program& program = mended ? scenario.mended : scenario.program;
    SimulationOptions machine = scenario.options;
    machine.window = VirtualDuration::zero();
    const auto findings = findings_in(program, machine, 20);
    const bool has_races = std::ranges::any_of(findings, [](const Finding& one) {
      return one.kind == FindingKind::data_race && one.message.ends_with("variable balance");
    });
    CHECK(has_races == !mended);
  }
}

TEST_CASE("no scenario that was mended has a data race, faults or not") {
  for (const scenarios::Scenario& scenario : scenarios::scenario_table()) {
    CAPTURE(scenario.name);
    CHECK(findings_in(scenario.mended, scenario.options, 200).empty());
  }
}

TEST_CASE("scenarios whose bug is a data race have one, and those about messages have none") {
  for (const scenarios::Scenario& scenario : scenarios::scenario_table()) {
    CAPTURE(scenario.name);
    const auto findings = findings_in(scenario.program, scenario.options, 200);
    const bool found = std::ranges::any_of(
        findings, [](const Finding& one) { return one.kind == FindingKind::data_race; });
    const bool is_of_memory = scenario.name == "lost_update" ||
                              scenario.name == "double_checked_initialisation" ||
                              scenario.name == "use_before_initialisation";
    CHECK(found == is_of_memory);
  }
}

TEST_CASE("detectors are found by name, and by what they find") {
  CHECK(make_detector("fasttrack") != nullptr);
  const Finding race{FindingKind::data_race, "a race", {}};
  REQUIRE(detector_of(race) != nullptr);
  CHECK(detector_of(race)->name == "fasttrack");
  CHECK(detector_of(Finding{FindingKind::deadlock, "a deadlock", {}}) == nullptr);
}

}  // namespace orrery
