#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/keyed_draw.hpp>
#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>

#include "explored_programs.hpp"

using orrery::ChoicePoint;
using orrery::Chooser;
using orrery::Decision;
using orrery::ExploreOptions;
using orrery::Report;

namespace {

ExploreOptions quick(const std::string& strategy, std::uint64_t runs) {
  ExploreOptions options;
  options.strategy = strategy;
  options.runs = runs;
  options.save_logs = options.shrink = false;
  return options;
}

/// Pending operations of a question that no machine asked.
class Nothing final : public orrery::PendingOperations {
 public:
  [[nodiscard]] std::size_t task_count() const override { return 0; }
  [[nodiscard]] const orrery::Operation& operation(orrery::TaskId) const override { return none_; }
  [[nodiscard]] orrery::OperationId id(orrery::TaskId) const override { return {}; }
  [[nodiscard]] orrery::TaskState state(orrery::TaskId) const override {
    return orrery::TaskState::ended;
  }
  [[nodiscard]] orrery::VirtualTime ready_date(orrery::TaskId) const override { return {}; }

 private:
  orrery::Operation none_;
};

/// A waiter question with these weights.
std::vector<std::uint64_t> draws_by_weight(const std::vector<std::uint32_t>& weights, int count) {
  const Nothing nothing;
  std::vector<orrery::Alternative> alternatives;
  for (const std::uint32_t weight : weights) alternatives.push_back({{}, {}, {}, {}, weight});
  const auto chooser = orrery::make_strategy("random")->chooser({});
  chooser->begin_run({});
  std::vector<std::uint64_t> counts(weights.size());
  for (int i = 0; i < count; ++i) {
    const ChoicePoint point{.kind = orrery::ChoiceKind::waiter,
                            .asker = {},
                            .alternatives = alternatives,
                            .current = {},
                            .question = static_cast<std::uint64_t>(i),
                            .now = {},
                            .pending = nothing};
    ++counts[chooser->choose(point).index];
  }
  return counts;
}

/// The whole of the extension that a new strategy takes: always the last alternative.
class LastChooser final : public Chooser {
 public:
  Decision choose(const ChoicePoint& point) override {
    return Decision::take(point.alternatives.size() - 1);
  }
};
class LastStrategy final : public orrery::Strategy {
 public:
  [[nodiscard]] std::string text() const override { return "last"; }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte>) const override {
    return std::make_unique<LastChooser>();
  }
};
constexpr orrery::StrategyEntry last_entry = {
    "last", "always the last alternative", "",
    [](const orrery::NameWithOptions&) -> std::unique_ptr<orrery::Strategy> {
      return std::make_unique<LastStrategy>();
    }};

orrery::Schedule schedule_of(Chooser& chooser, std::uint64_t run_index,
                             const orrery::Program& program) {
  orrery::SimulationOptions options = ExploreOptions::any_order_simulation();
  options.run_index = run_index;
  orrery::Simulation simulation(options);
  orrery::ScheduleRecorder recorder;
  orrery::Observer* const observers[] = {&recorder};
  simulation.run(program, chooser, observers);
  return recorder.schedule();
}

}  // namespace

TEST_CASE("every strategy finds the lost update, the crossed locks and the trusting receiver") {
  for (const char* strategy : {"random", "pct", "pct:depth=2,steps=30", "pos", "round_robin",
                               "exhaustive", "exhaustive:preemptions=1"}) {
    INFO(strategy);
    CHECK(orrery::explore(quick(strategy, 3000), programs::lost_update).exit_status() == 1);
    CHECK(orrery::explore(quick(strategy, 3000), programs::crossed_locks).exit_status() == 1);
    CHECK(orrery::explore(quick(strategy, 3000), programs::mended_update).exit_status() == 0);
  }
  for (const char* strategy : {"random", "pct", "pos", "exhaustive", "exhaustive:preemptions=0"}) {
    INFO(strategy);
    CHECK(orrery::explore(quick(strategy, 3000), programs::trusting_receiver).exit_status() == 1);
  }
}

TEST_CASE("the same strategy, seed and index give the same run, whatever ran before") {
  for (const char* text : {"random", "pct", "pos", "round_robin:stride=2"}) {
    INFO(text);
    const auto strategy = orrery::make_strategy(text);
    const auto used = strategy->chooser({});
    for (std::uint64_t i = 0; i < 5; ++i) schedule_of(*used, i, programs::trusting_receiver);
    for (std::uint64_t i = 0; i < 5; ++i) {
      const auto fresh = strategy->chooser({});
      CHECK(schedule_of(*used, i, programs::lost_update) ==
            schedule_of(*fresh, i, programs::lost_update));
    }
  }
}

TEST_CASE("what make_strategy gives as text makes the same strategy") {
  for (const char* text : {"random", "pct:depth=5,steps=77", "pos", "round_robin:stride=4",
                           "exhaustive:preemptions=2,values=3,depth=99"}) {
    const std::string once = orrery::make_strategy(text)->text();
    CHECK(once == text);
  }
}

TEST_CASE("unknown strategies and options get the nearest name") {
  CHECK_THROWS_WITH(orrery::make_strategy("pcr", "--strategy"), Catch::Contains("'pct'"));
  CHECK_THROWS_WITH(orrery::make_strategy("pct:dept=3"), Catch::Contains("depth"));
  CHECK_THROWS_AS(orrery::make_strategy("pct:depth=0"), orrery::UsageError);
  CHECK_THROWS_AS(orrery::make_strategy("random:3"), orrery::UsageError);
  CHECK_THROWS_AS(orrery::make_strategy("replay"), orrery::UsageError);
}

TEST_CASE("random draws respect weights") {
  const auto counts = draws_by_weight({1, 0, 3}, 4000);
  CHECK(counts[0] > 850);
  CHECK(counts[0] < 1150);
  CHECK(counts[1] == 0);
  const auto equal = draws_by_weight({1, 1}, 4000);
  CHECK(equal[0] > 1800);
  CHECK(equal[0] < 2200);
}

TEST_CASE("keyed draws do not depend on what else was drawn") {
  const orrery::KeyedDraw draw(3, 4);
  CHECK(draw.bits(5) == orrery::KeyedDraw(3, 4).bits(5));
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t run = 0; run < 10; ++run) {
      for (std::uint64_t key = 0; key < 100; ++key) {
        seen.insert(orrery::KeyedDraw(seed, run).bits(key));
      }
    }
  }
  CHECK(seen.size() == 10'000);
}

TEST_CASE("exhaustive search ends, counts each schedule once and reaches every outcome") {
  std::uint64_t counts[3] = {};
  const char* const bounds[] = {"exhaustive:preemptions=0", "exhaustive:preemptions=1",
                                "exhaustive"};
  for (int i = 0; i < 3; ++i) {
    ExploreOptions options = quick(bounds[i], 1'000'000);
    options.keep_going = true;
    const Report report = orrery::explore(options, programs::lost_update);
    CHECK(report.complete);
    CHECK(report.distinct_schedules == report.runs);
    CHECK(report.findings.empty() == (i == 0));  // the bug needs one preemption
    counts[i] = report.runs;
  }
  CHECK(counts[0] < counts[1]);
  CHECK(counts[1] < counts[2]);
}

TEST_CASE("exhaustive search goes through draws, and says where it had to skip some") {
  ExploreOptions options = quick("exhaustive", 1000);
  options.keep_going = true;
  const auto drawing = [](std::uint64_t bound) {
    return [bound](orrery::World& world) {
      const std::uint64_t drawn = world.random().below(bound);
      world.check(drawn != bound - 1, "the last value was drawn");
    };
  };
  const Report small = orrery::explore(options, drawing(5));
  CHECK(small.runs == 5);
  CHECK(small.complete);
  CHECK(small.findings.size() == 1);
  const Report wide = orrery::explore(options, drawing(1'000'000));
  CHECK(wide.runs == 2);
  CHECK(!wide.complete);
  CHECK(wide.findings.size() == 1);
}

TEST_CASE("below a branch, an exhaustive search gives the inputs with which the branch was made") {
  const auto strategy = orrery::make_strategy("exhaustive:depth=10");
  std::vector<std::byte> walk(strategy->walk_bytes());
  const auto chooser = strategy->chooser(walk);
  using Answers = std::vector<std::uint64_t>;
  const auto run = [&](std::uint64_t measured) {
    const auto ask = [&](std::uint64_t low, std::uint64_t high, orrery::ChoiceKind kind) {
      return chooser->choose_value(
          {.asker = {}, .question = 1, .low = low, .high = high, .weights = {}, .kind = kind});
    };
    chooser->begin_run({});
    const std::uint64_t before = ask(measured, measured, orrery::ChoiceKind::input);
    const std::uint64_t drawn = ask(0, 1, orrery::ChoiceKind::value);
    const std::uint64_t after = ask(measured, measured, orrery::ChoiceKind::input);
    orrery::Outcome outcome;
    outcome.status = orrery::Outcome::Status::clean;
    chooser->end_run(outcome);
    return Answers{before, drawn, after};
  };
  CHECK(run(70) == Answers{70, 0, 70});
  CHECK(strategy->next(walk));
  CHECK(run(80) == Answers{70, 1, 80});
  CHECK_FALSE(strategy->next(walk));
  CHECK(strategy->is_complete(walk));
  CHECK(strategy->contradiction(walk) == std::nullopt);
}

TEST_CASE("a strategy written outside takes a class and a line of a table") {
  const auto strategy = orrery::make_strategy("last", "--strategy", {&last_entry, 1});
  CHECK(strategy->text() == "last");
  ExploreOptions options = quick("", 3);
  options.own_strategy = std::make_shared<LastStrategy>();
  const Report report = orrery::explore(options, programs::mended_update);
  CHECK(report.strategy == "last");
  CHECK(report.distinct_schedules == 1);
}
