#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/shrinker.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>

#include "explored_programs.hpp"
#include "polling_threads.hpp"
#include "program_builder.hpp"
#include "standard_error.hpp"

using orrery::ExploreOptions;
using orrery::Report;
using orrery::test::errors_of;
using orrery::test::TemporaryDirectory;

namespace {

/// Finds with `strategy`, shrinks, and checks what every shrinking has to keep.
orrery::FoundRun found_and_shrunk(const orrery::Program& program,
                                  const std::string& strategy = "random") {
  ExploreOptions options;
  options.strategy = strategy;
  options.runs = 20'000;
  options.save_logs = false;
  options.shrink = false;
  const Report raw = orrery::explore(options, program);
  options.shrink = true;
  const Report small = orrery::explore(options, program);
  REQUIRE(raw.findings.size() == 1);
  REQUIRE(small.findings.size() == 1);
  const orrery::FoundRun& found = small.findings[0];
  REQUIRE(found.shrunk.has_value());
  CHECK(found.finding.is_same_as(raw.findings[0].finding));
  CHECK(found.cost_after <= found.cost_before);
  CHECK(found.schedule == raw.findings[0].schedule);
  return found;
}

/// Fails only if the draw is at least 1,000.
void large_draw(orrery::World& world) {
  const std::uint64_t drawn = world.random().below(1'000'000);
  world.check(drawn < 1000, "the draw was large");
}

/// Much goes on beside the bug.
void noisy_lost_update(orrery::World& world) {
  orrery::Shared<int> noise(world, 0, "noise");
  orrery::Shared<int> count(world, 0, "count");
  const auto make_noise = [&] {
    for (int i = 0; i < 6; ++i) noise.store(i);
  };
  const auto add = [&] { count.store(count.load() + 1); };
  auto first_noise = world.thread("noise 1", make_noise);
  auto second_noise = world.thread("noise 2", make_noise);
  auto first = world.thread("first", add);
  auto second = world.thread("second", add);
  first.join();
  second.join();
  world.check(count.load() == 2, "an update was lost");
}

/// The eight words that came last are kept, and the oldest makes room for a new one; the last one
/// is looked at without the lock.
class WordTable {
 public:
  explicit WordTable(orrery::World& world)
      : world_(world), mutex_(world, "table"), last_(world, -1, "last") {
    for (int i = 0; i < 8; ++i) {
      texts_.push_back(std::make_unique<orrery::Shared<int>>(world, empty, "text"));
    }
  }

  void read_words(std::uint32_t seed) {
    int word = 0;
    for (int i = 0; i < 300; ++i) {
      seed = seed * 1'103'515'245U + 12'345U;
      if (i % 4 == 0) word = static_cast<int>((seed >> 16U) % 12);
      count(word);
    }
  }

 private:
  static constexpr int empty = -1;

  void count(int word) {
    const int hit = last_.load();
    if (hit >= 0) {
      const int text = texts_[static_cast<std::size_t>(hit)]->load();
      world_.check(text != empty, "the word is gone");
      if (text == word) return;
    }
    const std::lock_guard held(mutex_);
    last_.store(find_or_make(word));
  }
  int find_or_make(int word) {
    for (const int entry : order_) {
      if (texts_[static_cast<std::size_t>(entry)]->load() == word) return entry;
    }
    int entry = static_cast<int>(order_.size());
    if (order_.size() == texts_.size()) {
      entry = order_.front();
      order_.erase(order_.begin());
      texts_[static_cast<std::size_t>(entry)]->store(empty);
    }
    texts_[static_cast<std::size_t>(entry)]->store(word);
    order_.push_back(entry);
    return entry;
  }

  orrery::World& world_;
  orrery::Mutex mutex_;
  orrery::Shared<int> last_;
  std::vector<std::unique_ptr<orrery::Shared<int>>> texts_;
  std::vector<int> order_;  ///< the oldest first
};

void emptied_words(orrery::World& world) {
  WordTable table(world);
  auto first = world.thread("first", [&] { table.read_words(1); });
  auto second = world.thread("second", [&] { table.read_words(2); });
  auto third = world.thread("third", [&] { table.read_words(3); });
  first.join();
  second.join();
  third.join();
}

}  // namespace

TEST_CASE("preemptions of which none can go alone go together") {
  for (const char* const strategy : {"pct:depth=12,steps=3000", "pct:depth=24,steps=1500"}) {
    const orrery::FoundRun found = found_and_shrunk(emptied_words, strategy);
    CAPTURE(strategy, found.cost_before.preemptions);
    CHECK(found.cost_before.preemptions > 2);
    CHECK(found.cost_after.preemptions <= 2);
  }
}

TEST_CASE("a shrunk run has no more preemptions than its bug needs") {
  CHECK(found_and_shrunk(programs::lost_update).cost_after.preemptions == 1);
  CHECK(found_and_shrunk(programs::crossed_locks).cost_after.preemptions == 1);
  CHECK(found_and_shrunk(noisy_lost_update).cost_after.preemptions == 1);
  CHECK(found_and_shrunk(programs::trusting_receiver).cost_after.preemptions == 0);
  CHECK(found_and_shrunk(noisy_lost_update, "pos").cost_after.preemptions == 1);
}

TEST_CASE("a shrunk run deviates as little as its bug needs") {
  const orrery::FoundRun found = found_and_shrunk(noisy_lost_update);
  CHECK(found.cost_after.deviations <= 2);
  CHECK(found.cost_after.deviations < found.cost_before.deviations);
}

TEST_CASE("a draw is shrunk to the smallest that fails") {
  const orrery::FoundRun found = found_and_shrunk(large_draw);
  bool has_draw = false;
  for (const orrery::ScheduleEntry& entry : found.shrunk->entries) {
    if (entry.type != orrery::ScheduleEntry::Type::value) continue;
    has_draw = true;
    CHECK(entry.value() == 1000);
  }
  CHECK(has_draw);
}

TEST_CASE("a run that dies is shrunk too") {
  const orrery::FoundRun found = found_and_shrunk(programs::crashes);
  CHECK(found.finding.kind == orrery::FindingKind::crash);
  CHECK(found.cost_after.preemptions == 0);
}

TEST_CASE("shrinking is a function of its arguments and tells of every better run") {
  ExploreOptions options;
  options.runs = 1000;
  options.save_logs = options.shrink = false;
  const Report report = orrery::explore(options, noisy_lost_update);
  REQUIRE(report.findings.size() == 1);
  const orrery::FoundRun& found = report.findings[0];
  orrery::ShrinkOptions how;
  how.simulation = options.simulation;
  how.simulation.run_index = found.run_index;
  std::vector<orrery::RunCost> better;
  how.on_better = [&](const orrery::ShrinkResult& so_far) { better.push_back(so_far.after); };
  const auto once = orrery::shrink(found.schedule, found.finding, noisy_lost_update, how);
  how.isolate = false;
  const auto again = orrery::shrink(found.schedule, found.finding, noisy_lost_update, how);
  CHECK(once.reproduced);
  CHECK(once.schedule == again.schedule);
  CHECK(once.runs == again.runs);
  REQUIRE(better.size() >= 2);
  CHECK(better.front() == once.before);
  CHECK(better.back() == again.after);
}

TEST_CASE("how far a shrinking is stands on standard error, where that is wanted") {
  ExploreOptions options;
  options.runs = 1000;
  options.save_logs = false;
  const TemporaryDirectory directory;
  const auto explore = [&] { static_cast<void>(orrery::explore(options, noisy_lost_update)); };
  CHECK(errors_of(directory / "errors.txt", explore).empty());
  options.progress = ExploreOptions::Progress::always;
  CHECK_THAT(errors_of(directory / "errors.txt", explore),
             Catch::Contains("making the finding small"));
}

TEST_CASE("a run that does not fail again is given back as it was") {
  ExploreOptions options;
  options.runs = 1000;
  options.save_logs = options.shrink = false;
  const Report report = orrery::explore(options, programs::lost_update);
  REQUIRE(report.findings.size() == 1);
  const orrery::FoundRun& found = report.findings[0];
  orrery::ShrinkOptions how;
  how.simulation = options.simulation;
  const auto result = orrery::shrink(found.schedule, found.finding, programs::mended_update, how);
  CHECK(!result.reproduced);
  CHECK(result.schedule == found.schedule);
}

namespace {

/// Fails if `second` is first; else one thread goes on until the run is stopped.
void fail_or_spin(orrery::World& world) {
  orrery::Atomic<int> turn(world, 0, "turn");
  orrery::Atomic<int> turns(world, 0, "turns");
  auto first = world.thread("first", [&] {
    while (turn.load() == 0) turns.fetch_add(1);
  });
  auto second = world.thread("second", [&] {
    const int so_far = turns.load();
    turn.store(so_far == 0 ? 1 : 0);
  });
  first.join();
  second.join();
  world.check(false, "the second was first");
}

class StepCount final : public orrery::Observer {
 public:
  [[nodiscard]] orrery::EventMask interest() const override { return orrery::EventMask::steps(); }
  void on_step(const orrery::Alternative&) override { ++steps; }
  std::uint64_t steps = 0;
};

}  // namespace

TEST_CASE("candidates that spin are given up long before the limit of a run") {
  const auto count = std::make_shared<StepCount>();
  ExploreOptions options;
  options.save_logs = options.isolate = false;
  options.strategy = "random";
  options.simulation.step_limit = 300'000;
  options.shrink = false;
  options.keep_going = false;
  const Report raw = orrery::explore(options, fail_or_spin);
  REQUIRE(raw.findings.size() == 1);
  orrery::ShrinkOptions how;
  how.isolate = false;
  how.simulation = options.simulation;
  how.observers = [count] { return std::vector<orrery::Observer*>{count.get()}; };
  const orrery::ShrinkResult small =
      orrery::shrink(raw.findings[0].schedule, raw.findings[0].finding, fail_or_spin, how);
  CHECK(small.reproduced);
  CHECK(count->steps < 10 * options.simulation.step_limit);
}

namespace {

/// A stack of indices without tags: its bug is that who has read the first and its successor does
/// not see that both went and the first came back (two preemptions).
class FreeList {
 public:
  explicit FreeList(orrery::World& world) : head_(world, 0, "head") {
    for (int i = 0; i < size; ++i) {
      next_.push_back(std::make_unique<orrery::Atomic<int>>(world, i + 1, "next"));
    }
  }
  int pop() {
    for (int first = head_.load(); first != size; first = head_.load()) {
      const int second = next_[static_cast<std::size_t>(first)]->load();
      if (!head_.compare_exchange(first, second)) continue;
      two_had_one_ = two_had_one_ || taken_[first];
      taken_[first] = true;
      return first;
    }
    return size;
  }
  void push(int index) {
    if (index == size) return;
    taken_[index] = false;
    for (int first = head_.load();; first = head_.load()) {
      next_[static_cast<std::size_t>(index)]->store(first);
      if (head_.compare_exchange(first, index)) return;
    }
  }
  [[nodiscard]] bool two_had_one() const { return two_had_one_; }

 private:
  static constexpr int size = 4;
  orrery::Atomic<int> head_;
  std::vector<std::unique_ptr<orrery::Atomic<int>>> next_;
  bool taken_[size] = {};
  bool two_had_one_ = false;
};

void use_free_list(orrery::World& world) {
  FreeList list(world);
  const auto use = [&] {
    for (int i = 0; i < 8; ++i) {
      const int one = list.pop();
      const int other = list.pop();
      list.push(one);
      list.push(other);
    }
  };
  auto first = world.thread("first", use);
  auto second = world.thread("second", use);
  auto third = world.thread("third", use);
  first.join();
  second.join();
  third.join();
  world.check(!list.two_had_one(), "two had the same");
}

}  // namespace

TEST_CASE("a long run of loops that try again is left with few preemptions") {
  ExploreOptions options;
  options.save_logs = options.isolate = options.shrink = false;
  options.runs = 20'000;
  for (const std::uint64_t seed : {1, 2, 3}) {
    options.simulation.seed = seed;
    const Report report = orrery::explore(options, use_free_list);
    REQUIRE(report.findings.size() == 1);
    orrery::ShrinkOptions how;
    how.isolate = false;
    how.runs = 600;  // a search for few preemptions would need more to come to two
    how.simulation = options.simulation;
    const orrery::FoundRun& found = report.findings[0];
    how.simulation.run_index = found.run_index;
    std::uint64_t examined = 0;
    how.examine = [&](orrery::Reruns&) { ++examined; };
    const auto small = orrery::shrink(found.schedule, found.finding, use_free_list, how);
    CAPTURE(seed, small.after.steps);
    CHECK(examined >= 2);          // the run as it was given, and what has become of it
    CHECK(examined < small.runs);  // what costs more is not taken, whatever it shows
    CHECK(small.before.preemptions > 60);
    CHECK(small.reproduced);
    CHECK(small.after.preemptions <= 4);
    CHECK(small.runs <= how.runs);
  }
}

namespace {

/// Fails if the value is looked at before it is there.
void look_early(orrery::World& world) {
  orrery::Atomic<int> flag(world, 0, "flag");
  orrery::Shared<int> value(world, 0, "value");
  auto looking = world.thread("looking", [&] {
    for (int i = 0; i < 4; ++i) static_cast<void>(flag.load());
    world.check(value.load() == 1, "it is not there");
  });
  auto setting = world.thread("setting", [&] {
    for (int i = 0; i < 4; ++i) value.store(0);
    value.store(1);
  });
  looking.join();
  setting.join();
}

/// As real threads do: one polls on although nobody has done anything.
class PollingOn final : public orrery::Chooser {
 public:
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const orrery::Alternative& one) override { return one.id.task.value != 2; }
  orrery::Decision choose(const orrery::ChoicePoint& point) override {
    return orrery::Decision::take(point.default_index());
  }
};

}  // namespace

TEST_CASE("a run that polls on where nothing has happened is made small, too") {
  PollingOn chooser;
  orrery::ScheduleRecorder recorder;
  orrery::Simulation simulation({});
  const std::vector<orrery::Observer*> observers{&recorder};
  const orrery::Outcome outcome = simulation.run(look_early, chooser, observers);
  REQUIRE(outcome.findings.size() == 1);
  orrery::ShrinkOptions how;
  how.isolate = false;
  const auto small = orrery::shrink(recorder.schedule(), outcome.findings[0], look_early, how);
  CHECK(small.reproduced);
  CHECK(small.finding.is_same_as(outcome.findings[0]));
  CHECK(small.after <= small.before);
  CHECK(small.after.preemptions <= 3);
}

TEST_CASE("a run of many polls in vain, which another would not have, is made small") {
  orrery::ScheduleRecorder recorder;
  orrery::Simulation simulation({});
  const std::vector<orrery::Observer*> observers{&recorder};
  orrery::Outcome outcome;
  for (std::uint32_t seed = 1; outcome.findings.empty(); ++seed) {
    REQUIRE(seed < 200);
    polling_threads::InSlices chooser(seed);
    outcome = simulation.run(polling_threads::meet_and_count, chooser, observers);
  }
  orrery::ShrinkOptions how;
  how.isolate = false;
  how.runs = 4000;
  const auto small = orrery::shrink(recorder.schedule(), outcome.findings[0],
                                    polling_threads::meet_and_count, how);
  CHECK(small.reproduced);
  CHECK(small.before.preemptions > 32);
  CHECK(small.after.preemptions <= 2);
}

TEST_CASE("Who must come late is found in a run whose loops went round otherwise") {
  for (const bool wake_by_themselves : {false, true}) {
    CAPTURE(wake_by_themselves);
    ExploreOptions options;
    options.runs = 20'000;
    options.save_logs = options.shrink = false;
    options.simulation.spurious_wakeups = wake_by_themselves;
    const Report raw = orrery::explore(options, programs::deaf_workers);
    REQUIRE(raw.findings.size() == 1);
    CHECK(raw.findings[0].finding.kind == orrery::FindingKind::deadlock);
    orrery::ShrinkOptions how;
    how.isolate = false;
    how.simulation = options.simulation;
    how.simulation.run_index = raw.findings[0].run_index;
    const auto small = orrery::shrink(raw.findings[0].schedule, raw.findings[0].finding,
                                      programs::deaf_workers, how);
    CHECK(small.reproduced);
    CHECK(small.after.preemptions <= 3);  // one is needed
  }
}
