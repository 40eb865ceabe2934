// Data races in plain memory, and fences: what instrumented programs will tell.
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/fasttrack.hpp>
#include <orrery/sim_runtime/names.hpp>

namespace orrery {
namespace {

class PlainNames final : public Names {
 public:
  [[nodiscard]] std::string task(TaskId task) const override {
    return "task " + std::to_string(task.value);
  }
  [[nodiscard]] std::string object(ObjectId object) const override {
    return "object " + std::to_string(object.number);
  }
  [[nodiscard]] FindingPlace place(const SourceLocation& where) const override {
    FindingPlace place;
    place.file = "app.cpp";
    place.line = static_cast<std::uint32_t>(where.program_counter);
    return place;
  }
};

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
  PlainNames names_;
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
  const PlainNames names;
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

}  // namespace orrery
