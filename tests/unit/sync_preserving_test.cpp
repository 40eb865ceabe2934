// Races that are predicted from one run: what is, what is not, and against all reorderings.
#include "prediction/sync_preserving.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/reruns.hpp>
#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery {
namespace {

using detail::PlaceNumber;
using detail::PredictedRace;
using detail::SyncTrace;

/// One operation of a small run: every access has a place of its own.
struct Step {
  enum class Kind : std::uint8_t { read, write, acquire, release } kind = Kind::read;
  std::uint32_t task = 1;
  std::uint32_t what = 0;  ///< variable or lock
};
using Run = std::vector<Step>;
using Pairs = std::set<std::pair<std::size_t, std::size_t>>;  ///< of steps, by index

constexpr std::uint32_t task_count = 3;  // besides the root
constexpr std::size_t all_races = 1'000'000;

void tell(SyncTrace& trace, const Run& run,
          const std::function<std::uint64_t(const Step&)>& place_of) {
  trace.begin_run({});
  trace.on_task({0}, {});
  const TaskId root{0};
  for (std::uint32_t task = 1; task <= task_count; ++task) trace.on_task({task}, {&root, 1});
  std::uint32_t number = 0;
  for (const Step& step : run) {
    if (step.kind == Step::Kind::read || step.kind == Step::Kind::write) {
      const AccessKind kind = step.kind == Step::Kind::write ? AccessKind::write : AccessKind::read;
      const MemoryAccess access{0x1000 + 8 * step.what, 4, kind, place_of(step)};
      trace.on_accesses({step.task}, {&access, 1});
      continue;
    }
    Event event;
    event.id = {{step.task}, ++number};
    event.kind =
        step.kind == Step::Kind::acquire ? OperationKind::mutex_lock : OperationKind::mutex_unlock;
    event.object = {{0}, step.what + 1};
    trace.on_event(event);
  }
}

/// By the places, which are the steps.
Pairs predicted(const Run& run) {
  SyncTrace trace;
  tell(trace, run, [&](const Step& step) { return &step - run.data() + 1; });
  Pairs pairs;
  const auto step_of = [&](detail::TraceRef ref) {
    return static_cast<std::size_t>(trace.places().place(trace.at(ref).place).program_counter - 1);
  };
  for (const PredictedRace& race : detail::find_predicted_races(trace, all_races).races) {
    pairs.emplace(step_of(race.earlier), step_of(race.later));
  }
  return pairs;
}

/// All races of runs that begin the tasks as this one does, in which each read sees what it saw,
/// and each lock is taken in the same order: by doing them all.
class AllReorderings {
 public:
  explicit AllReorderings(const Run& run) : run_(run) {
    for (std::size_t i = 0; i < run.size(); ++i) {
      tasks_[run[i].task].push_back(i);
      if (run[i].kind == Step::Kind::read) seen_[i] = last_write_[run[i].what];
      if (run[i].kind == Step::Kind::write) last_write_[run[i].what] = i + 1;
    }
  }
  Pairs races() {
    visit({});
    return races_;
  }

 private:
  using Done = std::map<std::uint32_t, std::size_t>;  ///< by task: how much
  struct State {
    Done done;
    std::map<std::uint32_t, std::size_t> writes;  ///< by variable: the last one, plus one
    std::map<std::uint32_t, std::uint32_t> held;  ///< by lock: the task
    std::map<std::uint32_t, std::size_t> taken;   ///< by lock: the last step that took it, plus one
    friend auto operator<=>(const State&, const State&) = default;
  };

  [[nodiscard]] std::size_t next(const State& state, std::uint32_t task) const {
    const auto steps = tasks_.find(task);
    const auto done = state.done.find(task);
    const std::size_t count = done == state.done.end() ? 0 : done->second;
    return steps == tasks_.end() || count == steps->second.size() ? run_.size()
                                                                  : steps->second[count];
  }
  bool advance(State& state, std::size_t i) const {
    const Step& step = run_[i];
    switch (step.kind) {
      case Step::Kind::read:
        if (state.writes[step.what] != seen_.at(i)) return false;
        break;
      case Step::Kind::write: state.writes[step.what] = i + 1; break;
      case Step::Kind::acquire:
        if (state.held[step.what] != 0 || state.taken[step.what] > i) return false;
        state.held[step.what] = step.task;
        state.taken[step.what] = i + 1;
        break;
      case Step::Kind::release: state.held[step.what] = 0; break;
    }
    ++state.done[step.task];
    return true;
  }
  void visit(const State& state) {
    if (!visited_.insert(state).second) return;
    for (std::uint32_t a = 1; a <= task_count; ++a) {
      const std::size_t one = next(state, a);
      if (one == run_.size()) continue;
      for (std::uint32_t b = a + 1; b <= task_count; ++b) {
        const std::size_t other = next(state, b);
        if (other != run_.size() && conflict(run_[one], run_[other])) {
          races_.emplace(std::min(one, other), std::max(one, other));
        }
      }
      State further = state;
      if (advance(further, one)) visit(further);
    }
  }
  static bool conflict(const Step& a, const Step& b) {
    const auto is_access = [](const Step& one) {
      return one.kind == Step::Kind::read || one.kind == Step::Kind::write;
    };
    return is_access(a) && is_access(b) && a.what == b.what &&
           (a.kind == Step::Kind::write || b.kind == Step::Kind::write);
  }

  const Run& run_;
  std::map<std::uint32_t, std::vector<std::size_t>> tasks_;
  std::map<std::size_t, std::size_t> seen_;
  std::map<std::uint32_t, std::size_t> last_write_;
  std::set<State> visited_;
  Pairs races_;
};

/// A run that can have happened: locks are taken when they are free, and given back in the end.
Run random_run(std::mt19937& random, std::size_t steps) {
  Run run;
  std::map<std::uint32_t, std::uint32_t> holder;
  std::map<std::uint32_t, std::vector<std::uint32_t>> held;
  while (run.size() < steps) {
    const auto task = static_cast<std::uint32_t>(1 + random() % task_count);
    const auto what = static_cast<std::uint32_t>(random() % 2);
    switch (random() % 4) {
      case 0: run.push_back({Step::Kind::read, task, what}); break;
      case 1: run.push_back({Step::Kind::write, task, what}); break;
      case 2:
        if (holder[what] != 0) break;
        holder[what] = task;
        held[task].push_back(what);
        run.push_back({Step::Kind::acquire, task, what});
        break;
      default:
        if (held[task].empty()) break;
        holder[held[task].back()] = 0;
        run.push_back({Step::Kind::release, task, held[task].back()});
        held[task].pop_back();
    }
  }
  return run;
}

constexpr auto read = Step::Kind::read;
constexpr auto write = Step::Kind::write;
constexpr auto acquire = Step::Kind::acquire;
constexpr auto release = Step::Kind::release;

}  // namespace

TEST_CASE("Two critical sections that have nothing in common order nothing in another run") {
  // Happens-before orders the write of task 1 before that of task 2, by the lock.
  const Run run{{write, 1, 0},   {acquire, 1, 0}, {release, 1, 0},
                {acquire, 2, 0}, {release, 2, 0}, {write, 2, 0}};
  CHECK(predicted(run) == Pairs{{0, 5}});
}

TEST_CASE("What a critical section hands over to the next one is no race") {
  const Run run{{write, 1, 0},   {acquire, 1, 0}, {write, 1, 1},   {release, 1, 0},
                {acquire, 2, 0}, {read, 2, 1},    {release, 2, 0}, {write, 2, 0}};
  CHECK(predicted(run).empty());
}

TEST_CASE("A race that needs another order of the locks is not predicted") {
  const Run run{{acquire, 1, 0}, {write, 1, 0},   {release, 1, 0},
                {acquire, 2, 0}, {release, 2, 0}, {write, 2, 0}};
  // The lock of task 1 would have to be taken after that of task 2.
  CHECK(predicted(run).empty());
}

TEST_CASE("The races predicted of random runs are those of all runs that keep the locks' order") {
  std::mt19937 random(20211);
  std::size_t races = 0;
  for (int i = 0; i < 1500; ++i) {
    const Run run = random_run(random, 6 + random() % 9);
    const Pairs expected = AllReorderings(run).races();
    CAPTURE(i);
    REQUIRE(predicted(run) == expected);
    races += expected.size();
  }
  CHECK(races > 1000);
}

TEST_CASE("A race at the end of a long run is predicted, however much at its lines is ordered") {
  // Both threads do the same over and over, with the lock; once the last one goes without it.
  constexpr std::size_t rounds = 500;
  Run run;
  for (std::size_t i = 0; i < rounds; ++i) {
    for (const std::uint32_t task : {1U, 2U}) {
      run.insert(run.end(), {{acquire, task, 0}, {read, task, 0}, {write, task, 0}});
      run.push_back({release, task, 0});
    }
  }
  run.push_back({read, 1, 0});
  run.insert(run.end(), {{acquire, 2, 0}, {write, 2, 0}, {release, 2, 0}});
  const auto place_of = [](const Step& step) { return step.kind == read ? 1 : 2; };
  SyncTrace trace;
  tell(trace, run, place_of);
  const detail::PredictedRaces found = detail::find_predicted_races(trace, 3);
  REQUIRE(!found.races.empty());
  CHECK(found.is_whole);
  const detail::TraceRef last_read{1, static_cast<std::uint32_t>(trace.events_of(1).size()) - 1};
  for (const PredictedRace& race : found.races) {
    CHECK((race.earlier == last_read || race.later == last_read));
  }
}

namespace {

/// Two threads write one variable, each beside a critical section of its own; or within.
void write_beside_locks(World& world, bool is_mended) {
  Mutex lock(world, "lock");
  Shared<int> variable(world, 0, "variable");
  Thread one = world.thread("one", [&] {
    if (!is_mended) variable.store(1);
    Lock held(lock);
    if (is_mended) variable.store(1);
  });
  Thread other = world.thread("other", [&] {
    {
      Lock held(lock);
      if (is_mended) variable.store(2);
    }
    if (!is_mended) variable.store(2);
  });
  one.join();
  other.join();
}

/// What the detector finds and explains in the run that nothing disturbs.
std::vector<Finding> found_by(const std::string& name, bool is_mended) {
  const Program program = [is_mended](World& world) { write_beside_locks(world, is_mended); };
  Simulation simulation({});
  const std::unique_ptr<Detector> detector = make_detector(name);
  UndisturbedChooser chooser;
  Observer* const watching[] = {detector.get()};
  simulation.run(program, chooser, watching);
  IsolatedReruns reruns(simulation.options(), program, /*isolate=*/false);
  detector->examine(reruns);
  detector->explain(reruns);
  return detector->findings();
}

}  // namespace

TEST_CASE("sync-preserving: finds and confirms what happens-before misses in the same run") {
  CHECK(found_by("fasttrack", false).empty());
  CHECK(found_by("recplay", false).empty());
  const std::vector<Finding> found = found_by("sync-preserving", false);
  REQUIRE(found.size() == 1);
  CHECK(found[0].title() == "data_race (other order)");
  CHECK(found[0].confirmation == Confirmation::confirmed);
  REQUIRE(found[0].where.size() == 2);
  CHECK(found[0].where[0].task == "other");
  CHECK(found[0].where[1].task == "one");
  CHECK(found_by("sync-preserving", true).empty());
}

TEST_CASE("hybrid: what it finds is confirmed where a run shows it") {
  const std::vector<Finding> found = found_by("hybrid", false);
  REQUIRE(found.size() == 1);
  CHECK(found[0].confirmation == Confirmation::confirmed);
  CHECK(found[0].notes.back() ==
        "either order gives the same output; what is left there differs: 2 or 1");
  CHECK(found_by("hybrid", true).empty());
}

}  // namespace orrery
