// Recordings in memory that another process shares.
#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/schedule_recorder.hpp>

namespace orrery {
namespace {

Alternative step(std::uint32_t number) {
  const OperationId id{TaskId{1}, number};
  return {id, id, {TaskId{0}, 1}, OperationKind::write};
}

}  // namespace

TEST_CASE("a recorder with a buffer of its own grows") {
  ScheduleRecorder recorder;
  recorder.begin_run({});
  for (std::uint32_t i = 1; i <= 100'000; ++i) recorder.on_step(step(i));
  CHECK(recorder.entries().size() == 100'000);
  CHECK(recorder.entries().back() == ScheduleEntry::step(step(100'000)));
  CHECK(recorder.entries_lost() == 0);
  recorder.begin_run({});
  CHECK(recorder.entries().empty());
}

TEST_CASE("a recording that is full says how much it lost") {
  alignas(8) std::byte memory[ScheduleRecorder::bytes_for(10)] = {};
  ScheduleRecorder recorder(memory);
  for (std::uint32_t i = 1; i <= 13; ++i) recorder.on_step(step(i));
  const Schedule schedule = ScheduleRecorder::read(memory);
  CHECK(schedule.entries.size() == 10);
  CHECK(schedule.entries_lost == 3);
  CHECK(schedule == recorder.schedule());
}

TEST_CASE("a clock that says the same again and again takes one entry") {
  alignas(8) std::byte memory[ScheduleRecorder::bytes_for(4)] = {};
  ScheduleRecorder recorder(memory);
  const auto read_clock = [&recorder](std::uint32_t operation, std::uint64_t date) {
    ValueQuestion question;
    question.asker = {TaskId{1}, operation};
    question.kind = ChoiceKind::clock;
    question.low = question.high = date;
    recorder.on_value(question, date);
  };
  for (int i = 0; i < 1'000'000; ++i) read_clock(1, 5'000);
  read_clock(1, 6'000);
  read_clock(2, 6'000);  // after another operation
  recorder.on_step(step(3));
  const Schedule schedule = ScheduleRecorder::read(memory);
  CHECK(schedule.entries_lost == 0);
  REQUIRE(schedule.entries.size() == 4);
  CHECK(schedule.entries[0].repeats == 999'999);
  CHECK(schedule.entries[1].repeats == 0);
  CHECK(decode_schedule(encode_schedule(schedule)) == schedule);
}

TEST_CASE("memory without room for an entry is refused") {
  alignas(8) std::byte memory[ScheduleRecorder::bytes_for(1) - 1] = {};
  CHECK_THROWS_AS(ScheduleRecorder(memory), UsageError);
}

TEST_CASE("a recording outlives the process that made it") {
  const std::size_t size = ScheduleRecorder::bytes_for(1000);
  void* const mapping =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapping != MAP_FAILED);
  const std::span<std::byte> memory(static_cast<std::byte*>(mapping), size);
  CHECK(ScheduleRecorder::read(memory) == Schedule{});
  const pid_t child = ::fork();
  if (child == 0) {
    ScheduleRecorder recorder(memory);
    for (std::uint32_t i = 1; i <= 7; ++i) recorder.on_step(step(i));
    ::_exit(9);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const Schedule schedule = ScheduleRecorder::read(memory);
  ::munmap(mapping, size);
  REQUIRE(schedule.entries.size() == 7);
  CHECK(schedule.entries[6] == ScheduleEntry::step(step(7)));
}

TEST_CASE("what a dying process scribbled over its recording is not believed") {
  alignas(8) std::byte memory[ScheduleRecorder::bytes_for(10)] = {};
  ScheduleRecorder recorder(memory);
  for (std::uint32_t i = 1; i <= 5; ++i) recorder.on_step(step(i));
  for (std::size_t at = ScheduleRecorder::bytes_for(3); at < sizeof(memory); ++at) {
    memory[at] = std::byte{0xee};
  }
  CHECK(ScheduleRecorder::read(memory).entries.size() == 3);
  for (std::size_t at = 0; at < 8; ++at) memory[at] = std::byte{0xff};  // the count
  CHECK(ScheduleRecorder::read(memory).entries.size() == 3);
}

TEST_CASE("an unknown method of recording is refused with the nearest name") {
  CHECK(recorder_kind("choices").name == schedule_method);
  CHECK_THROWS_WITH(recorder_kind("choises"), Catch::Contains("choices"));
}

}  // namespace orrery
