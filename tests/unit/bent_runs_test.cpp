// Recorded runs made to go another way: what is kept, what is bent, and what cannot be.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/bent_runs.hpp>
#include <orrery/replay_core/event_graph.hpp>
#include <orrery/replay_core/event_stream.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "message_scripts.hpp"
#include "replay/bent_run_check.hpp"

namespace orrery {
namespace {

/// A run, and all that is known of it.
struct SeenRun {
  Outcome outcome;
  Schedule schedule;
  EventStream stream;
  test::GotWatcher watcher;
};

SeenRun run_with(const Program& program, Chooser& chooser, std::vector<Observer*> observers,
                 VirtualDuration window) {
  ScheduleRecorder recorder;
  SeenRun run;
  observers.insert(observers.end(), {&recorder, &run.stream, &run.watcher});
  SimulationOptions options;
  options.window = window;
  Simulation simulation(options);
  run.outcome = simulation.run(program, chooser, observers);
  run.schedule = recorder.schedule();
  return run;
}

SeenRun random_run(const Program& program, std::uint64_t seed) {
  const auto random = make_strategy("random")->chooser({});
  SimulationOptions options;
  options.seed = seed;
  options.window = any_order;
  Simulation simulation(options);
  ScheduleRecorder recorder;
  Observer* const observers[] = {&recorder};
  SeenRun run;
  run.outcome = simulation.run(program, *random, observers);
  run.schedule = recorder.schedule();
  return run;
}

/// The recorded run once more, with its planner.
SeenRun look_at(const Program& program, const Schedule& schedule, BendPlanner& planner) {
  UndisturbedChooser fallback;
  ScheduleReplayer replayer(schedule, fallback);
  SeenRun run = run_with(program, replayer, {&planner}, any_order);
  CHECK(!replayer.parted());
  return run;
}

/// The bent run; everything that must hold of it is checked.
SeenRun bend(const Program& program, const SeenRun& recorded, const BendPlan& plan,
             VirtualDuration window = any_order) {
  BentChooser chooser(recorded.schedule, plan);
  SeenRun bent = run_with(program, chooser, {&chooser}, window);
  const auto unmet = chooser.unmet();
  INFO((unmet ? unmet->why : "met"));
  CHECK(!unmet);
  CHECK(test::first_unmet(plan, bent.watcher) == "");
  // Event by event what was recorded, up to where it is bent.
  CHECK(test::first_strange(recorded.stream.entries(), plan, bent.stream.entries(), bent.watcher) ==
        "");
  // It is a run as any other one: it can be written down and made again.
  UndisturbedChooser fallback;
  ScheduleReplayer replayer(bent.schedule, fallback);
  const SeenRun again = run_with(program, replayer, {}, any_order);
  INFO((replayer.parted() ? replayer.parted()->message : "replayed"));
  CHECK(!replayer.parted());
  CHECK(again.watcher.got == bent.watcher.got);
  return bent;
}

std::string error_of(const BendPlanner& planner, const std::vector<Bend>& bends) {
  try {
    static_cast<void>(planner.plan(bends));
  } catch (const UsageError& error) {
    return error.problem();
  }
  return {};
}

Bend takes(OperationId receive, OperationId send) {
  return {Bend::Kind::takes, receive, send, "here"};
}

}  // namespace

TEST_CASE("Each race of random programs can be exchanged, in runs of any order") {
  std::mt19937 chance(8);
  std::size_t races = 0, programs = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const test::Script script = test::random_script(chance);
    const Program program = test::program_of(script);
    INFO("program " << seed << "\n" << test::text_of(script));
    const SeenRun recorded = random_run(program, seed);
    BendPlanner planner;
    const SeenRun run = look_at(program, recorded.schedule, planner);
    ++programs;
    for (std::size_t number = 1; number <= planner.race_count(); ++number, ++races) {
      const Bend swap = planner.swap(number, "--swap");
      INFO("race " << number << ": " << text(swap));
      const BendPlan plan = planner.plan({swap});
      bend(program, run, plan);
      bend(program, run, plan, VirtualDuration::zero());
    }
  }
  INFO(races << " races of " << programs << " programs");
  CHECK(races > 200);
}

TEST_CASE("Races have the numbers that the graph gives them") {
  std::mt19937 chance(3);
  std::uint64_t races = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = test::program_of(test::random_script(chance));
    for (const std::uint64_t eager_threshold_bytes : {65536, 0}) {
      INFO("seed " << seed << ", eager up to " << eager_threshold_bytes << " bytes");
      const auto random = make_strategy("random")->chooser({});
      SimulationOptions options;
      options.seed = seed;
      options.window = any_order;
      options.eager_threshold_bytes = eager_threshold_bytes;
      Simulation simulation(options);
      BendPlanner planner;
      EventGraphObserver watching;
      Observer* const observers[] = {&planner, &watching};
      static_cast<void>(simulation.run(program, *random, observers));
      const EventGraph& graph = watching.graph();
      CHECK(planner.race_count() == graph.races.size());
      races += graph.races.size();
      for (const GraphRace& race : graph.races) {
        const Bend swap = planner.swap(race.number, "--swap");
        CHECK(swap.first == race.receive);
        CHECK(swap.first.task == graph.operations[race.receiver].id.task);
        const GraphMessage& other = graph.messages[race.other];
        CHECK(swap.second == graph.operations[other.send].id);
      }
    }
  }
  CHECK(races > 50);
}

TEST_CASE("Several receives are bent at once, in any order that causality allows") {
  // Rank 0 takes one message of each other rank.
  const Program program = [](World& world) {
    world.ranks(5, [](Communicator& comm) {
      if (comm.rank() != 0) return comm.send(0, 7, comm.rank());
      for (int i = 1; i < 5; ++i) (void)comm.receive<int>(any_source, 7);
    });
  };
  const SeenRun recorded = random_run(program, 1);
  BendPlanner planner;
  const SeenRun run = look_at(program, recorded.schedule, planner);
  std::vector<OperationId> receives;
  std::vector<OperationId> sends;
  for (const auto& [receive, send] : run.watcher.got) {
    receives.push_back(receive);
    sends.push_back(send);
  }
  REQUIRE(receives.size() == 4);
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    std::vector<Bend> bends;
    for (std::size_t i = 0; i < 4; ++i) bends.push_back(takes(receives[i], sends[order[i]]));
    bend(program, run, planner.plan(bends));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("An order that contradicts causality shows how") {
  // Rank 1 sends, and rank 2 only when rank 0 tells it to, after its first receive.
  const Program program = [](World& world) {
    world.ranks(3, [](Communicator& comm) {
      if (comm.rank() == 1) return comm.send(0, 7, 1);
      if (comm.rank() == 2) {
        (void)comm.receive<int>(0, 8);
        return comm.send(0, 7, 2);
      }
      (void)comm.receive<int>(any_source, 7);
      comm.send(2, 8, 0);
      (void)comm.receive<int>(any_source, 7);
    });
  };
  const SeenRun recorded = random_run(program, 1);
  BendPlanner planner;
  const SeenRun run = look_at(program, recorded.schedule, planner);
  CHECK(planner.race_count() == 0);
  const auto first = std::find_if(run.watcher.got.begin(), run.watcher.got.end(),
                                  [](const auto& one) { return one.second.task.value == 2; });
  const auto second =
      std::find_if(run.watcher.got.begin(), run.watcher.got.end(), [&](const auto& one) {
        return one.first.task == first->first.task && one.first != first->first;
      });
  const std::string error = error_of(planner, {takes(first->first, second->second)});
  INFO(error);
  CHECK(error.find("cannot be") != std::string::npos);
  CHECK(error.find("is to wait") != std::string::npos);
  CHECK(error.find("rank 0 (send, bent_runs_test.cpp:") != std::string::npos);
  CHECK(error.find("rank 2 (receive, bent_runs_test.cpp:") != std::string::npos);
  CHECK(error.find("gets that message") != std::string::npos);
  CHECK(error.find("is to come first") != std::string::npos);
  CHECK_THROWS_AS(planner.swap(1, "--swap"), UsageError);
}

TEST_CASE("A receive that is open may be bent to a message that it has asked for itself") {
  // The second sender is told to send when the receive has begun.
  const Program program = [](World& world) {
    world.ranks(3, [](Communicator& comm) {
      if (comm.rank() == 1) return comm.send(0, 7, 1);
      if (comm.rank() == 2) {
        (void)comm.receive<int>(0, 8);
        return comm.send(0, 7, 2);
      }
      Request first = comm.start_receive(any_source, 7);
      comm.send(2, 8, 0);
      first.wait();
      (void)first.take_payload();
      (void)comm.receive<int>(any_source, 7);
    });
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SeenRun recorded = random_run(program, seed);
    BendPlanner planner;
    const SeenRun run = look_at(program, recorded.schedule, planner);
    REQUIRE(planner.race_count() == 1);
    bend(program, run, planner.plan({planner.swap(1, "--swap")}));
  }
}

/// Runs the program in many orders, and exchanges each race of each.
void bend_all(const Program& program) {
  std::uint64_t races = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const SeenRun recorded = random_run(program, seed);
    BendPlanner planner;
    const SeenRun run = look_at(program, recorded.schedule, planner);
    for (std::uint64_t number = 1; number <= planner.race_count(); ++number, ++races) {
      const Bend swap = planner.swap(number, "--swap");
      INFO("race " << number << ": " << text(swap));
      bend(program, run, planner.plan({swap}));
    }
  }
  CHECK(races > 100);
}

TEST_CASE("The acknowledgement of a message needs that its receive has begun") {
  // Rank 2 chooses among requests that are complete, the synchronous send maybe one of them.
  bend_all([](World& world) {
    world.ranks(4, [](Communicator& comm) {
      if (comm.rank() == 0) {
        comm.start_receive(2, 7).wait();
        return;
      }
      if (comm.rank() == 3) {
        for (int i = 0; i < 2; ++i) (void)comm.receive<int>(any_source, 8);
        return;
      }
      if (comm.rank() == 2) {
        Request requests[] = {comm.start_send(0, 7, 1, SendMode::synchronous),
                              comm.start_send(0, 9, 1, SendMode::buffered),
                              comm.start_send(0, 9, 1, SendMode::buffered)};
        const auto first = comm.select(requests);
        comm.send(3, 8, 2);
        if (first != 0U) requests[0].wait();
        return;
      }
      comm.send(3, 8, comm.rank());
    });
  });
}

TEST_CASE("A receive that its task knows to be complete is still served before a later message") {
  // Else the message of rank 2 would go to the first receive of rank 0, which rank 2 can tell.
  bend_all([](World& world) {
    world.ranks(4, [](Communicator& comm) {
      if (comm.rank() == 0) {
        Request first = comm.start_receive(any_source, 7);
        Request second = comm.start_receive(any_source, 7);
        first.wait();
        second.wait();
        return;
      }
      if (comm.rank() == 3) {
        for (int i = 0; i < 2; ++i) (void)comm.receive<int>(any_source, 8);
        return;
      }
      if (comm.rank() == 1) comm.send(3, 8, 1);
      comm.send(0, 7, 1, SendMode::synchronous);
      if (comm.rank() == 2) comm.send(3, 8, 2);
    });
  });
}

TEST_CASE("A message that a receive would have taken before it was withdrawn comes behind that") {
  bend_all([](World& world) {
    world.ranks(4, [](Communicator& comm) {
      if (comm.rank() == 0) {
        Request first = comm.start_receive(any_source, 7);
        Request second = comm.start_receive(any_source, 7);
        if (first.cancel()) {
          second.wait();
        } else {
          first.wait();
          second.cancel();
        }
        return;
      }
      if (comm.rank() == 3) {
        for (int i = 0; i < 2; ++i) (void)comm.receive<int>(any_source, 8);
        return;
      }
      if (comm.rank() == 2) comm.send(0, 7, 1, SendMode::synchronous);
      comm.send(3, 8, comm.rank());
    });
  });
}

TEST_CASE("Locks are taken in the order that is asked for") {
  const auto program = [](std::vector<int>& order) {
    return [&order](World& world) {
      order.clear();
      Mutex mutex(world, "m");
      const auto take = [&](int who) {
        Lock lock(mutex);
        order.push_back(who);
      };
      const Thread one = world.thread("one", [&] { take(1); });
      const Thread two = world.thread("two", [&] { take(2); });
    };
  };
  std::vector<int> order;
  const SeenRun recorded = random_run(program(order), 1);
  BendPlanner planner;
  const SeenRun run = look_at(program(order), recorded.schedule, planner);
  const std::vector<int> was = order;
  std::vector<OperationId> locks;
  for (const EventStream::Entry& entry : run.stream.entries()) {
    if (entry.event.kind == OperationKind::mutex_lock) locks.push_back(entry.event.id);
  }
  REQUIRE(locks.size() == 2);
  bend(program(order), run, planner.plan({{Bend::Kind::before, locks[1], locks[0], "here"}}));
  CHECK(order == std::vector<int>(was.rbegin(), was.rend()));
  bend(program(order), run, planner.plan({{Bend::Kind::before, locks[0], locks[1], "here"}}));
  CHECK(order == was);
}

TEST_CASE("A file of bends is read, and what it does not say is told with the line") {
  const auto bends =
      parse_bends("# the other way\n\n receive 1.5 takes 3.2 # so\n1.4 before 2.8", "o.txt");
  REQUIRE(bends.size() == 2);
  CHECK(bends[0] == Bend{Bend::Kind::takes, {TaskId{1}, 5}, {TaskId{3}, 2}, "o.txt:3"});
  CHECK(bends[1] == Bend{Bend::Kind::before, {TaskId{1}, 4}, {TaskId{2}, 8}, "o.txt:4"});
  CHECK(text(bends[0]) == "receive 1.5 takes 3.2");
  CHECK(text(bends[1]) == "1.4 before 2.8");
  const std::pair<const char*, const char*> wrong[] = {
      {"", "o.txt"},
      {"# nothing\n", "o.txt"},
      {"receive 1.5", "o.txt:1"},
      {"\n1.4 after 2.8", "o.txt:2"},
      {"receive 1 takes 3.2", "o.txt:1"},
      {"receive 1.5 takes 3.0", "o.txt:1"},
      {"1.4 before 2.-8", "o.txt:1"},
      {"1.4 before 99999999999.1", "o.txt:1"},
      {"1.4x before 2.8", "o.txt:1"},
  };
  for (const auto& [content, where] : wrong) {
    INFO(content);
    try {
      static_cast<void>(parse_bends(content, "o.txt"));
      FAIL("it was read");
    } catch (const UsageError& error) {
      CHECK(error.where() == where);
      CHECK(!error.hint().empty());
    }
  }
}

}  // namespace orrery
