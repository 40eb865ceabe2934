// Instant Replay's procedures, in the order in which the paper prints them: no schedule breaks it.
// Twins of them in which the order is another one: some schedule does.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <orrery/explorers/strategies.hpp>
#include <orrery/sim_runtime/crew_object.hpp>

#include "reachable.hpp"

using namespace orrery;
using litmus::Outcomes;
using litmus::reachable;

namespace {

/// What each task does, a letter each: read, write, poll until somebody has written.
using Scripts = std::vector<std::string>;

enum class Mistake : std::uint8_t {
  none,
  is_not_active,        ///< a reader does not raise the number of active ones
  tape_before_active,   ///< a reader writes its tape before it does
  gone_before_counted,  ///< a reader is no longer active, and then it is counted
  version_before_zero,  ///< a writer raises the version, and then sets the readers to zero
  polls_are_counted     ///< a poll that is left out on the tape is counted as a reader
};

/// As `CrewProtocol`, with one mistake.
template <Mistake mistake>
class Twin {
 public:
  explicit Twin(World& world)
      : lock_(world), version_(world, 0), total_(world, 0), active_(world, 0) {}

  void reader_entry(CrewTask& task) {
    if (task.mode() == CrewMode::replay) return wait_for(version_, task.next());
    if (mistake == Mistake::tape_before_active) task.put(version_.load());
    raise_active();
    if (mistake != Mistake::tape_before_active) task.put(version_.load());
  }
  void reader_exit() {
    if (mistake == Mistake::gone_before_counted) active_.fetch_sub(1);
    total_.fetch_add(1);
    if (mistake != Mistake::gone_before_counted && mistake != Mistake::is_not_active) {
      active_.fetch_sub(1);
    }
  }
  void writer_entry(CrewTask& task) {
    if (task.mode() == CrewMode::replay) {
      wait_for(version_, task.next());
      const std::uint64_t readers = task.next();
      while (total_.load() < readers) this_task::yield();
      return;
    }
    lock_.lock();
    while (active_.load() != 0) this_task::yield();
    task.put(version_.load());
    task.put(total_.load());
  }
  void writer_exit(const CrewTask& task) {
    if (mistake == Mistake::version_before_zero) version_.fetch_add(1);
    total_.store(0);
    if (mistake != Mistake::version_before_zero) version_.fetch_add(1);
    if (task.mode() == CrewMode::record) lock_.unlock();
  }
  void poll_entry(CrewTask& task) {
    if (task.mode() == CrewMode::replay) return reader_entry(task);
    raise_active();
  }
  void poll_exit(CrewTask& task, bool is_last) {
    if (task.mode() == CrewMode::record && is_last) task.put(version_.load());
    if (is_last || mistake == Mistake::polls_are_counted) return reader_exit();
    active_.fetch_sub(1);
    this_task::yield();
  }

 private:
  static void wait_for(Atomic<std::uint64_t>& number, std::uint64_t value) {
    while (number.load() != value) this_task::yield();
  }
  void raise_active() {
    lock_.lock();
    if (mistake != Mistake::is_not_active) active_.fetch_add(1);
    lock_.unlock();
  }

  Mutex lock_;
  Atomic<std::uint64_t> version_;
  Atomic<std::uint64_t> total_;
  Atomic<std::int64_t> active_;
};

/// What the tasks have seen.
template <typename Protocol>
std::string play(World& world, const Scripts& scripts, CrewTape& tape, CrewMode mode) {
  Protocol protocol(world);
  Shared<int> value(world, 0, "value");
  std::vector<std::string> seen(scripts.size());
  const auto act = [&](char what, CrewTask& task, std::size_t me) {
    if (what == 'r') {
      protocol.reader_entry(task);
      seen[me] += std::to_string(value.load()) + " ";
      protocol.reader_exit();
    } else if (what == 'w') {
      protocol.writer_entry(task);
      value.store(value.load() * 2 + static_cast<int>(me) + 1);
      protocol.writer_exit(task);
    } else {
      int found = 0;
      while (found == 0) {
        protocol.poll_entry(task);
        found = value.load();
        protocol.poll_exit(task, found != 0);
      }
      seen[me] += "p" + std::to_string(found) + " ";
    }
  };
  {
    CrewTask main(tape, mode);
    std::vector<CrewTask> tasks;
    for (std::size_t i = 0; i < scripts.size(); ++i) tasks.push_back(main.start());
    std::vector<Thread> threads;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      threads.push_back(world.thread("task", [&, i] {
        for (const char what : scripts[i]) act(what, tasks[i], i);
      }));
    }
  }
  std::string all;
  for (const std::string& one : seen) all += one + "| ";
  return all + std::to_string(value.unobserved());
}

std::string text(const CrewTape& tape) {
  std::string all;
  for (const std::uint64_t number : tape.numbers) all += std::to_string(number) + " ";
  for (const CrewTape& one : tape.started) all += "(" + text(one) + ")";
  return all;
}

/// How many schedules are looked at: all, or some.
enum class Extent : std::uint8_t { all, some };

SimulationOptions small_machine() {
  SimulationOptions options = litmus::machine();
  options.step_limit = 600;  // what does not go on does nothing but poll
  return options;
}

/// What the program can come to.
Outcomes outcomes_of(const litmus::LitmusProgram& program, Extent extent, std::uint64_t runs) {
  if (extent == Extent::all) return reachable(program, small_machine());
  Outcomes outcomes;
  Simulation simulation(small_machine());
  const auto random = make_strategy("random")->chooser({});
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    simulation.set_run(seed, 0);
    std::string result;
    const Outcome outcome = simulation.run([&](World& world) { result = program(world); }, *random);
    const bool is_clean = outcome.status == Outcome::Status::clean;
    outcomes.insert(is_clean ? result : "no end");
  }
  return outcomes;
}

/// Something that is wrong, in words, with a recording, or with the replay of its tape under
/// another schedule.  Empty: nothing.
template <typename Protocol>
std::string what_breaks(const Scripts& scripts, Extent extent = Extent::some) {
  std::map<std::string, std::set<std::string>> results;  // by the tape's text
  std::map<std::string, CrewTape> tapes;
  const Outcomes recorded = outcomes_of(
      [&](World& world) {
        CrewTape tape;
        const std::string result = play<Protocol>(world, scripts, tape, CrewMode::record);
        world.yield();
        results[text(tape)].insert(result);
        tapes[text(tape)] = tape;
        return std::string("done");
      },
      extent, 5'000);
  if (recorded != Outcomes{"done"}) return "a recording does not come to its end";
  for (const auto& [name, seen] : results) {
    if (seen.size() > 1) return "one tape for " + *seen.begin() + " and for " + *seen.rbegin();
  }
  for (const auto& [name, tape] : tapes) {
    const Outcomes replayed = outcomes_of(
        [&, recorded_tape = tape](World& world) {
          CrewTape again = recorded_tape;
          return play<Protocol>(world, scripts, again, CrewMode::replay);
        },
        extent, 500);
    for (const std::string& outcome : replayed) {
      if (!results[name].contains(outcome)) return "a replay of " + name + " comes to " + outcome;
    }
  }
  return {};
}

/// The protocol itself, with the arguments that tests have.
class Printed : public CrewProtocol {
 public:
  explicit Printed(World& world) : CrewProtocol(world, "object") {}
};

}  // namespace

TEST_CASE("no schedule breaks Instant Replay's procedures in the printed order") {
  for (const Scripts& scripts : {Scripts{"r", "w"}, Scripts{"w", "w"}, Scripts{"rr", "w"}}) {
    CAPTURE(scripts);
    CHECK(what_breaks<Printed>(scripts, Extent::all) == "");
  }
  for (const Scripts& scripts :
       {Scripts{"r", "ww"}, Scripts{"p", "w"}, Scripts{"rp", "wr", "w"}, Scripts{"rwr", "wrw"}}) {
    CAPTURE(scripts);
    CHECK(what_breaks<Printed>(scripts) == "");
    CHECK(what_breaks<Twin<Mistake::none>>(scripts) == "");
  }
}

TEST_CASE("a schedule breaks each twin in which the order is another one") {
  CHECK(what_breaks<Twin<Mistake::is_not_active>>({"r", "w"}) != "");
  CHECK(what_breaks<Twin<Mistake::tape_before_active>>({"r", "w"}) != "");
  CHECK(what_breaks<Twin<Mistake::gone_before_counted>>({"r", "ww"}) != "");
  CHECK(what_breaks<Twin<Mistake::version_before_zero>>({"r", "ww"}) != "");
}

TEST_CASE("a poll that is left out on the tape must not be counted as a reader") {
  CHECK(what_breaks<Twin<Mistake::polls_are_counted>>({"p", "w"}) != "");
}

TEST_CASE("larger programs replay from their tapes under random schedules") {
  const Scripts scripts{"rwr", "wrrw", "prw", "rrr"};
  SimulationOptions options = litmus::machine();
  Simulation simulation(options);
  const auto random = make_strategy("random")->chooser({});
  std::set<std::string> results;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CrewTape tape;
    std::string recorded;
    simulation.set_run(seed, 0);
    const Outcome first = simulation.run(
        [&](World& world) { recorded = play<Printed>(world, scripts, tape, CrewMode::record); },
        *random);
    REQUIRE(first.status == Outcome::Status::clean);
    results.insert(recorded);
    for (std::uint64_t other = 1; other <= 5; ++other) {
      std::string again;
      CrewTape copy = tape;
      simulation.set_run(seed * 100 + other, 0);
      const Outcome second = simulation.run(
          [&](World& world) { again = play<Printed>(world, scripts, copy, CrewMode::replay); },
          *random);
      CAPTURE(seed, other, text(tape));
      CHECK(second.status == Outcome::Status::clean);
      CHECK(again == recorded);
      CHECK((copy == tape));
    }
  }
  CHECK(results.size() > 30);
}

TEST_CASE("tasks that start tasks have tapes in a tree, and objects hold any value") {
  const auto program = [](World& world, CrewTape& tape, CrewMode mode) {
    CrewObject<std::vector<int>> list(world, {}, "list");
    CrewTask main(tape, mode);
    {
      CrewTask parent = main.start();
      Thread thread = world.thread("parent", [&] {
        CrewTask child = parent.start();
        Thread inner = world.thread(
            "child", [&] { list.write(child, [](std::vector<int>& all) { all.push_back(1); }); });
        list.write(parent, [](std::vector<int>& all) { all.push_back(2); });
        list.wait_until(parent, [](const std::vector<int>& all) { return all.size() == 3; });
      });
      list.write(main, [](std::vector<int>& all) { all.push_back(3); });
      list.wait_until(main, [](const std::vector<int>& all) { return all.size() == 3; });
    }
    return list.read(main, [](const std::vector<int>& all) { return all; });
  };
  Simulation simulation(litmus::machine());
  const auto random = make_strategy("random")->chooser({});
  std::set<std::vector<int>> results;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CrewTape tape;
    std::vector<int> recorded;
    std::vector<int> again;
    simulation.set_run(seed, 0);
    simulation.run([&](World& world) { recorded = program(world, tape, CrewMode::record); },
                   *random);
    REQUIRE(tape.started.size() == 1);
    REQUIRE(tape.started.front().started.size() == 1);
    simulation.set_run(seed + 1000, 0);
    simulation.run([&](World& world) { again = program(world, tape, CrewMode::replay); }, *random);
    CHECK(recorded.size() == 3);
    CHECK(again == recorded);
    results.insert(recorded);
  }
  CHECK(results.size() > 3);
}

TEST_CASE("a program that does more than its tape has is told so") {
  Simulation simulation(litmus::machine());
  const auto random = make_strategy("random")->chooser({});
  CrewTape tape;
  int reads = 1;
  bool starts = false;
  const auto program = [&](World& world, CrewMode mode) {
    CrewObject<int> number(world, 0, "number");
    CrewTask main(tape, mode);
    for (int i = 0; i < reads; ++i) number.read(main, [](int seen) { return seen; });
    if (starts) static_cast<void>(main.start());
  };
  simulation.run([&](World& world) { program(world, CrewMode::record); }, *random);
  const auto replay = [&](World& world) { program(world, CrewMode::replay); };
  CHECK(simulation.run(replay, *random).status == Outcome::Status::clean);
  reads = 2;
  CHECK_THROWS_WITH(simulation.run(replay, *random), Catch::Contains("the tape ends here"));
  reads = 1;
  starts = true;
  CHECK_THROWS_WITH(simulation.run(replay, *random),
                    Catch::Contains("the recorded task started no more tasks"));
}
