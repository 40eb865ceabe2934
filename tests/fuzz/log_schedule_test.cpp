// Schedules of every shape, likely or not, come back as they were.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/schedule.hpp>

namespace orrery {
namespace {

struct Draws {
  std::uint64_t state;
  std::uint64_t operator()() {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 20U;
  }
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>((*this)() % bound); }
  /// Mostly small, sometimes as large as it can be.
  std::uint32_t number() {
    switch (below(8)) {
      case 0: return std::numeric_limits<std::uint32_t>::max() - below(3);
      case 1: return static_cast<std::uint32_t>((*this)());
      default: return below(6);
    }
  }
};

ScheduleEntry any_entry(Draws& draw) {
  const OperationId id{TaskId{draw.number()}, draw.number()};
  const auto choice = static_cast<ChoiceKind>(draw.below(9));
  switch (draw.below(5)) {
    case 4: {
      auto clock = ScheduleEntry::draw(ChoiceKind::clock, id, draw() << 30U ^ draw());
      clock.repeats = draw.number();
      return clock;
    }
    case 0: return ScheduleEntry::question(choice, id, {TaskId{draw.number()}, draw.number()});
    case 1: return ScheduleEntry::draw(choice, id, draw() << 30U ^ draw());
    default:
      return ScheduleEntry::step(
          id, static_cast<OperationKind>(draw.below(static_cast<unsigned>(OperationKind::count_))),
          {TaskId{draw.number()}, draw.number()});
  }
}

/// Tasks that take turns in loops, send, and have their messages delivered.
Schedule likely_schedule(Draws& draw, std::size_t count) {
  Schedule schedule;
  std::uint32_t numbers[5] = {};
  std::vector<ScheduleEntry> on_their_way;
  while (schedule.entries.size() < count) {
    const std::uint32_t task = draw.below(5);
    if (draw.below(6) == 0 && !on_their_way.empty()) {
      const std::size_t which = draw.below(3) == 0 ? draw.below(on_their_way.size()) : 0;
      schedule.entries.push_back(on_their_way[which]);
      on_their_way.erase(on_their_way.begin() + static_cast<std::ptrdiff_t>(which));
      continue;
    }
    const std::uint32_t number = ++numbers[task];
    const bool sends = number % 4 == 0;
    const OperationId id{TaskId{task}, number};
    const ObjectId object{TaskId{sends ? 0U : task}, number % 4 + 1};
    schedule.entries.push_back(
        ScheduleEntry::step(id, sends ? OperationKind::send : OperationKind::mutex_lock, object));
    if (sends) on_their_way.push_back(ScheduleEntry::step(id, OperationKind::deliver, object));
  }
  return schedule;
}

}  // namespace

TEST_CASE("schedules of entries at random come back as they were") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Draws draw{seed};
    Schedule schedule;
    schedule.entries_lost = draw.number();
    for (std::uint32_t i = draw.below(200); i > 0; --i) {
      schedule.entries.push_back(any_entry(draw));
    }
    INFO("seed " << seed);
    REQUIRE(decode_schedule(encode_schedule(schedule)) == schedule);
  }
}

TEST_CASE("dates come back, in at most four bytes each") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Draws draw{seed};
    Schedule schedule;
    std::uint64_t date = 0;
    for (std::uint32_t i = 1; i <= 2'000; ++i) {
      date += 1'000 * (1 + draw.below(1'000'000));  // up to a millisecond, in whole nanoseconds
      const OperationId id{TaskId{1 + draw.below(4)}, 3};
      schedule.entries.push_back(ScheduleEntry::draw(ChoiceKind::clock, id, date));
    }
    const auto bytes = encode_schedule(schedule);
    INFO("seed " << seed);
    REQUIRE(decode_schedule(bytes) == schedule);
    REQUIRE(bytes.size() <= 4 * schedule.entries.size());
  }
}

TEST_CASE("schedules as programs make them come back, in at most two bytes an entry") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draws draw{seed};
    const Schedule schedule = likely_schedule(draw, 200 + draw.below(2000));
    const auto bytes = encode_schedule(schedule);
    INFO("seed " << seed);
    REQUIRE(decode_schedule(bytes) == schedule);
    REQUIRE(bytes.size() <= 2 * schedule.entries.size());
  }
}

}  // namespace orrery
