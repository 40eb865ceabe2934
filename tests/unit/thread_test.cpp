// Threads as findings name them.
#include <string>

#include <catch2/catch.hpp>

#include <orrery/sim_runtime/orrery.hpp>

#include "run_undisturbed.hpp"

using namespace orrery;

TEST_CASE("who waits for a thread that goes out of scope is shown at the line that started it") {
  std::uint32_t line = 0;
  const Program program = [&line](World& world) {
    Mutex mutex(world);
    line = __LINE__ + 1;
    auto stuck = world.thread("stuck", [&mutex] {
      mutex.lock();
      mutex.lock();
    });
  };
  const Outcome outcome = test::run_undisturbed(program);
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings[0].kind == FindingKind::deadlock);
  bool names_start = false;
  for (const FindingPlace& place : outcome.findings[0].where) {
    CAPTURE(place.file, place.line);
    CHECK(place.file.find("thread_test.cpp") != std::string::npos);
    names_start = names_start || place.line == line;
  }
  CHECK(names_start);
}

TEST_CASE("a task that has done what it must not gets no further than to its next operation") {
  struct AllSteps final : Observer {
    [[nodiscard]] EventMask interest() const override { return EventMask::steps(); }
  };
  const Program program = [](World& world) {
    Mutex mutex(world);
    Semaphore semaphore(world, 0);
    mutex.unlock();
    for (int i = 0; i < 5; ++i) semaphore.release();
  };
  AllSteps watcher;
  std::vector<Observer*> nobody;
  std::vector<Observer*> somebody{&watcher};
  for (const auto& observers : {nobody, somebody}) {
    UndisturbedChooser chooser;
    Simulation simulation({});
    const Outcome outcome = simulation.run(program, chooser, observers);
    REQUIRE(outcome.findings.size() == 1);
    CHECK(outcome.findings[0].kind == FindingKind::assertion);
    CHECK(outcome.steps == 2);
  }
}

TEST_CASE("a run leaves how far it has come, and who went on last, where it is told to") {
  RunProgress progress;
  const Program program = [&progress](World& world) {
    Semaphore semaphore(world, 0);
    auto worker = world.thread("worker", [&] {
      CHECK(progress.running.name.data() == std::string("worker"));
      this_task::sleep_for(std::chrono::microseconds(3));
      semaphore.release();
    });
    semaphore.acquire();
    CHECK((progress.now == VirtualTime::start() + std::chrono::microseconds(3)));
    CHECK(progress.steps > 4);
    CHECK(progress.running.name.data() == std::string("root"));
    worker.join();
  };
  UndisturbedChooser chooser;
  Simulation simulation({});
  simulation.set_progress(&progress);
  CHECK(simulation.run(program, chooser, {}).status == Outcome::Status::clean);
}

TEST_CASE("a task that sleeps has given up its turn: whoever is ready goes first") {
  std::string order;
  const Program program = [&order](World& world) {
    auto worker = world.thread("worker", [&order] {
      this_task::yield();
      order += "worker, ";
    });
    this_task::sleep_for(std::chrono::milliseconds(1));
    order += "sleeper";
    worker.join();
  };
  SimulationOptions in_any_order;
  in_any_order.window = VirtualDuration::max();
  const Outcome outcome = test::run_undisturbed(program, in_any_order);
  CHECK(outcome.status == Outcome::Status::clean);
  CHECK(order == "worker, sleeper");
  CHECK(outcome.preemptions == 0);
}
