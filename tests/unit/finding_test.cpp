// What a run can come to: each kind of finding, from a program that has it and a twin that has not.
#include <stdexcept>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "run_undisturbed.hpp"

using namespace orrery;
using orrery::test::run_undisturbed;
using namespace std::chrono_literals;

namespace {

const Finding& only_finding(const Outcome& outcome, FindingKind kind) {
  REQUIRE(outcome.findings.size() == 1);
  CHECK(name(outcome.findings[0].kind) == name(kind));
  CHECK(outcome.status == Outcome::Status::finding);
  return outcome.findings[0];
}

}  // namespace

TEST_CASE("a failed check is an assertion at its line") {
  std::uint32_t line = 0;
  const auto outcome = run_undisturbed([&](World& world) {
    line = __LINE__ + 1;
    world.check(1 + 1 == 3, "arithmetic holds");
  });
  const auto& finding = only_finding(outcome, FindingKind::assertion);
  CHECK(finding.message == "arithmetic holds");
  REQUIRE_FALSE(finding.where.empty());
  CHECK(finding.where[0].line == line);
  CHECK(finding.where[0].task == "root");
  CHECK(run_undisturbed([](World& world) { world.check(1 + 1 == 2); }).is_clean());
}

TEST_CASE("an exception that nobody catches is a finding, one that is caught is not") {
  const auto outcome = run_undisturbed([](World& world) {
    auto thread = world.thread("thrower", [] { throw std::runtime_error("out of cheese"); });
  });
  const auto& finding = only_finding(outcome, FindingKind::exception);
  CHECK_THAT(finding.message, Catch::Contains("out of cheese"));
  CHECK(finding.where[0].task == "thrower");
  CHECK(run_undisturbed([](World& world) {
          auto thread = world.thread("catcher", [&] {
            try {
              world.yield();
              throw std::runtime_error("caught");
            } catch (const std::exception&) {
              world.yield();  // a switch inside a handler keeps the exception
            }
          });
        }).is_clean());
}

TEST_CASE("a deadlock names who waits for what, and who holds it since which line") {
  const auto crossing = [](bool same_order) {
    return run_undisturbed([same_order](World& world) {
      Mutex fork(world, "fork");
      Mutex knife(world, "knife");
      auto a = world.thread("ann", [&] {
        Lock first(fork);
        world.sleep_for(1ms);
        Lock second(knife);
      });
      auto b = world.thread("bob", [&] {
        Lock first(same_order ? fork : knife);
        world.sleep_for(1ms);
        Lock second(same_order ? knife : fork);
      });
    });
  };
  const auto outcome = crossing(false);
  const auto& finding = only_finding(outcome, FindingKind::deadlock);
  CHECK_THAT(finding.message,
             Catch::Contains("ann waits for mutex knife (mutex_lock), held by bob"));
  CHECK_THAT(finding.message,
             Catch::Contains("bob waits for mutex fork (mutex_lock), held by ann"));
  CHECK_THAT(finding.message, Catch::Contains("finding_test.cpp:"));
  CHECK(crossing(true).is_clean());
}

TEST_CASE("a receive that nobody serves is a deadlock that says what is missing") {
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(2, [](Communicator& comm) {
      if (comm.rank() == 0) static_cast<void>(comm.receive<int>(1, 7));
    });
  });
  const auto& finding = only_finding(outcome, FindingKind::deadlock);
  CHECK_THAT(finding.message,
             Catch::Contains("rank 0 waits for a message from rank 1, which has "
                             "ended, with tag 7; root waits for the end of rank 0; it "
                             "is certain: whatever sends are buffered, rank 0 cannot"));
}

TEST_CASE("an exchange of messages that goes on for long is a limit, and no livelock") {
  SimulationOptions options;
  options.step_limit = 20'000;
  const auto outcome = run_undisturbed(
      [](World& world) {
        world.ranks(2, [](Communicator& comm) {
          for (int i = 0; i < 1'000'000; ++i) {
            if ((i + comm.rank()) % 2 == 0) comm.send(1 - comm.rank(), 0, 7);
            if ((i + comm.rank()) % 2 == 1) static_cast<void>(comm.receive<int>());
          }
        });
      },
      options);
  CHECK(outcome.findings.empty());
  CHECK(outcome.status == Outcome::Status::limit);
}

TEST_CASE("a circle of operations without progress is a livelock, a long run is a limit") {
  SimulationOptions options;
  options.step_limit = 20'000;
  const auto circle = run_undisturbed(
      [](World& world) {
        Atomic<int> flag(world, 0, "flag");
        while (flag.load() == 0) world.yield();
      },
      options);
  CHECK_THAT(only_finding(circle, FindingKind::livelock).message, Catch::Contains("atomic flag"));
  const auto progress = run_undisturbed(
      [](World& world) {
        Shared<int> counter(world);
        for (int i = 0; i < 1'000'000; ++i) counter.store(i);
      },
      options);
  CHECK(progress.status == Outcome::Status::limit);
  CHECK(progress.limit == Limit::steps);
  CHECK(progress.findings.empty());
}

TEST_CASE("polls that nobody will answer are a livelock, not the end of virtual time") {
  SimulationOptions options;
  options.step_limit = 20'000;
  options.virtual_limit = 1s;
  const auto circle = run_undisturbed(
      [](World& world) {
        Mutex mutex(world, "door");
        Atomic<int> flag(world, 0, "flag");
        auto spinning = world.thread("spinning", [&] {
          Lock lock(mutex);
          while (flag.load() == 0) world.yield();
        });
        auto setting = world.thread("setting", [&] {
          Lock lock(mutex);
          flag.store(1);
        });
        spinning.join();
        setting.join();
      },
      options);
  const auto& finding = only_finding(circle, FindingKind::livelock);
  CHECK_THAT(finding.message, Catch::Contains("spinning repeats"));
  CHECK(finding.where.front().task == "spinning");
  const auto until_a_date = run_undisturbed(
      [](World& world) {
        const auto begin = world.now();
        while (world.now() - begin < 2s) world.yield();
      },
      options);
  CHECK(until_a_date.findings.empty());
  CHECK(until_a_date.limit == Limit::virtual_time);
}

TEST_CASE("a run at a limit says where the task was that ran last") {
  SimulationOptions options;
  options.step_limit = 5'000;
  std::uint32_t line = 0;
  const auto outcome = run_undisturbed(
      [&](World& world) {
        auto counting = world.thread("counting", [&] {
          Shared<int> counter(world);
          line = __LINE__ + 1;
          for (int i = 0; i < 1'000'000; ++i) counter.store(i);
        });
        counting.join();
      },
      options);
  CHECK(outcome.limit == Limit::steps);
  REQUIRE(outcome.spins_at);
  CHECK(outcome.spins_at->line == line);
  CHECK(outcome.spins_at->task == "counting");
}

TEST_CASE("virtual time has a limit of its own") {
  SimulationOptions options;
  options.virtual_limit = 10ms;
  const auto outcome = run_undisturbed([](World& world) { world.sleep_for(11ms); }, options);
  CHECK(outcome.limit == Limit::virtual_time);
  CHECK(run_undisturbed([](World& world) { world.sleep_for(10ms); }, options).is_clean());
}

TEST_CASE("locks that are not given back are leaks") {
  SECTION("a thread ends while it holds one") {
    const auto outcome = run_undisturbed([](World& world) {
      Mutex mutex(world, "door");
      auto thread = world.thread("forgetful", [&] { mutex.lock(); });
      thread.join();
    });
    CHECK_THAT(only_finding(outcome, FindingKind::leak).message,
               Catch::Contains("forgetful ended while holding mutex door"));
  }
  SECTION("one is destroyed while held") {
    const auto outcome = run_undisturbed([](World& world) {
      Mutex mutex(world, "door");
      mutex.lock();
    });
    CHECK_THAT(only_finding(outcome, FindingKind::leak).message,
               Catch::Contains("mutex door was destroyed while held"));
  }
}

TEST_CASE("unlocking what one does not hold is a finding with both places") {
  const auto outcome = run_undisturbed([](World& world) {
    Mutex mutex(world, "door");
    Lock lock(mutex);
    auto thread = world.thread("thief", [&] { mutex.unlock(); });
    thread.join();
  });
  const auto& finding = only_finding(outcome, FindingKind::assertion);
  CHECK_THAT(finding.message, Catch::Contains("thief unlocks mutex door, which it does not hold"));
  CHECK(finding.where.size() == 2);
}

TEST_CASE("a detached thread that can never end is a leak") {
  const auto outcome = run_undisturbed([](World& world) {
    auto semaphore = std::make_shared<Semaphore>(world, 0, "never");
    world.thread("lost", [semaphore] { semaphore->acquire(); }).detach();
  });
  CHECK_THAT(only_finding(outcome, FindingKind::leak).message, Catch::Contains("lost"));
}

TEST_CASE("a request that nobody waits for is a leak at the line that started it") {
  std::uint32_t line = 0;
  const auto outcome = run_undisturbed([&](World& world) {
    world.ranks(1, [&](Communicator& comm) {
      line = __LINE__ + 1;
      static_cast<void>(comm.start_receive());
    });
  });
  CHECK(only_finding(outcome, FindingKind::leak).where[0].line == line);
}

TEST_CASE("a run that ends with a finding leaves nothing behind for the next one") {
  UndisturbedChooser chooser;
  Simulation simulation({});
  int destroyed = 0;
  struct Counted {
    int* count;
    ~Counted() { ++*count; }
  };
  const Program failing = [&](World& world) {
    Mutex mutex(world);
    Semaphore never(world, 0);
    std::vector<Thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(world.thread("waiter", [&] {
        const Counted counted{&destroyed};
        Lock lock(mutex);
        never.acquire();
      }));
    }
    world.sleep_for(1ms);
    world.check(false);
  };
  for (int i = 1; i <= 3; ++i) {
    CHECK(simulation.run(failing, chooser).findings.size() == 1);
    CHECK(destroyed == 3 * i);
  }
  CHECK(simulation.run([](World& world) { world.sleep_for(1ms); }, chooser).is_clean());
}

TEST_CASE("a caller's mistake is an exception, not a finding") {
  CHECK_THROWS_AS(run_undisturbed([](World& world) { static_cast<void>(world.random().below(0)); }),
                  UsageError);
  CHECK_THROWS_AS(run_undisturbed([](World& world) { const Barrier barrier(world, 0); }),
                  UsageError);
  CHECK_THROWS_AS(run_undisturbed([](World& world) {
                    world.ranks(1, [](Communicator& comm) { comm.send(5, 0, 1); });
                  }),
                  UsageError);
  CHECK_THROWS_AS(run_undisturbed(Program{}), UsageError);
}

TEST_CASE("errno belongs to the task") {
  const auto outcome = run_undisturbed([](World& world) {
    const auto body = [&world](int value) {
      errno = value;
      world.yield();
      world.sleep_for(1ms);
      world.check(errno == value);
    };
    auto a = world.thread("a", [&] { body(11); });
    auto b = world.thread("b", [&] { body(22); });
  });
  CHECK(outcome.is_clean());
}

TEST_CASE("findings of two classes are two, and one without a class is the same as either") {
  Finding truncated{FindingKind::mpi_usage, "too long", {{"a.c", 3, "", "rank 1", "", {}}}};
  truncated.class_name = "truncation";
  Finding mismatched = truncated;
  mismatched.class_name = "type mismatch";
  CHECK_FALSE(truncated.is_same_as(mismatched));
  CHECK(truncated.key() != mismatched.key());
  Finding of_an_old_log = truncated;
  of_an_old_log.class_name.clear();
  CHECK(of_an_old_log.is_same_as(truncated));
  CHECK(truncated.is_same_as(of_an_old_log));
  CHECK(truncated.title() == "mpi_usage (truncation)");
  CHECK(of_an_old_log.title() == "mpi_usage");
}

TEST_CASE("a front end names a finding by its kind and its class") {
  const auto title = FindingTitle::parse("mpi_usage/invalid rank");
  CHECK(title.kind == FindingKind::mpi_usage);
  CHECK(title.class_name == "invalid rank");
  CHECK(FindingTitle::parse("leak").class_name.empty());
  CHECK(FindingTitle::parse("leak").kind == FindingKind::leak);
}
