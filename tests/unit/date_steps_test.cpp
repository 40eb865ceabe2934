// Which dates a clock shows to a program that is recorded.
#include "date_steps.hpp"

#include <cstdint>
#include <random>

#include <catch2/catch.hpp>

namespace {

using orrery::on_hardware::DateSteps;
using orrery::rank_spool::ClockRun;

/// A clock, and how many runs of equal steps its dates took.
class Clock {
 public:
  std::int64_t show(std::int64_t date_ns) {
    const std::int64_t shown = steps_.show(date_ns, run_);
    const std::int64_t step = shown - run_.date_ns;
    if (step != run_.step_ns || run_.count == 0) {
      ++runs_;
      run_.step_ns = step;
      run_.count = 0;
    }
    run_.date_ns = shown;
    ++run_.count;
    return shown;
  }
  [[nodiscard]] std::int64_t runs() const { return runs_; }

 private:
  DateSteps steps_;
  ClockRun run_{};
  std::int64_t runs_ = 0;
};

}  // namespace

TEST_CASE("dates that are read now and then are shown as they are") {
  Clock clock;
  std::minstd_rand random(1);
  std::int64_t date = 0;
  for (int i = 0; i < 10'000; ++i) {
    CHECK(clock.show(date) == date);
    date += 1 + random() % (i % 3 == 0 ? 100 : 1'000'000);
  }
  CHECK(clock.show(5) == 5);  // somebody has set it back
}

TEST_CASE("in a burst of readings dates go on by equal steps, close behind the truth") {
  Clock clock;
  std::minstd_rand random(2);
  std::int64_t date = 1'000'000'000;
  std::int64_t last = -1;
  constexpr int readings = 1'000'000;
  for (int i = 0; i < readings; ++i) {
    date += 25 + random() % 20;
    if (random() % 50'000 == 0) date += 4'000'000;  // another process had its turn
    const std::int64_t shown = clock.show(date);
    REQUIRE(shown <= date);
    REQUIRE(shown > date - DateSteps::leeway_ns);
    REQUIRE(shown > last);
    last = shown;
  }
  CHECK(clock.runs() < readings / 20);
}

TEST_CASE("no clock shows a date twice in a row") {
  Clock clock;
  CHECK(clock.show(0) == 0);
  CHECK(clock.show(0) == 1);
  CHECK(clock.show(7) == 7);
  CHECK(clock.show(7) == 8);
  CHECK(clock.show(7) == 9);
  CHECK(clock.show(8) == 10);
  CHECK(clock.show(20) == 20);
}
