// Which message goes to which of several intervals that are executed again.
#include "intervals/interval_router.hpp"

#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

namespace {

using orrery::CheckpointedRun;
using orrery::Interval;
using orrery::IntervalId;
using orrery::OperationId;
using orrery::OutsideMessage;
using orrery::TaskId;
using orrery::detail::MessageRouter;

// Rank 0 is task 1, and so on.
OperationId operation(std::int32_t rank, std::uint32_t number) {
  return {TaskId{static_cast<std::uint32_t>(rank) + 1}, number};
}

OutsideMessage message(std::int32_t source, std::uint32_t number, std::int32_t destination) {
  OutsideMessage result;
  result.send = operation(source, number);
  result.source = source;
  result.destination = destination;
  return result;
}

/// Has ended when rank 1 had done `end` operations, and began when it had done `begin`.
Interval interval(IntervalId id, std::uint32_t begin, std::uint32_t end) {
  Interval result;
  result.id = id;
  result.has_ended = true;
  result.begin.progress = {{TaskId{2}, begin}};
  result.end_progress = {{TaskId{2}, end}};
  return result;
}

std::vector<std::uint32_t> numbers(const std::vector<OutsideMessage>& messages) {
  std::vector<std::uint32_t> result;
  for (const OutsideMessage& one : messages) result.push_back(one.send.number);
  return result;
}

using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("An interval gets what it took: not what its image has, nor what came later") {
  CheckpointedRun run;
  run.intervals = {interval({0, 1}, 10, 20), interval({1, 0}, 0, 0)};
  run.intervals[0].taken = {{{1, 0}, 2, operation(1, 18)}};
  run.intervals[0].end_left_over = {operation(1, 15)};
  MessageRouter router(run, {{0, 1}, {1, 0}}, {});
  CHECK(router.is_needed({1, 0}));
  router.sent({1, 0}, message(1, 9, 0));  // in the image
  router.sent({1, 0}, message(1, 12, 0));
  router.sent({1, 0}, message(1, 13, 2));  // to another
  router.sent({1, 0}, message(1, 15, 0));  // was left over
  CHECK(numbers(router.next_for({0, 1})) == Numbers{12});
  CHECK(router.lacks({0, 1}) == "1 of the 2 messages that 1:0 has sent it");
  router.sent({1, 0}, message(1, 18, 0));
  CHECK_FALSE(router.is_needed({1, 0}));
  router.sent({1, 0}, message(1, 21, 0));  // too late
  CHECK(numbers(router.next_for({0, 1})) == Numbers{18});
  CHECK(router.next_for({0, 1}).empty());
  CHECK(router.lacks({0, 1}).empty());
}

TEST_CASE("A sender's messages come in order: earlier intervals first, and logged ones last") {
  CheckpointedRun run;
  run.intervals = {interval({0, 1}, 10, 40), interval({1, 1}, 0, 0), interval({1, 2}, 0, 0)};
  run.intervals[0].taken = {
      {{1, 1}, 2, operation(1, 14)}, {{1, 2}, 1, operation(1, 24)}, {{1, 3}, 1, operation(1, 34)}};
  std::vector<orrery::LoggedMessage> messages;
  orrery::LoggedMessage logged;
  logged.send = operation(1, 14);
  logged.sender = {1, 1};
  logged.receiver = {0, 1};
  messages.push_back(logged);
  logged.send = operation(1, 34);
  logged.sender = {1, 3};
  messages.push_back(logged);
  MessageRouter router(run, {{0, 1}, {1, 1}, {1, 2}}, messages);
  CHECK(router.next_for({0, 1}).empty());
  router.sent({1, 2}, message(1, 24, 0));
  CHECK(router.next_for({0, 1}).empty());
  router.sent({1, 1}, message(1, 12, 0));
  router.sent({1, 1}, message(1, 14, 0));  // the log has it
  CHECK(numbers(router.next_for({0, 1})) == Numbers{12, 14, 24, 34});
}

TEST_CASE("An interval in which a recording was cut gets all that was sent to it after its image") {
  CheckpointedRun run;
  run.intervals = {interval({0, 1}, 10, 0), interval({1, 1}, 0, 0)};
  run.intervals[0].has_ended = false;
  std::vector<orrery::LoggedMessage> messages;
  orrery::LoggedMessage logged;
  logged.send = operation(1, 14);
  logged.sender = {1, 1};
  logged.receiver = {0, 1};
  messages.push_back(logged);
  MessageRouter router(run, {{0, 1}, {1, 1}}, messages);
  router.sent({1, 1}, message(1, 9, 0));  // in the image
  router.sent({1, 1}, message(1, 12, 0));
  router.sent({1, 1}, message(1, 14, 0));  // the log has it
  CHECK(numbers(router.next_for({0, 1})) == Numbers{12});
  CHECK(router.is_needed({1, 1}));
  CHECK(router.next_for({0, 1}).empty());
  CHECK(numbers(router.next_for({0, 1}, /*is_stuck=*/true)) == Numbers{14});
}

TEST_CASE(
    "Where nobody can go on, what is ready does not wait for what an earlier one would send") {
  CheckpointedRun run;
  run.intervals = {interval({0, 1}, 10, 40), interval({1, 1}, 0, 0), interval({1, 2}, 0, 0)};
  run.intervals[0].taken = {
      {{1, 0}, 1, operation(1, 11)}, {{1, 1}, 1, operation(1, 12)}, {{1, 2}, 1, operation(1, 24)}};
  MessageRouter router(run, {{0, 1}, {1, 1}, {1, 2}}, {});
  router.sent({1, 2}, message(1, 24, 0));
  CHECK(router.next_for({0, 1}).empty());
  CHECK(numbers(router.next_for({0, 1}, /*is_stuck=*/true)) == Numbers{24});
}

TEST_CASE("What is alone gets its messages from the log in the order in which it took them") {
  CheckpointedRun run;
  run.intervals = {interval({0, 1}, 10, 40)};
  run.intervals[0].taken = {{{1, 1}, 2, operation(1, 22)}, {{2, 0}, 1, operation(2, 3)}};
  std::vector<orrery::LoggedMessage> messages;
  for (const OperationId send :
       {operation(1, 22), operation(2, 3), operation(1, 21), operation(1, 9), operation(2, 3)}) {
    orrery::LoggedMessage logged;
    logged.send = send;
    logged.sender = send.task == operation(1, 1).task ? IntervalId{1, 1} : IntervalId{2, 0};
    logged.receiver = {0, 1};
    logged.content.resize(send.number == 3 ? 1'000'000 : 8);
    messages.push_back(logged);
  }
  MessageRouter router(run, {{0, 1}}, messages);
  CHECK_FALSE(router.is_needed({0, 1}));
  // Much at once would take memory on both sides; 9 is in the image, and one was seen, then taken.
  CHECK(numbers(router.next_for({0, 1})) == Numbers{22, 3});
  CHECK(numbers(router.next_for({0, 1})) == Numbers{21});
  CHECK(router.next_for({0, 1}).empty());
  CHECK(router.lacks({0, 1}).empty());
}
