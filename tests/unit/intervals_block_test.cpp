// Checkpoints in a log: what was written piece by piece is read as one.
#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <intervals/intervals_block.hpp>

#include <orrery/network_model/usage_error.hpp>

namespace orrery {
namespace {

using detail::ByteWriter;
using detail::IntervalBoundary;
using detail::IntervalsReader;
using detail::KeptRecords;

OperationId id(std::uint32_t task, std::uint32_t number) {
  return {TaskId{task}, number};
}

CheckpointState state(std::mt19937& random, std::uint32_t number) {
  CheckpointState state;
  state.next = id(1, number);
  state.date = VirtualTime::from_picoseconds(random() % 100000);
  if (random() % 3 != 0) state.image = random() % 50;
  for (std::uint32_t task = 0; task < random() % 5; ++task) {
    state.progress.push_back({TaskId{task}, static_cast<std::uint32_t>(random() % 1000)});
  }
  for (std::uint32_t i = 0; i < random() % 3; ++i) state.left_over.push_back(id(2, i + 1));
  return state;
}

std::vector<std::byte> bytes(std::size_t count, std::mt19937& random) {
  std::vector<std::byte> all(count);
  for (std::byte& byte : all) byte = static_cast<std::byte>(random());
  return all;
}

/// A block `interval` with nothing new in the records.
std::vector<std::byte> block(const IntervalBoundary& boundary, KeptRecords& records) {
  ByteWriter writer;
  detail::write_boundary(writer, boundary);
  records.write_new(writer);
  return writer.take();
}

}  // namespace

TEST_CASE("intervals come back from a log as they were") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    KeptRecords records;
    records.clear(nullptr);
    IntervalsReader reader;
    std::vector<Interval> expected;
    const std::uint64_t count = 1 + random() % 6;
    for (std::uint64_t number = 0; number <= count; ++number) {
      IntervalBoundary boundary;
      boundary.id = {3, number};
      const bool is_over = number == count;
      const CheckpointState begins = state(random, static_cast<std::uint32_t>(number) * 10);
      if (!is_over) boundary.begins = begins;
      if (number != 0) {
        Interval& before = expected.back();
        before.has_ended = !is_over || random() % 2 == 0;
        before.is_last = is_over && before.has_ended;
        before.end = id(1, static_cast<std::uint32_t>(number) * 10);
        before.depends_on = {{0, random() % 9}, {7, random() % 9}};
        before.started = {TaskId{12}};
        before.taken = {{{0, 4}, 3, id(9, 2)}};
        before.own_progress = {{TaskId{1}, 9}};
        before.memory_hash = random() * std::uint64_t{0x100000001};
        before.event_hash = random();
        before.events = random() % 100;
        before.end_progress = begins.progress;
        before.end_left_over = begins.left_over;
        boundary.before = before;
        boundary.before->begin = {};
      }
      reader.take_boundary(block(boundary, records), "here");
      if (!is_over) {
        Interval next;
        next.id = boundary.id;
        next.begin = begins;
        expected.push_back(next);
      }
    }
    CHECK(reader.run().intervals == expected);
    CHECK(reader.run().find({3, count - 1})->id == IntervalId{3, count - 1});
    CHECK(reader.run().find({3, count}) == nullptr);
  }
}

TEST_CASE("domino messages come back, long ones from several blocks") {
  std::mt19937 random(7);
  std::vector<LoggedMessage> messages;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{20'000'000}, std::size_t{9}}) {
    LoggedMessage message;
    message.send = id(static_cast<std::uint32_t>(messages.size()) + 1, 17);
    message.context = 3;
    message.source = 1;
    message.destination = 2;
    message.tag = 77;
    message.note = 5;
    message.is_rendezvous = size > 100;
    message.content = bytes(size, random);
    message.note_content = bytes(size % 7, random);
    message.sender = {1, 4};
    message.receiver = {2, 6};
    messages.push_back(message);
  }
  const auto blocks = detail::encode_logged_messages(messages);
  CHECK(blocks.size() >= 3);
  IntervalsReader reader;
  for (const auto& each : blocks) {
    CHECK(each.size() < log_block_bytes_max);
    reader.take_logged(each, "here");
  }
  const LoggedMessages logged = reader.run().logged_messages;
  CHECK(logged.count() == messages.size());
  CHECK((logged.all() == messages));
  messages[2].receiver = {2, 7};
  LoggedMessages others;
  for (const auto& each : detail::encode_logged_messages(messages)) others.append(each, "here");
  const auto is_of_other = [](const IntervalId& receiver) { return receiver.number == 7; };
  CHECK((others.of(is_of_other) == std::vector<LoggedMessage>{messages[2]}));
}

TEST_CASE("records that are written while the run goes are those of the whole run") {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    KeptRecords kept;
    kept.clear(nullptr);
    IntervalsReader reader;
    for (std::uint32_t task = 0; task < 4; ++task) kept.on_task(TaskId{task}, {});
    std::vector<std::uint32_t> operations(6, 1);
    std::vector<MatchingStep> open;
    std::vector<OperationId> withdrawn;
    const std::uint32_t starter = 2;
    for (std::uint32_t step = 0; step < 120; ++step) {
      const auto task = static_cast<std::uint32_t>(1 + random() % 3);
      MatchingStep matching;
      matching.receiver = id(task, ++operations[task]);
      matching.destination = static_cast<std::int32_t>(task) - 1;
      matching.send = id(static_cast<std::uint32_t>(1 + random() % 3), 1);
      switch (random() % 7) {
        case 0:
          matching.kind = MatchingStep::Kind::posted;
          if (random() % 3 == 0) matching.source = 1;
          kept.on_matching(matching);
          open.push_back(matching);
          break;
        case 1:
        case 2: {
          if (open.empty()) break;
          const auto place = static_cast<std::ptrdiff_t>(random() % open.size());
          matching.receiver = open[static_cast<std::size_t>(place)].receiver;
          matching.destination = open[static_cast<std::size_t>(place)].destination;
          matching.source = open[static_cast<std::size_t>(place)].source;
          matching.kind =
              random() % 5 == 0 ? MatchingStep::Kind::withdrawn : MatchingStep::Kind::taken;
          open.erase(open.begin() + place);
          if (matching.kind == MatchingStep::Kind::withdrawn)
            withdrawn.push_back(matching.receiver);
          kept.on_matching(matching);
          break;
        }
        case 3: {
          const std::uint32_t reported[] = {static_cast<std::uint32_t>(random() % 2)};
          OpenOutcome outcome;
          outcome.succeeded = random() % 2 == 0;
          outcome.among = 2;
          if (outcome.succeeded) outcome.reported = reported;
          kept.keeper().on_outcome(matching.receiver, OperationKind::test, outcome);
          break;
        }
        case 4: {
          const ValueQuestion question{.asker = matching.receiver,
                                       .question = step,
                                       .low = 0,
                                       .high = 9,
                                       .weights = {},
                                       .kind = ChoiceKind::value,
                                       .is_of_run = random() % 3 == 0};
          kept.keeper().on_value(question, 1 + random() % 9);
          break;
        }
        case 5:
          if (step == 60) kept.on_task(TaskId{4}, std::vector{TaskId{starter}});
          break;
        default: reader.take_boundary(block({}, kept), "here"); break;
      }
    }
    reader.take_boundary(block({}, kept), "here");
    REQUIRE(reader.run().records == kept.records());
    std::sort(withdrawn.begin(), withdrawn.end());
    REQUIRE(reader.run().withdrawn == withdrawn);
    for (const OpenReceive& receive : kept.open_receives()) {
      const MessageRecords all = kept.records();
      const auto own = std::ranges::find(all.calls, receive.receiver.task, &OpenCalls::task);
      REQUIRE(own != all.calls.end());
      CHECK(own->sources[receive.place] == OpenCalls::nobody);
    }
    const auto is_open_to_all = [](const MatchingStep& step) { return step.source == any_source; };
    CHECK(static_cast<std::ptrdiff_t>(kept.open_receives().size()) ==
          std::count_if(open.begin(), open.end(), is_open_to_all));
  }
}

TEST_CASE("blocks of intervals that nobody wrote are refused") {
  KeptRecords records;
  records.clear(nullptr);
  IntervalBoundary boundary;
  boundary.id = {0, 1};
  boundary.before = Interval{};
  IntervalsReader reader;
  CHECK_THROWS_AS(reader.take_boundary(block(boundary, records), "here"), UsageError);
  const std::vector<std::byte> empty;
  CHECK_THROWS_AS(reader.take_boundary(empty, "here"), UsageError);
  LoggedMessage message;
  message.content.resize(9'000'000);
  const auto blocks = detail::encode_logged_messages({message});
  REQUIRE(blocks.size() == 2);
  LoggedMessages cut;
  cut.append(blocks[1], "here");
  CHECK_THROWS_AS(cut.count(), UsageError);
}

}  // namespace orrery
