// What RecPlay keeps and compares, and that it finds what FastTrack finds.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "number_names.hpp"
#include "watched_programs.hpp"

namespace orrery {
namespace {

/// A run of which only what is told is known; it can be told once more, to whoever wants to see it.
class ToldRun final : public Reruns {
 public:
  explicit ToldRun(const std::string& name) : detector(make_detector(name)) { begin(*detector); }
  void access(std::uint32_t task, Address address, std::uint32_t bytes, bool writes,
              ProgramCounter line) {
    const AccessKind kind = writes ? AccessKind::write : AccessKind::read;
    tell([=](Observer& one) {
      const MemoryAccess access{address, bytes, kind, line};
      one.on_accesses({task}, {&access, 1});
    });
  }
  void begin_task(std::uint32_t task) {
    tell([=](Observer& one) { one.on_task({task}, {}); });
  }
  /// `task` learns what all who did so before it did, and they who do it after it what it did.
  void synchronise(std::uint32_t task, std::uint32_t object = 1) {
    Event event;
    event.id = {{task}, ++operations_};
    event.kind = OperationKind::read_modify_write;
    event.order = MemoryOrder::acq_rel;
    event.object = {{0}, object};
    tell([=](Observer& one) { one.on_event(event); });
  }
  void free(Address address, std::uint64_t bytes) {
    tell([=](Observer& one) { one.on_freed(address, bytes); });
  }
  void end() {
    detector->end_run({});
    detector->examine(*this);
  }
  Result run(const Body& body) override {
    Result result;
    body(
        [this](Chooser&, Observer& observer, Schedule*, RunExtent) {
          begin(observer);
          for (const auto& one : told_) one(observer);
          observer.end_run({});
          return Outcome{};
        },
        [&](const std::string& text) { result.told.push_back(text); });
    return result;
  }
  /// As `12-34`: the line of the later access, then of the earlier.
  [[nodiscard]] std::set<std::string> races() const {
    std::set<std::string> lines;
    for (const Finding& finding : detector->findings()) {
      REQUIRE(finding.where.size() == 2);
      lines.insert(std::to_string(finding.where[0].line) + "-" +
                   std::to_string(finding.where[1].line));
    }
    return lines;
  }
  [[nodiscard]] std::uint64_t count(std::string_view name) const {
    for (const auto& [known, count] : detector->counts()) {
      if (known == name) return count;
    }
    FAIL("no count of that name");
    return 0;
  }

  const std::unique_ptr<Detector> detector;

 private:
  void begin(Observer& observer) {
    RunInfo info;
    info.names = &names_;
    observer.begin_run(info);
    const TaskId root{0};
    observer.on_task(root, {});
    observer.on_task({1}, {&root, 1});
    observer.on_task({2}, {&root, 1});
  }
  template <typename What>
  void tell(const What& what) {
    what(*detector);
    told_.push_back(what);
  }

  test::NumberNames names_;
  std::vector<std::function<void(Observer&)>> told_;
  std::uint32_t operations_ = 0;
};

using Lines = std::set<std::string>;

}  // namespace

TEST_CASE("recplay: the same bytes race, a neighbour of another byte does not") {
  ToldRun told("recplay");
  told.access(1, 0x1000, 4, true, 10);
  told.access(2, 0x1004, 4, true, 20);
  told.access(2, 0x0fff, 1, true, 21);
  told.end();
  CHECK(told.detector->findings().empty());

  ToldRun overlapping("recplay");
  overlapping.access(1, 0x13fc, 8, true, 10);  // over the end of a leaf of the bitmap
  overlapping.access(2, 0x1402, 1, false, 20);
  overlapping.access(2, 0x10000, 1, false, 21);
  overlapping.end();
  CHECK(overlapping.races() == Lines{"20-10"});
  CHECK(overlapping.detector->findings()[0].message ==
        "nothing orders two accesses to memory (1 byte)");
}

TEST_CASE("recplay: what was given back between two accesses does not race, what was not does") {
  ToldRun told("recplay");
  told.access(1, 0x1000, 16, true, 10);
  told.free(0x1000, 8);
  told.access(2, 0x1000, 8, true, 20);
  told.end();
  CHECK(told.races().empty());

  ToldRun raced("recplay");
  raced.access(1, 0x1000, 8, true, 10);
  raced.access(2, 0x1000, 8, true, 20);  // both before it is given back
  raced.free(0x1000, 8);
  raced.end();
  CHECK(raced.races() == Lines{"20-10"});
}

TEST_CASE("recplay: both sides of a hand-over, whose clocks differ by the tick alone") {
  // The paper's >= and <= would call the first pair parallel here, where clocks tick late.
  ToldRun ordered("recplay");
  ordered.access(1, 0x1000, 4, true, 10);
  ordered.synchronise(1);
  ordered.synchronise(2);
  ordered.access(2, 0x1000, 4, true, 20);
  ordered.end();
  CHECK(ordered.races().empty());

  ToldRun after("recplay");
  after.synchronise(1);
  after.access(1, 0x1000, 4, true, 10);
  after.synchronise(2);
  after.access(2, 0x1000, 4, true, 20);
  after.end();
  CHECK(after.races() == Lines{"20-10"});
}

TEST_CASE("recplay: obsolete segments go, and none that is still needed") {
  const auto rounds = [](ToldRun& told) {
    for (int round = 0; round < 50; ++round) {
      for (std::uint32_t task = 0; task < 3; ++task) {
        told.access(task, 0x1000 + 64 * task, 8, true, 10 + task);
        told.synchronise(task);
      }
    }
    told.access(1, 0x5000, 4, true, 30);
    for (int round = 0; round < 20; ++round) {
      told.synchronise(0);
      told.access(0, 0x2000, 8, true, 40);
    }
    told.access(2, 0x5000, 4, true, 50);
    told.end();
  };
  ToldRun with("recplay");
  rounds(with);
  ToldRun without("recplay:matrix_clocks=no");
  rounds(without);
  CHECK(with.races() == without.races());
  CHECK(with.races() == Lines{"50-30"});
  CHECK(with.count("segments") == without.count("segments"));
  CHECK(with.count("segments_compared") == without.count("segments_compared"));
  CHECK(without.count("segments_held_max") == without.count("segments"));
  CHECK(with.count("segments_held_max") < with.count("segments") / 3);
  CHECK(with.count("segments_needed_max") <= with.count("segments_held_max"));
  CHECK(with.count("segments_needed_max") == without.count("segments_needed_max"));
}

TEST_CASE("recplay: the race frontier is the point of each task before it first races") {
  ToldRun told("recplay");
  told.synchronise(1);                  // operation 1
  told.access(1, 0x1000, 4, true, 10);  // races
  told.synchronise(2, 2);               // operation 2
  told.synchronise(2, 2);               // operation 3
  told.access(2, 0x1000, 4, false, 20);
  told.synchronise(1, 3);
  told.access(1, 0x1000, 4, true, 11);
  told.end();
  CHECK(told.races() == Lines{"20-10", "11-20"});
  const std::vector<Finding> remarks = told.detector->remarks();
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].class_name == "race frontier");
  REQUIRE(remarks[0].where.size() == 2);
  CHECK(remarks[0].where[0].task == "task 1");
  CHECK(remarks[0].where[0].line == 10);
  CHECK(remarks[0].where[0].role == "would write here, after operation 1");
  CHECK(remarks[0].where[1].role == "would read here, after operation 3");
}

TEST_CASE("recplay: a run that cannot be done again is told without lines, and not guessed at") {
  ToldRun told("recplay");
  told.access(1, 0x1000, 4, true, 10);
  told.access(2, 0x1000, 4, false, 20);
  // As where a run dies: its end never comes.
  const std::vector<Finding> findings = told.detector->findings();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].where.empty());
  CHECK(
      findings[0].message.starts_with("nothing orders two accesses to memory (4 bytes): task 2 "
                                      "reads it, task 1 writes it (the lines are not known"));
}

namespace {

/// The printed test for parallel segments, for clocks that tick before a release is published.
bool are_parallel_as_printed(std::size_t x, const std::array<int, 3>& of_x, std::size_t y,
                             const std::array<int, 3>& of_y) {
  return (of_x[x] >= of_y[x] && of_x[y] <= of_y[y]) || (of_x[x] <= of_y[x] && of_x[y] >= of_y[y]);
}

struct TwoClocks {
  std::array<int, 3> late;   ///< ticks behind the release
  std::array<int, 3> early;  ///< ticks at each operation, before it is published
};

template <std::size_t size>
void join(std::array<int, size>& into, const std::array<int, size>& from) {
  for (std::size_t i = 0; i < size; ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

TEST_CASE("recplay: the printed test for parallel segments is right if clocks tick early") {
  std::mt19937 random(11);
  int differences_if_late = 0;
  for (int program = 0; program < 500; ++program) {
    std::array<TwoClocks, 3> tasks{};
    for (std::size_t i = 0; i < 3; ++i) tasks[i].late[i] = tasks[i].early[i] = 1;
    std::array<TwoClocks, 2> locks{};
    std::vector<std::pair<std::size_t, TwoClocks>> segments;
    for (int i = 0; i < 12; ++i) {
      const std::size_t task = random() % 3;
      TwoClocks& own = tasks[task];
      TwoClocks& lock = locks[random() % 2];
      segments.emplace_back(task, own);
      join(own.late, lock.late);
      join(own.early, lock.early);
      ++own.early[task];
      segments.emplace_back(task, own);
      join(lock.late, own.late);
      ++own.late[task];
      ++own.early[task];
      join(lock.early, own.early);
    }
    for (const auto& [x, of_x] : segments) {
      for (const auto& [y, of_y] : segments) {
        if (x == y) continue;
        const bool is_parallel = of_x.late[x] > of_y.late[x] && of_y.late[y] > of_x.late[y];
        REQUIRE(are_parallel_as_printed(x, of_x.early, y, of_y.early) == is_parallel);
        const bool as_printed = are_parallel_as_printed(x, of_x.late, y, of_y.late);
        differences_if_late += as_printed != is_parallel ? 1 : 0;
      }
    }
  }
  CHECK(differences_if_late > 100);
}

TEST_CASE("recplay and fasttrack call the same bytes racy, in random runs") {
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  int racy = 0;
  for (int program = 0; program < 1500; ++program) {
    CAPTURE(program);
    ToldRun fasttrack("fasttrack");
    ToldRun recplay(program % 2 == 0 ? "recplay" : "recplay:matrix_clocks=no");
    for (int i = 0; i < 30; ++i) {
      const std::uint32_t task = below(3);
      const std::uint32_t what = below(10);
      const std::uint32_t object = 1 + below(2);
      // One line for each variable, so that a finding says which.
      const std::uint32_t variable = below(5);
      const bool writes = below(3) == 0;
      for (ToldRun* const one : {&fasttrack, &recplay}) {
        if (what < 4) {
          one->synchronise(task, object);
        } else if (what == 4) {
          one->free(0x13e0 + 8 * variable, 8);
        } else {
          one->access(task, 0x13e0 + 8 * variable, 8, writes, 10 + variable);
        }
      }
    }
    fasttrack.end();
    recplay.end();
    REQUIRE(recplay.races() == fasttrack.races());
    racy += recplay.races().empty() ? 0 : 1;
  }
  CHECK(racy > 300);
  CHECK(racy < 1490);
}

// As replays do it: each of them runs for long, so that hundreds of segments are parallel at once.
TEST_CASE("recplay and fasttrack call the same bytes racy where tasks run one after another") {
  std::mt19937 random(9);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  constexpr std::uint32_t tasks = 4, variables = 120;
  int racy = 0;
  for (int program = 0; program < 60; ++program) {
    CAPTURE(program);
    ToldRun fasttrack("fasttrack");
    ToldRun recplay("recplay");
    ToldRun holding_all("recplay:matrix_clocks=no");
    for (std::uint32_t task = 0; task < tasks; ++task) {
      for (ToldRun* const one : {&fasttrack, &recplay, &holding_all}) {
        one->begin_task(task);
      }
    }
    const std::uint32_t strangers = below(3) == 0 ? 0 : 1 + below(800);
    for (std::uint32_t turn = 0; turn < 10; ++turn) {
      const std::uint32_t task = below(tasks);
      for (std::uint32_t i = below(150); i-- > 0;) {
        // Each has its own, most of the time; they lie side by side, several in one word.
        const bool is_own = strangers == 0 || below(strangers) != 0;
        const std::uint32_t variable =
            is_own ? below(variables / tasks) * tasks + task : below(variables);
        const std::uint32_t object = below(100) == 0 ? 1 : 10 + task;
        const bool is_freed = below(200) == 0, writes = below(2) == 0, is_long = below(300) == 0;
        for (ToldRun* const one : {&fasttrack, &recplay, &holding_all}) {
          const Address address = 0x7f0000001000 + 24 * variable;
          one->access(task, address, 24, writes, 10 + variable);
          // More than an index of words is worth while for.
          if (is_long) {
            for (Address at = 0; at < 100'000; at += 64) {
              one->access(task, 0x7f0000100000 + 0x100000 * task + at, 8, true, 5);
            }
          }
          if (is_freed) one->free(address, 24);
          one->synchronise(task, object);
        }
      }
    }
    for (ToldRun* const one : {&fasttrack, &recplay, &holding_all}) one->end();
    REQUIRE(recplay.races() == fasttrack.races());
    REQUIRE(holding_all.races() == fasttrack.races());
    for (const char* const count : {"segments", "segments_compared", "segments_needed_max"}) {
      CHECK(recplay.count(count) == holding_all.count(count));
    }
    CHECK(recplay.count("segments_held_max") >= recplay.count("segments_needed_max"));
    racy += recplay.races().empty() ? 0 : 1;
  }
  CHECK(racy > 15);
  CHECK(racy < 55);
}

namespace {

/// Threads that access variables with and without locks; the same for the same seed.
Program random_program(std::uint32_t seed) {
  return [seed](World& world) {
    std::vector<std::unique_ptr<Shared<int>>> data;
    for (int i = 0; i < 4; ++i) {
      data.push_back(std::make_unique<Shared<int>>(world, 0, "v" + std::to_string(i)));
    }
    Mutex one(world);
    Mutex other(world);
    Semaphore permits(world, 1);
    std::vector<Thread> threads;
    for (std::uint32_t task = 0; task < 3; ++task) {
      threads.push_back(world.thread("t" + std::to_string(task), [&, task] {
        std::mt19937 random(seed * 3 + task);
        for (int i = 0; i < 4; ++i) {
          const auto what = random() % 4;
          if (what == 0) one.lock();
          if (what == 1) other.lock();
          if (what == 2) permits.acquire();
          Shared<int>& variable = *data[random() % data.size()];
          random() % 2 == 0 ? variable.store(1) : static_cast<void>(variable.load());
          if (what == 0) one.unlock();
          if (what == 1) other.unlock();
          if (what == 2) permits.release();
        }
      }));
    }
  };
}

std::set<std::string> racy_variables(const std::string& detector, std::uint32_t seed) {
  SimulationOptions machine = ExploreOptions::any_order_simulation();
  machine.seed = seed;
  std::set<std::string> names;
  const auto findings = test::findings_under(detector, random_program(seed), 1, machine);
  for (const Finding& finding : findings) names.insert(finding.message.substr(0, 48));
  return names;
}

}  // namespace

TEST_CASE("recplay and fasttrack call random programs racy in the same runs") {
  int racy = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const bool is_racy = !racy_variables("fasttrack", seed).empty();
    CHECK(!racy_variables("recplay", seed).empty() == is_racy);
    racy += is_racy ? 1 : 0;
  }
  CHECK(racy > 20);
}

TEST_CASE("recplay refuses what it has no option for") {
  CHECK_THROWS_WITH(make_detector("recplay:matrix_clocks=maybe"), Catch::Contains("maybe"));
  CHECK_THROWS_WITH(make_detector("recplay:clocks=no"), Catch::Contains("clocks"));
  CHECK_THROWS_WITH(make_detector("eraser:matrix_clocks=no"), Catch::Contains("matrix_clocks"));
}

}  // namespace orrery
