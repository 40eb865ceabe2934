// Data races in plain memory, and fences: what instrumented programs will tell.
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/fasttrack.hpp>

#include "number_names.hpp"

namespace orrery {
namespace {

/// A run with a root task and two children, of which only what is told is known.
class Told {
 public:
  Told() {
    RunInfo info;
    info.names = &names_;
    detector.begin_run(info);
    const TaskId root{0};
    detector.on_task(root, {});
    detector.on_task({1}, {&root, 1});
    detector.on_task({2}, {&root, 1});
  }
  void read(std::uint32_t task, Address address, std::uint32_t bytes, ProgramCounter line) {
    access(task, {address, bytes, AccessKind::read, line});
  }
  void write(std::uint32_t task, Address address, std::uint32_t bytes, ProgramCounter line) {
    access(task, {address, bytes, AccessKind::write, line});
  }
  void access(std::uint32_t task, const MemoryAccess& access) {
    detector.on_accesses({task}, {&access, 1});
  }
  void atomic(std::uint32_t task, OperationKind kind, MemoryOrder order) {
    Event event;
    event.id = {{task}, ++operations_};
    event.kind = kind;
    event.order = order;
    event.object = {{0}, 1};
    detector.on_event(event);
  }
  /// As `12-34`: the line of the later access, then of the earlier.
  [[nodiscard]] std::vector<std::string> races() const {
    std::vector<std::string> lines;
    for (const Finding& finding : detector.findings()) {
      lines.push_back(std::to_string(finding.where[0].line) + "-" +
                      std::to_string(finding.where[1].line));
    }
    return lines;
  }

  FastTrack detector;

 private:
  test::NumberNames names_;
  std::uint32_t operations_ = 0;
};

using Lines = std::vector<std::string>;
using Kind = OperationKind;

}  // namespace

TEST_CASE("accesses to the same bytes race, neighbours do not") {
  Told told;
  told.write(1, 0x1000, 4, 10);
  told.write(2, 0x1004, 4, 20);
  told.read(2, 0x0ffc, 4, 21);
  CHECK(told.races().empty());
  told.read(2, 0x1003, 1, 22);
  CHECK(told.races() == Lines{"22-10"});
}

TEST_CASE("a large access and a small one race where they overlap, over words and pages") {
  Told told;
  told.write(1, 0x1ff5, 3, 10);
  told.write(1, 0x1fff, 1, 11);
  told.write(1, 0x2003, 1, 12);
  told.write(2, 0x1ff8, 7, 20);  // between them
  CHECK(told.races().empty());
  told.read(2, 0x1ff0, 32, 21);
  CHECK(told.races() == Lines{"21-10", "21-11", "21-12"});
}

TEST_CASE("parts of a word keep what the whole word saw") {
  Told told;
  told.write(0, 0x1000, 8, 1);  // after both children were started
  told.read(1, 0x1002, 2, 10);
  CHECK(told.races() == Lines{"10-1"});
  told.write(2, 0x1003, 1, 20);
  CHECK(told.races() == Lines{"10-1", "20-1", "20-10"});
  told.write(2, 0x1006, 2, 21);
  CHECK(told.races() == Lines{"10-1", "20-1", "20-10", "21-1"});
}

TEST_CASE("a loop that races a thousand times is one finding, and the next run begins anew") {
  Told told;
  for (Address i = 0; i < 1000; ++i) told.write(1, 0x1000 + 8 * i, 8, 10);
  for (Address i = 0; i < 1000; ++i) told.write(2, 0x1000 + 8 * i, 8, 20);
  CHECK(told.races() == Lines{"20-10"});
  CHECK(told.detector.findings()[0].message == "nothing orders two accesses to memory (8 bytes)");
  const test::NumberNames names;
  RunInfo info;
  info.names = &names;
  told.detector.begin_run(info);
  CHECK(told.races().empty());
  told.write(2, 0x1000, 8, 20);
  CHECK(told.races().empty());
}

TEST_CASE("fences order by relaxed accesses, and each side needs its own") {
  for (const bool fences_writer : {false, true}) {
    for (const bool fences_reader : {false, true}) {
      CAPTURE(fences_writer, fences_reader);
      Told told;
      told.write(1, 0x1000, 4, 10);
      if (fences_writer) told.atomic(1, Kind::fence, MemoryOrder::release);
      told.atomic(1, Kind::write, MemoryOrder::relaxed);
      told.atomic(2, Kind::read, MemoryOrder::relaxed);
      if (fences_reader) told.atomic(2, Kind::fence, MemoryOrder::acquire);
      told.read(2, 0x1000, 4, 20);
      CHECK(told.races().empty() == (fences_writer && fences_reader));
    }
  }
}

TEST_CASE("what a task does after it has released is not ordered before who acquires") {
  Told told;
  told.atomic(1, Kind::write, MemoryOrder::release);
  told.write(1, 0x1000, 4, 10);
  told.atomic(2, Kind::read, MemoryOrder::acquire);
  told.read(2, 0x1000, 4, 20);
  CHECK(told.races() == Lines{"20-10"});
}

TEST_CASE("a task that takes the place of crashed ones knows what they did") {
  Told told;
  told.write(1, 0x1000, 4, 10);
  told.write(2, 0x2000, 4, 20);
  const TaskId crashed[] = {{1}, {2}};
  told.detector.on_task({3}, crashed);
  told.write(3, 0x1000, 4, 30);
  told.write(3, 0x2000, 4, 31);
  CHECK(told.races().empty());
  told.write(2, 0x2000, 4, 21);
  CHECK(told.races() == Lines{"21-31"});
}

TEST_CASE("epochs that nobody needs any more are forgotten, the others are not") {
  constexpr int many = 1'200'000;  // more than are kept without a look
  Told told;
  told.write(1, 0x1000, 8, 10);
  told.read(1, 0x2000, 4, 11);
  told.read(2, 0x2000, 4, 12);
  told.write(2, 0x3001, 1, 13);
  for (int i = 0; i < many; ++i) {
    told.write(0, 0x5000, 8, 40);
    told.atomic(0, Kind::write, MemoryOrder::release);
  }
  CHECK(told.races().empty());
  told.read(2, 0x1000, 8, 20);
  told.write(0, 0x2000, 4, 21);
  told.read(1, 0x3000, 8, 22);
  CHECK(told.races() == Lines{"20-10", "21-11", "21-12", "22-13"});
}

namespace {

/// What happened before what, and what raced, byte by byte and without any thrift.
class Reference {
 public:
  static constexpr std::size_t tasks = 3;
  void synchronise(std::size_t task) {
    for (std::size_t i = 0; i < tasks; ++i) {
      clocks_[task][i] = published_[i] = std::max(clocks_[task][i], published_[i]);
    }
    ++clocks_[task][task];
  }
  void access(std::size_t task, Address address, std::uint32_t bytes, bool writes) {
    for (Address at = address; at < address + bytes; ++at) {
      for (const Past& past : pasts_[at]) {
        const bool is_ordered = past.clock <= clocks_[task][past.task];
        has_race |= (past.writes || writes) && past.task != task && !is_ordered;
      }
      pasts_[at].push_back({task, clocks_[task][task], writes});
    }
  }
  void forget(Address address, std::size_t bytes) {
    for (Address at = address; at < address + bytes; ++at) pasts_[at].clear();
  }
  bool has_race = false;

 private:
  struct Past {
    std::size_t task;
    int clock;
    bool writes;
  };
  std::array<std::array<int, tasks>, tasks> clocks_{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::array<int, tasks> published_{};
  std::map<Address, std::vector<Past>> pasts_;
};

}  // namespace

TEST_CASE("accesses of all sizes race where they do byte by byte, and nowhere else") {
  std::mt19937 random(7);  // the same numbers everywhere
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  constexpr Address begin = 0x1fe0;  // the end of a page, and the beginning of the next
  int races = 0;
  for (int program = 0; program < 3000; ++program) {
    CAPTURE(program);
    Told told;
    // So that nothing orders the three but what follows.
    for (std::uint32_t task = 0; task < Reference::tasks; ++task)
      told.write(task, 0x9000 + 64 * task, 8, 1);
    Reference reference;
    for (int i = 0; i < 24 && !reference.has_race; ++i) {
      const std::uint32_t task = below(Reference::tasks);
      const std::uint32_t what = below(10);
      if (what < 4) {
        told.atomic(task, Kind::read_modify_write, MemoryOrder::acq_rel);
        reference.synchronise(task);
        continue;
      }
      if (what == 4) {
        const Address block = begin + 8 * below(7);
        told.detector.on_freed(block, 8);
        reference.forget(block, 8);
        continue;
      }
      const std::uint32_t bytes = below(4) == 0 ? 1 + below(24) : 1U << below(5);
      const Address address = begin + below(64) / bytes * bytes;
      const bool writes = below(3) == 0;
      reference.access(task, address, bytes, writes);
      if (writes) {
        told.write(task, address, bytes, static_cast<ProgramCounter>(100 + i));
      } else {
        told.read(task, address, bytes, static_cast<ProgramCounter>(100 + i));
      }
      REQUIRE(told.races().empty() != reference.has_race);
    }
    races += reference.has_race ? 1 : 0;
  }
  // Both kinds of programs were tried.
  CHECK(races > 500);
  CHECK(races < 2900);
}

}  // namespace orrery
