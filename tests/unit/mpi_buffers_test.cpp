// The detector of accesses to memory that operations of MPI have: what it is told, and what it
// says.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/mpi_buffers.hpp>
#include <orrery/sim_runtime/names.hpp>

namespace orrery {
namespace {

class PlainNames final : public Names {
 public:
  [[nodiscard]] std::string task(TaskId task) const override {
    return "rank " + std::to_string(task.value);
  }
  [[nodiscard]] std::string object(ObjectId) const override { return {}; }
  [[nodiscard]] FindingPlace place(const SourceLocation& where) const override {
    FindingPlace place;
    place.file = "app.c";
    place.line = static_cast<std::uint32_t>(where.program_counter);
    return place;
  }
};

using Use = MemoryLoan::Use;

class Told {
 public:
  Told() { begin_run(); }
  void begin_run() {
    RunInfo info;
    info.names = &names_;
    detector.begin_run(info);
  }
  void lend(std::uint64_t number, Use use, const std::vector<AddressRange>& ranges,
            ProgramCounter line = 100) {
    const SourceLocation where = SourceLocation::at(line);
    MemoryLoan loan;
    loan.number = number;
    loan.use = use;
    loan.ranges = ranges;
    loan.base = ranges.front().begin;
    loan.finding_class = use == Use::updates ? "conflicting accesses" : "buffer in use";
    loan.operation = "MPI_Isend";
    loan.owner = "rank 1's part of a window";
    loan.role = "started here";
    loan.ends_by = "a wait or a test completes it";
    loan.section = "3.7.2";
    loan.where = &where;
    detector.on_lent(loan);
  }
  void give_back(std::uint64_t number, ProgramCounter line = 300) {
    const SourceLocation where = SourceLocation::at(line);
    detector.on_returned(number, TaskId{1}, "MPI_Wait", line == 0 ? nullptr : &where);
  }
  /// Is it found?  Each access has a line of its own.
  bool is_found(Address address, std::uint32_t bytes, AccessKind kind) {
    const std::size_t before = detector.findings().size();
    detector.on_access(TaskId{1}, {address, bytes, kind, ++line_});
    return detector.findings().size() > before;
  }
  bool reads(Address address, std::uint32_t bytes) {
    return is_found(address, bytes, AccessKind::read);
  }
  bool writes(Address address, std::uint32_t bytes) {
    return is_found(address, bytes, AccessKind::write);
  }

  MpiBuffers detector;

 private:
  PlainNames names_;
  ProgramCounter line_ = 1000;
};

TEST_CASE("What is read may be read, what is written must be left alone, byte by byte") {
  Told told;
  told.lend(1, Use::reads, {{0x1000, 0x1010}});
  told.lend(2, Use::writes, {{0x2000, 0x2010}});
  told.lend(3, Use::updates, {{0x3000, 0x3010}});
  CHECK_FALSE(told.reads(0x1000, 8));
  CHECK(told.writes(0x1000, 8));
  CHECK(told.reads(0x2008, 8));
  CHECK(told.writes(0x200f, 1));
  CHECK_FALSE(told.reads(0x3000, 8));
  CHECK(told.writes(0x300f, 8));
  for (const Address page : {0x1000, 0x2000, 0x3000}) {
    CHECK_FALSE(told.writes(page - 8, 8));
    CHECK_FALSE(told.writes(page + 0x10, 8));
  }
}

TEST_CASE("Gaps between what is lent are free, and ranges come in any order") {
  Told told;
  told.lend(1, Use::writes, {{0x1020, 0x1024}, {0x1000, 0x1004}, {0x1010, 0x1014}});
  CHECK_FALSE(told.writes(0x1004, 12));
  CHECK_FALSE(told.writes(0x1014, 12));
  CHECK(told.writes(0x1004, 13));
  CHECK(told.reads(0x101c, 8));
  CHECK_FALSE(told.reads(0x1024, 4));
}

TEST_CASE("What was returned is free, and the next loan of it counts again") {
  Told told;
  told.lend(1, Use::writes, {{0x1000, 0x9000}});
  CHECK(told.reads(0x8ff8, 8));
  told.give_back(1);
  for (Address address = 0x1000; address < 0x9000; address += 0x800)
    CHECK_FALSE(told.writes(address, 8));
  told.lend(2, Use::reads, {{0x1000, 0x1008}});
  CHECK(told.writes(0x1000, 1));
  told.begin_run();
  CHECK_FALSE(told.writes(0x1000, 1));
}

TEST_CASE("Of several loans each counts as long as it lasts") {
  Told told;
  told.lend(1, Use::reads, {{0x1000, 0x1008}});
  told.lend(2, Use::reads, {{0x1000, 0x1008}}, 200);
  told.give_back(1);
  CHECK(told.writes(0x1000, 4));
  CHECK(told.detector.findings().back().where.at(1).line == 200);
  told.give_back(2);
  CHECK_FALSE(told.writes(0x1000, 4));
}

TEST_CASE("A long access is seen wherever it meets a loan") {
  Told told;
  told.lend(1, Use::writes, {{0x5800, 0x5801}});
  CHECK(told.reads(0x1000, 0x7000));
  CHECK_FALSE(told.reads(0x1000, 0x4800));
  CHECK(told.reads(0x1000, 0x4801));
}

TEST_CASE("Memory that is given back takes its loans along") {
  Told told;
  told.lend(1, Use::writes, {{0x1000, 0x1010}});
  told.lend(2, Use::writes, {{0x1ff8, 0x2008}});
  told.detector.on_freed(0x1000, 0x1000);
  CHECK_FALSE(told.writes(0x1000, 8));
  CHECK(told.writes(0x2000, 8));
  told.give_back(1);
}

TEST_CASE("Many loans, and loans at places that share one in the table, go as they came") {
  Told told;
  constexpr Address stride = Address{1} << 26U;
  for (std::uint64_t i = 0; i < 1000; ++i)
    told.lend(i + 1, Use::writes, {{0x1000 + i * stride, 0x1008 + i * stride}});
  CHECK(told.writes(0x1000 + 999 * stride, 8));
  for (std::uint64_t i = 0; i < 999; ++i) told.give_back(i + 1);
  CHECK_FALSE(told.writes(0x1000, 8));
  CHECK(told.writes(0x1004 + 999 * stride, 1));
  told.give_back(1000);
  CHECK_FALSE(told.writes(0x1000 + 999 * stride, 8));
}

TEST_CASE("One finding a pair of lines says how the operation ended") {
  Told told;
  told.lend(1, Use::reads, {{0x1000, 0x1010}});
  const MemoryAccess access(0x1004, 4, AccessKind::write, 7);
  told.detector.on_access(TaskId{1}, access);
  told.detector.on_access(TaskId{1}, access);
  REQUIRE(told.detector.findings().size() == 1);
  CHECK_THAT(told.detector.findings()[0].message, Catch::EndsWith("; no call has completed it"));
  told.give_back(1);
  told.lend(2, Use::reads, {{0x1000, 0x1010}});
  told.detector.on_access(TaskId{1}, access);
  told.give_back(2);
  const auto findings = told.detector.findings();
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0].message, Catch::EndsWith("; MPI_Wait has completed it"));
  CHECK(findings[0].title() == "mpi_usage (buffer in use)");
  REQUIRE(findings[0].where.size() == 3);
  CHECK(findings[0].where[0].role == "writes here");
  CHECK(findings[0].where[1].role == "started here");
  CHECK(findings[0].where[2].role == "completed here");
}

TEST_CASE(
    "An operation that no call of the program completes is not said to be under way for ever") {
  Told told;
  told.lend(1, Use::reads, {{0x1000, 0x1010}});
  CHECK(told.writes(0x1000, 1));
  told.give_back(1, 0);
  CHECK_THAT(told.detector.findings()[0].message, Catch::EndsWith("(MPI 3.1, section 3.7.2)"));
}

TEST_CASE(
    "An access that is told replaces what a call found of the same operation, and nothing else") {
  Told told;
  told.lend(1, Use::reads, {{0x1000, 0x1010}});
  CHECK(told.writes(0x1000, 1));
  const std::vector<Finding> accesses = told.detector.findings();
  Finding at_the_end{FindingKind::mpi_usage, "the buffer has been changed", {}, "buffer in use"};
  at_the_end.where.push_back({"app.c", 300, "", "rank 1", "failed here", {}});
  at_the_end.where.push_back({"app.c", 100, "", "rank 1", "started here", {}});
  Finding another = at_the_end;
  another.where[1].line = 101;
  Finding of_another_class = at_the_end;
  of_another_class.class_name = "overlapping buffers";
  Outcome outcome;
  outcome.findings = {at_the_end, another, of_another_class};
  add_findings(outcome, accesses);
  REQUIRE(outcome.findings.size() == 3);
  CHECK(outcome.findings[0].where[1].line == 101);
  CHECK(outcome.findings[1].class_name == "overlapping buffers");
  CHECK(is_access_to_lent_memory(outcome.findings[2]));
  CHECK(outcome.status == Outcome::Status::finding);
  CHECK(detector_of(outcome.findings[2])->name == "mpi_buffers");
  CHECK(detector_of(at_the_end) == nullptr);
}

}  // namespace
}  // namespace orrery
