// Which read has read from which write, and when there is no order that fits.
#include "linkages/linkage_inference.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "linkages/read_log.hpp"

namespace {

using orrery::AccessRecords;
using orrery::TaskId;
using orrery::detail::LinkageInference;
using orrery::detail::ReadLog;

using Turns = std::vector<AccessRecords::Turns>;

/// Accesses of a run, one operation after the other of each task.
class Told {
 public:
  explicit Told(const AccessRecords& records) : records_(records) { inference_.begin(records_); }

  void write(std::uint32_t task, std::uint32_t variable, std::uint64_t value) {
    inference_.write(next(task, variable));
    inference_.set_written(variable, value);
  }
  std::uint64_t read(std::uint32_t task, std::uint32_t variable, std::uint64_t value,
                     std::uint64_t writes) {
    const auto found = inference_.read(next(task, variable), writes, value);
    REQUIRE(found.has_value());
    return found->value;
  }
  std::uint64_t read_exact(std::uint32_t task, std::uint32_t variable, std::uint64_t writes) {
    return inference_.read_exact(next(task, variable), writes).value;
  }
  LinkageInference::Access next(std::uint32_t task, std::uint32_t variable) {
    if (task >= operations_.size()) operations_.resize(task + 1);
    return {TaskId{task}, operations_[task]++, variable};
  }
  LinkageInference& inference() { return inference_; }

 private:
  AccessRecords records_;
  LinkageInference inference_;
  std::vector<std::uint64_t> operations_;
};

AccessRecords two_variables(std::vector<std::uint32_t> groups = {}) {
  AccessRecords records;
  records.reads = AccessRecords::Reads::by_bound;
  records.variables = 2;
  records.groups = std::move(groups);
  records.orders.resize(records.groups.empty() ? 2 : 1);
  return records;
}

constexpr std::uint32_t x = 0;
constexpr std::uint32_t y = 1;

/// A random run of four tasks at five variables, whose reads have bounds that are late by up to so
/// many writes, but not behind their task's next access.
class LateReads {
 public:
  explicit LateReads(std::uint64_t late_max) : late_max_(late_max) {}

  void run(std::uint64_t accesses) {
    for (std::uint64_t i = 0; i < accesses; ++i) access();
    for (std::uint32_t task = 0; task < tasks; ++task) end_read(task);
  }
  LinkageInference& inference() { return told_.inference(); }

 private:
  static constexpr std::uint32_t tasks = 4;
  static constexpr std::uint32_t variables = 5;
  struct Variable {
    std::uint64_t value = 0;
    std::uint64_t writes = 0;
  };
  struct Read {
    std::uint32_t variable = 0;
    Variable seen = {};
    bool is_open = false;
  };

  static AccessRecords records() {
    AccessRecords records;
    records.reads = AccessRecords::Reads::by_bound;
    records.variables = variables;
    records.orders.resize(variables);
    return records;
  }
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(draw_() % limit); }
  void access() {
    const std::uint32_t task = below(tasks);
    const std::uint32_t variable = below(variables);
    end_read(task);
    if (below(2) == 0) {
      reads_[task] = {variable, memory_[variable], true};
    } else {
      write(task, variable);
    }
  }
  void write(std::uint32_t task, std::uint32_t variable) {
    Variable& memory = memory_[variable];
    for (std::uint32_t other = 0; other < tasks; ++other) {
      const Read& read = reads_[other];
      if (read.variable == variable && memory.writes - read.seen.writes == late_max_) {
        end_read(other);
      }
    }
    memory = {below(50), memory.writes + 1};
    told_.write(task, variable, memory.value);
  }
  void end_read(std::uint32_t task) {
    Read& read = reads_[task];
    if (!read.is_open) return;
    read.is_open = false;
    told_.read(task, read.variable, read.seen.value, memory_[read.variable].writes);
  }

  std::uint64_t late_max_;
  std::mt19937_64 draw_{7};
  Told told_{records()};
  std::array<Variable, variables> memory_ = {};
  std::array<Read, tasks> reads_ = {};
};

}  // namespace

TEST_CASE("the example of the paper: four threads, and bounds behind what was read") {
  // t1: s1 writes y.  t2: s2 writes x, s3 writes x, s4 and s5 write y.  t3: s6 reads y and s7 x.
  // t4: s8 reads x, s9 reads y.  The bounds of s8 and s9 are later than what they have read.
  Told told(two_variables());
  told.write(1, y, 1);                // s1: version 1 of y
  told.write(2, x, 1);                // s2: version 1 of x
  told.write(2, x, 2);                // s3: version 2
  told.write(2, y, 2);                // s4: version 2 of y
  told.write(2, y, 0);                // s5: version 3
  CHECK(told.read(3, y, 0, 3) == 0);  // s6, from s5
  CHECK(told.read(3, x, 2, 2) == 2);  // s7, from s3
  CHECK(told.read(4, x, 1, 2) == 1);  // s8, from s2
  CHECK(told.read(4, y, 2, 3) == 2);  // s9, from s4
  CHECK(told.inference().read_count() == 4);
  CHECK(told.inference().comparisons() == 6);  // two were one write behind their bounds
  const auto result = told.inference().finish();
  REQUIRE(result.contradiction == "");
  const TaskId t1{1}, t2{2}, t3{3}, t4{4};
  CHECK(result.orders[x] == Turns{{t2, 1}, {t4, 1}, {t2, 1}, {t3, 1}});
  CHECK(result.orders[y] == Turns{{t1, 1}, {t2, 1}, {t4, 1}, {t2, 1}, {t3, 1}});
}

TEST_CASE("of several writes with a value the last one within the bound is taken") {
  Told told(two_variables());
  told.write(1, x, 7);
  told.write(1, x, 8);
  told.write(1, x, 7);
  told.write(1, x, 7);
  told.read(2, x, 7, 3);
  CHECK(told.inference().comparisons() == 1);
  CHECK(told.inference().finish().orders[x] ==
        Turns{{TaskId{1}, 3}, {TaskId{2}, 1}, {TaskId{1}, 1}});
}

TEST_CASE("what a search looks at grows as its reads do, and by as much as bounds are late") {
  for (const std::uint64_t late_max : {0, 1, 3, 10}) {
    std::uint64_t last = 0;
    for (const std::uint64_t accesses : {5'000, 10'000, 20'000, 40'000}) {
      CAPTURE(late_max, accesses);
      LateReads reads(late_max);
      reads.run(accesses);
      const std::uint64_t comparisons = reads.inference().comparisons();
      CHECK(comparisons >= reads.inference().read_count());
      CHECK(comparisons <= (late_max + 1) * reads.inference().read_count());
      // Twice the log, twice the work: were it the square, it would be four times.
      if (last != 0) CHECK(comparisons < last * 22 / 10);
      last = comparisons;
      CHECK(reads.inference().finish().contradiction == "");
    }
  }
}

TEST_CASE("what was there before all writes can be read") {
  Told told(two_variables());
  told.inference().set_initial(x, 5);
  told.write(1, x, 6);
  CHECK(told.read(2, x, 5, 1) == 5);
  CHECK(told.inference().finish().orders[x] == Turns{{TaskId{2}, 1}, {TaskId{1}, 1}});
}

TEST_CASE("a value that nobody wrote within the bound is found nowhere") {
  Told told(two_variables());
  told.write(1, x, 6);
  told.write(1, x, 9);
  CHECK_FALSE(told.inference().read(told.next(2, x), 1, 9).has_value());
}

TEST_CASE("store buffering is found as a cycle, with its edges") {
  // Each thread writes one variable and still reads the other as it was: no order does that.
  Told told(two_variables());
  told.write(1, x, 1);
  told.write(2, y, 1);
  told.read(1, y, 0, 1);
  told.read(2, x, 0, 1);
  const std::string why = told.inference().finish().contradiction;
  CHECK_THAT(why, Catch::Contains("operation 1 of task 1 is before its operation 2"));
  CHECK_THAT(why, Catch::Contains("operation 2 of task 1 reads variable 1 as it was before "
                                  "operation 1 of task 2 wrote to it"));
  CHECK_THAT(why, Catch::Contains("operation 1 of task 2 is before its operation 2"));
  CHECK_THAT(why, Catch::Contains("operation 2 of task 2 reads variable 0 as it was before "
                                  "operation 1 of task 1 wrote to it"));
  // With one of the reads later there is one.
  Told mended(two_variables());
  mended.write(1, x, 1);
  mended.write(2, y, 1);
  mended.read(1, y, 0, 1);
  mended.read(2, x, 1, 1);
  CHECK(mended.inference().finish().contradiction == "");
}

TEST_CASE("who has waited for a writer's end and still reads what was there before is a cycle") {
  Told told(two_variables());
  told.write(2, y, 1);
  told.read(1, y, 0, 1);
  told.inference().come_behind_task(TaskId{1}, TaskId{2});
  CHECK(LinkageInference(told.inference()).finish().contradiction == "");
  told.read(1, y, 0, 1);
  CHECK_THAT(told.inference().finish().contradiction, Catch::Contains("began or went on behind"));
}

TEST_CASE("who was started behind an end comes behind it, with no access in between") {
  Told told(two_variables());
  told.write(2, y, 1);
  told.inference().come_behind_task(TaskId{1}, TaskId{2});
  told.inference().come_behind_task(TaskId{3}, TaskId{1});
  told.read(3, y, 0, 1);
  CHECK(told.inference().finish().contradiction != "");
}

TEST_CASE("in a group a read finds the last write to its own variable") {
  Told told(two_variables({0, 0}));
  told.write(1, x, 3);
  told.write(1, y, 3);
  told.write(1, y, 4);
  CHECK(told.read_exact(2, x, 3) == 3);
  CHECK(told.read_exact(2, y, 2) == 3);
  CHECK(told.read(2, y, 4, 3) == 4);
  const auto result = told.inference().finish();
  CHECK(result.orders[x] == Turns{{TaskId{1}, 1}, {TaskId{2}, 1}});
  CHECK(result.orders[y] == Turns{{TaskId{1}, 1}, {TaskId{2}, 1}, {TaskId{1}, 1}, {TaskId{2}, 1}});
}

TEST_CASE("reads without bounds are placed as early as their values allow") {
  AccessRecords records = two_variables({0, 0});
  records.reads = AccessRecords::Reads::by_value;
  const TaskId reader{2};
  Told told(records);
  LinkageInference& inference = told.inference();
  CHECK_FALSE(inference.can_read(reader, x, 1));
  told.write(1, x, 1);
  told.write(1, x, 2);
  told.write(1, y, 5);
  told.write(1, x, 1);
  CHECK(inference.can_read(reader, x, 1));
  inference.read_first(told.next(2, x), 1);  // between the first two writes
  CHECK(inference.can_read(reader, y, 0));
  inference.read_first(told.next(2, y), 0);
  inference.read_first(told.next(2, y), 5);
  inference.read_first(told.next(2, x), 1);  // behind y: the last one
  const auto result = inference.finish();
  REQUIRE(result.contradiction == "");
  CHECK(result.orders[x] == Turns{{TaskId{1}, 1}, {TaskId{2}, 1}, {TaskId{1}, 2}, {TaskId{2}, 1}});
  CHECK(result.orders[y] == Turns{{TaskId{2}, 1}, {TaskId{1}, 1}, {TaskId{2}, 1}});
  // Nobody has left 2 there from then on.
  CHECK_FALSE(inference.can_read(reader, x, 2));
}

TEST_CASE("who has read one word of a write of two comes behind both") {
  AccessRecords records = two_variables({0, 0});
  records.reads = AccessRecords::Reads::by_value;
  Told told(records);
  LinkageInference& inference = told.inference();
  inference.set_initial(x, 0);
  inference.set_initial(y, 0);
  inference.write(told.next(1, x));
  inference.also_write(y);
  inference.set_written(x, 1);
  inference.set_written(y, 1);
  told.write(1, y, 0);
  inference.read_first(told.next(2, x), 1);
  inference.read_first(told.next(2, y), 0);  // the last one, not what was there at first
  const auto result = inference.finish();
  REQUIRE(result.contradiction == "");
  CHECK(result.orders[y] == Turns{{TaskId{1}, 2}, {TaskId{2}, 1}});
}

TEST_CASE("an even version that has not changed since needs no value") {
  ReadLog log;
  const auto kept = [&] {
    AccessRecords::Task task;
    log.add_to(task);
    return task;
  };
  log.read_within(/*group=*/0, /*bound=*/2, /*slot=*/0, 11);
  CHECK(kept().values.size() == 1);
  log.read_within(0, 2, 1, 12);  // another variable of the group
  CHECK(kept().values.size() == 1);
  CHECK(log.exact_count() == 1);
  log.read_within(0, 3, 0, 13);  // a write is under way: may be, may not be
  CHECK(kept().values.size() == 2);
  log.read_within(0, 3, 0, 14);  // the same, but odd
  CHECK(kept().values.size() == 3);
  log.wrote(0, 6);
  log.left(0, 15);
  log.read_within(0, 6, 0, 15);  // its own write
  CHECK(log.exact_count() == 2);
  log.read_within(0, 8, 0, 15);  // foretold
  log.read_within(0, 10, 0, 16);
  REQUIRE(kept().values.size() == 4);
  CHECK(kept().values.back() == AccessRecords::Value{1, 16});
  CHECK(kept().bounds == std::vector<AccessRecords::Bound>{{0, 2}, {1, 1}, {2, 2}, {0, 2}});
}
