// A run that is kept in little memory is the run that a recorder keeps.
#include "schedules/packed_schedule.hpp"

#include <array>
#include <cstdint>
#include <random>

#include <catch2/catch.hpp>

#include <orrery/replay_core/schedule_recorder.hpp>

namespace orrery {
namespace {

/// Tells both the same.
class Both {
 public:
  void step(OperationId id, OperationKind kind, ObjectId object) {
    const Alternative taken{id, id, object, kind, 1};
    recorder.on_step(taken);
    packed.on_step(taken);
  }
  void value(ChoiceKind kind, OperationId asker, std::uint64_t answer) {
    ValueQuestion question;
    question.asker = asker;
    question.kind = kind;
    question.low = kind == ChoiceKind::fault ? 0 : answer;
    question.high = answer;
    recorder.on_value(question, answer);
    packed.on_value(question, answer);
  }
  void clear() {
    recorder.begin_run({});
    packed.clear();
  }
  ScheduleRecorder recorder;
  detail::PackedSchedule packed;
};

}  // namespace

TEST_CASE("A packed schedule is the schedule, whatever numbers it has") {
  constexpr std::uint32_t most = 0xffff'ffff;
  constexpr std::array<std::uint32_t, 9> tasks{0, 1, 2, 3, 100, 16'383, 16'384, 70'000, most};
  constexpr std::array<std::uint32_t, 7> objects{0, 1, 7, 4'194'303, 4'194'304, 9'000'000, most};
  std::mt19937 random(7);
  Both both;
  for (int run = 0; run < 2; ++run) {
    both.clear();
    std::uint32_t number = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint32_t task = tasks[random() % tasks.size()];
      // Mostly the next of its own, often one that is over, and sometimes one that is far away.
      number = random() % 50 == 0 ? static_cast<std::uint32_t>(random())
                                  : number + static_cast<std::uint32_t>(random() % 140) - 70;
      const auto kind =
          static_cast<OperationKind>(random() % static_cast<std::uint32_t>(OperationKind::count_));
      both.step({TaskId{task}, number}, kind,
                {TaskId{tasks[random() % tasks.size()]}, objects[random() % objects.size()]});
    }
    CHECK(both.packed.schedule() == both.recorder.schedule());
  }
}

TEST_CASE("A packed schedule has the answers of a run between its steps") {
  Both both;
  const OperationId first{TaskId{1}, 5};
  both.step(first, OperationKind::write, {TaskId{0}, 1});
  both.value(ChoiceKind::value, first, 17);
  both.value(ChoiceKind::fault, first, 0);  // did not strike
  for (int i = 0; i < 100; ++i) both.value(ChoiceKind::clock, first, 1'000);
  both.value(ChoiceKind::clock, first, 2'000);
  both.value(ChoiceKind::value, first, 2'000);
  both.value(ChoiceKind::clock, first, 2'000);
  both.step({TaskId{1}, 6}, OperationKind::read, {TaskId{0}, 1});
  both.value(ChoiceKind::clock, first, 2'000);
  const Schedule schedule = both.packed.schedule();
  CHECK(schedule == both.recorder.schedule());
  CHECK(schedule.entries.size() == 8);
}

}  // namespace orrery
