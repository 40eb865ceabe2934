// The seam's sentences, one by one: what a chooser is asked, what it may withhold, what it sees.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/sim_runtime/orrery.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// A chooser made of functions.
struct Scripted final : Chooser {
  std::function<bool(const Alternative&)> admit;
  std::function<std::size_t(const ChoicePoint&)> pick = [](const ChoicePoint& point) {
    return point.default_index();
  };
  std::vector<ChoiceKind> asked;

  [[nodiscard]] bool constrains() const override { return admit != nullptr; }
  bool admits(const Alternative& alternative) override { return admit(alternative); }
  Decision choose(const ChoicePoint& point) override {
    asked.push_back(point.kind);
    return Decision::take(pick(point));
  }
};

struct Events final : Observer {
  std::vector<Event> all;
  [[nodiscard]] EventMask interest() const override { return EventMask::all_events(); }
  void on_event(const Event& event) override { all.push_back(event); }
};

Outcome run(const Program& program, Chooser& chooser, SimulationOptions options = {},
            std::vector<Observer*> observers = {}) {
  Simulation simulation(std::move(options));
  return simulation.run(program, chooser, observers);
}

SimulationOptions any_order_options() {
  SimulationOptions options;
  options.window = any_order;
  return options;
}

bool is_message(const Alternative& alternative) {
  return alternative.kind == OperationKind::receive && alternative.id != alternative.asker;
}

// Ranks 1 and 2 each send one message to rank 0, which takes two from anybody.
Program two_senders(std::vector<int>& sources) {
  return [&sources](World& world) {
    sources.clear();
    world.ranks(3, [&](Communicator& comm) {
      if (comm.rank() != 0) return comm.send(0, 0, comm.rank());
      for (int i = 0; i < 2; ++i) sources.push_back(comm.receive<int>().source);
    });
  };
}

}  // namespace

TEST_CASE("a receive whose only match is withheld waits until another message arrives") {
  std::vector<int> sources;
  Scripted chooser;
  chooser.admit = [&](const Alternative& alternative) {
    const bool from_rank_2 = alternative.id.task.value == 3;
    return !is_message(alternative) || from_rank_2 || !sources.empty();
  };
  const auto outcome = run(two_senders(sources), chooser);
  CHECK(outcome.is_clean());
  CHECK(sources == std::vector{2, 1});
}

TEST_CASE("everything withheld with nothing to come is a divergence") {
  std::vector<int> sources;
  Scripted chooser;
  chooser.admit = [](const Alternative& alternative) { return !is_message(alternative); };
  const auto outcome = run(two_senders(sources), chooser);
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings[0].kind == FindingKind::divergence);
}

TEST_CASE("what is withheld does not hold the clock back") {
  Scripted chooser;
  bool late_has_run = false;
  chooser.admit = [&](const Alternative& alternative) {
    return late_has_run || alternative.kind != OperationKind::write;
  };
  VirtualTime written;
  const auto outcome = run(
      [&](World& world) {
        late_has_run = false;
        Shared<int> x(world, 0);
        auto writer = world.thread("writer", [&] {
          x.store(1);
          written = world.now();
        });
        auto late = world.thread("late", [&] {
          world.sleep_for(3ms);
          late_has_run = true;
          world.yield();
        });
      },
      chooser);
  CHECK(outcome.is_clean());
  CHECK(written == VirtualTime::start() + 3ms);
}

TEST_CASE("a question that is left with one answer is not asked") {
  Scripted chooser;
  const auto outcome = run(
      [](World& world) {
        Mutex mutex(world);
        for (int i = 0; i < 10; ++i) {
          mutex.lock();
          mutex.unlock();
        }
      },
      chooser, any_order_options());
  CHECK(outcome.is_clean());
  CHECK(chooser.asked.empty());
  CHECK(outcome.questions == 0);
  CHECK(outcome.steps == 21);
}

TEST_CASE("operation ids are the same on two platforms") {
  const auto ids_on = [](LinkSpeed speed) {
    Scripted chooser;
    Events events;
    SimulationOptions options;
    options.network = [speed] { return std::make_unique<ConstantNetwork>(4, speed); };
    std::vector<int> sources;
    const auto outcome = run(two_senders(sources), chooser, options, {&events});
    CHECK(outcome.is_clean());
    std::set<std::tuple<std::uint64_t, OperationKind, std::uint64_t>> ids;
    for (const Event& event : events.all) {
      ids.insert({event.id.packed(), event.kind, event.object.packed()});
    }
    return ids;
  };
  const auto fast = ids_on({1us, 1'000'000'000});
  CHECK(fast == ids_on({20ms, 1'000}));
  CHECK(fast.size() > 8);
}

TEST_CASE("question keys do not move when a question is inserted elsewhere") {
  const auto keys = [](bool with_extra) {
    std::map<std::pair<std::uint64_t, std::size_t>, std::uint64_t> result;
    Scripted chooser;
    chooser.pick = [&](const ChoicePoint& point) {
      if (point.kind == ChoiceKind::step && point.asker.task.value == 1) {
        result[{point.asker.packed(), 0}] = point.question;
      }
      return point.default_index();
    };
    run(
        [&](World& world) {
          Shared<int> x(world);
          auto extra = world.thread("a", [&] {
            for (int i = 0; i < 3; ++i) x.store(i);
          });
          auto other = world.thread("b", [&] {
            if (with_extra) static_cast<void>(world.random().below(100));
            x.store(7);
          });
        },
        chooser, any_order_options());
    return result;
  };
  const auto without = keys(false);
  CHECK(without.size() >= 3);
  CHECK(without == keys(true));
}

TEST_CASE("pending operations of disabled tasks are in view") {
  Scripted chooser;
  bool saw_blocked_lock = false;
  chooser.pick = [&](const ChoicePoint& point) {
    for (std::uint32_t i = 0; i < point.pending.task_count(); ++i) {
      const TaskId task{i};
      saw_blocked_lock =
          saw_blocked_lock || (point.pending.state(task) == TaskState::disabled &&
                               point.pending.operation(task).kind == OperationKind::mutex_lock);
    }
    return point.step % point.alternatives.size();
  };
  run(
      [](World& world) {
        Mutex mutex(world);
        Shared<int> x(world);
        const auto body = [&] {
          Lock lock(mutex);
          x.store(1);
          x.store(2);
        };
        auto a = world.thread("a", body);
        auto b = world.thread("b", body);
        auto c = world.thread("c", [&] { x.store(3); });
      },
      chooser, any_order_options());
  CHECK(saw_blocked_lock);
}

TEST_CASE("a spin loop ends even if the chooser always prefers the one who spins") {
  Scripted chooser;
  chooser.pick = [](const ChoicePoint& point) {
    const auto spinner = std::ranges::find_if(
        point.alternatives, [](const Alternative& a) { return a.id.task.value == 1; });
    return spinner == point.alternatives.end()
               ? std::size_t{0}
               : static_cast<std::size_t>(spinner - point.alternatives.begin());
  };
  auto options = any_order_options();
  options.step_limit = 10'000;
  const auto outcome = run(
      [](World& world) {
        Atomic<int> flag(world);
        auto spinner = world.thread("spinner", [&] {
          while (flag.load() == 0) {
          }
        });
        auto setter = world.thread("setter", [&] { flag.store(1); });
      },
      chooser, options);
  CHECK(outcome.is_clean());
}

TEST_CASE("polling until a date ends although nothing else moves the clock") {
  Scripted chooser;
  const auto outcome = run(
      [](World& world) {
        while (world.now() < VirtualTime::start() + 250ms) world.yield();
      },
      chooser);
  CHECK(outcome.is_clean());
  CHECK(outcome.steps < 100);
}

TEST_CASE("whether a deadline or a message wins is a choice within the window") {
  const auto first_receive = [](VirtualDuration window, bool prefer_timeout) {
    Scripted chooser;
    chooser.pick = [&](const ChoicePoint& point) {
      for (std::size_t i = 0; i < point.alternatives.size(); ++i) {
        if ((point.alternatives[i].kind == OperationKind::timeout) == prefer_timeout) return i;
      }
      return std::size_t{0};
    };
    SimulationOptions options;
    options.window = window;
    bool arrived = false;
    run(
        [&](World& world) {
          world.ranks(2, [&](Communicator& comm) {
            if (comm.rank() == 1) return comm.send(0, 0, 1);
            arrived = comm.receive_for<int>(60us).has_value();
          });
        },
        chooser, options);
    return arrived;
  };
  // The message needs 50 us and a little, the deadline is at 60 us.
  CHECK(first_receive(VirtualDuration::zero(), true));
  CHECK(first_receive(5us, true));
  CHECK_FALSE(first_receive(20us, true));
  CHECK(first_receive(any_order, false));
}

TEST_CASE("the clock never goes back, and an event that is taken late happens late") {
  Scripted chooser;
  chooser.pick = [](const ChoicePoint& point) { return point.alternatives.size() - 1; };
  Events events;
  std::vector<int> sources;
  run(two_senders(sources), chooser, any_order_options(), {&events});
  CHECK(std::ranges::is_sorted(events.all, {}, &Event::time));
}

TEST_CASE("observers are told what they asked for, and nothing else") {
  struct OnlySends final : Observer {
    std::vector<OperationKind> kinds;
    [[nodiscard]] EventMask interest() const override { return EventMask::of(OperationKind::send); }
    void on_event(const Event& event) override { kinds.push_back(event.kind); }
    void on_step(const Alternative&) override { FAIL("no interest in steps"); }
  } observer;
  Scripted chooser;
  std::vector<int> sources;
  run(two_senders(sources), chooser, {}, {&observer});
  CHECK(observer.kinds == std::vector(2, OperationKind::send));
}

TEST_CASE("what a chooser throws reaches whoever called run, and the machine can run again") {
  Scripted chooser;
  chooser.pick = [](const ChoicePoint&) -> std::size_t { throw std::logic_error("no idea"); };
  std::vector<int> sources;
  Simulation simulation(any_order_options());
  CHECK_THROWS_AS(simulation.run(two_senders(sources), chooser), std::logic_error);
  Scripted patient;
  CHECK(simulation.run(two_senders(sources), patient).is_clean());
}

TEST_CASE("a chooser may abandon a run") {
  struct Quitter final : Chooser {
    Decision choose(const ChoicePoint&) override { return Decision::abandon(); }
  } quitter;
  std::vector<int> sources;
  const auto outcome = run(two_senders(sources), quitter, any_order_options());
  CHECK(outcome.status == Outcome::Status::abandoned);
  CHECK(outcome.findings.empty());
}
