// What ranks of a real job read off clocks: into a log, and out again.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/rank_readings.hpp>

#include "messages/readings_replay.hpp"

namespace {

using orrery::ChoiceKind;
using orrery::ClockKind;
using orrery::decode_readings;
using orrery::encode_readings;
using orrery::RankReadings;
using orrery::TaskId;
using orrery::ValueQuestion;
using orrery::detail::ReadingsReplay;

RankReadings example(std::uint32_t task) {
  RankReadings made;
  made.task = TaskId{task};
  made.clocks[static_cast<std::size_t>(ClockKind::wtime)] = {{500, 1}, {31, 3}, {-7, 1}};
  made.clocks[static_cast<std::size_t>(ClockKind::calendar)] = {{1, 1}};
  made.draws = {UINT64_MAX, 0, 7};
  return made;
}

ValueQuestion look(ClockKind clock, std::uint64_t date) {
  ValueQuestion question;
  question.question = static_cast<std::uint64_t>(clock);
  question.low = question.high = date;
  question.kind = ChoiceKind::clock;
  return question;
}

}  // namespace

TEST_CASE("readings of ranks come back from a log") {
  const std::vector<RankReadings> all{example(1), example(4)};
  CHECK(decode_readings(encode_readings(all)) == all);
  CHECK(decode_readings(encode_readings({})).empty());
  CHECK(all[0].date_count() == 6);
  CHECK(RankReadings().is_empty());
  CHECK_FALSE(all[0].is_empty());
}

TEST_CASE("many readings take several blocks, and are one again") {
  std::vector<RankReadings> all{example(1), RankReadings(), example(2)};
  auto& steps = all[2].clocks[static_cast<std::size_t>(ClockKind::monotonic)];
  for (int i = 0; i < 600'000; ++i) steps.push_back({i, 1});
  const auto blocks = orrery::readings_blocks(all);
  CHECK(blocks.size() >= 3);
  std::vector<RankReadings> back(2);
  for (const auto& block : blocks) {
    CHECK(block.size() < (std::size_t{32} << 20U));
    for (const RankReadings& part : decode_readings(block)) {
      REQUIRE((part.task.value == 1 || part.task.value == 2));
      RankReadings& own = back[part.task.value - 1];
      own.task = part.task;
      own.append(part);
    }
  }
  CHECK(back[0] == all[0]);
  CHECK(back[1] == all[2]);
}

TEST_CASE("readings that nobody wrote are refused") {
  std::vector<std::byte> bytes = encode_readings(std::vector<RankReadings>{example(1)});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::span cut(bytes.data(), length);
    CHECK_THROWS_AS(decode_readings(cut), orrery::UsageError);
  }
  bytes.push_back(std::byte{0});
  CHECK_THROWS_AS(decode_readings(bytes), orrery::UsageError);
  RankReadings none = example(1);
  none.draws.clear();
  none.clocks[1].push_back({5, 0});
  CHECK_THROWS_AS(decode_readings(encode_readings(std::vector<RankReadings>{none})),
                  orrery::UsageError);
}

TEST_CASE("a replay gives the dates of each clock out in their order, then goes on by its own") {
  const std::vector<RankReadings> all{example(1)};
  ReadingsReplay replay;
  replay.begin(all);
  const TaskId task{1};
  const auto wtime = [&](std::uint64_t own) {
    return replay.answer(task, look(ClockKind::wtime, own));
  };
  CHECK(wtime(3) == 500'000);
  CHECK(replay.answer(task, look(ClockKind::calendar, 4)) == 1'000);
  CHECK(wtime(5) == 531'000);
  CHECK(wtime(6) == 562'000);
  CHECK(wtime(7) == 593'000);
  CHECK(wtime(8) == 586'000);
  CHECK(wtime(8) == 586'000);
  CHECK(wtime(20) == 586'012);
  // Nothing is known of these.
  CHECK_FALSE(replay.answer(task, look(ClockKind::inner, 9)));
  CHECK_FALSE(replay.answer(task, look(ClockKind::boot, 9)));
  CHECK_FALSE(replay.answer(TaskId{2}, look(ClockKind::wtime, 9)));
}

TEST_CASE("a replay gives draws out again, and only to what draws") {
  const std::vector<RankReadings> all{example(1)};
  ReadingsReplay replay;
  replay.begin(all);
  const TaskId task{1};
  ValueQuestion draw;
  draw.high = UINT64_MAX;
  ValueQuestion of_run = draw;
  of_run.is_of_run = true;
  const std::vector<std::uint32_t> weights{1, 1};
  ValueQuestion weighed = draw;
  weighed.high = 1;
  weighed.weights = weights;
  CHECK_FALSE(replay.answer(task, of_run));
  CHECK_FALSE(replay.answer(task, weighed));
  CHECK(replay.answer(task, draw) == UINT64_MAX);
  CHECK(replay.answer(task, draw) == 0);
  draw.high = 6;
  CHECK_FALSE(replay.answer(task, draw));  // 7 is none of these
  draw.high = 7;
  CHECK(replay.answer(task, draw) == 7);
  CHECK_FALSE(replay.answer(task, draw));
}
