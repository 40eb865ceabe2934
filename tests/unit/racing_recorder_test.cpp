// What is traced of racing messages, in programs of a few lines.
#include <chrono>
#include <functional>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery {
namespace {

using std::chrono::milliseconds;

constexpr std::int32_t tag = 1, other_tag = 2;

/// A rank each: 0 receives, 1 and 2 send.
using Rank = std::function<void(World&, Communicator&)>;

std::vector<TracedMessage> traced(std::string_view method, const std::vector<Rank>& ranks) {
  UndisturbedChooser chooser;
  const auto recorder = recorder_kind(method).make_recorder();
  Observer* const observers[] = {&recorder->observer()};
  Simulation simulation({});
  const Outcome outcome = simulation.run(
      [&](World& world) {
        world.ranks(static_cast<std::int32_t>(ranks.size()), [&](Communicator& comm) {
          ranks[static_cast<std::size_t>(comm.rank())](world, comm);
        });
      },
      chooser, observers);
  REQUIRE(outcome.status == Outcome::Status::clean);
  for (const RecordedBlock& block : recorder->blocks()) {
    if (block.kind != BlockKind::traced_messages) continue;
    return decode_traced_messages(block.content, "test");
  }
  return {};
}

std::size_t tight(const std::vector<Rank>& ranks) {
  return traced("racing-messages-tight", ranks).size();
}

Rank sends(int count, milliseconds later = {}) {
  return [=](World& world, Communicator& comm) {
    if (later.count() > 0) world.sleep_for(later);
    for (int i = 0; i < count; ++i) comm.send(0, tag, i);
  };
}

Rank receives(int count) {
  return [=](World&, Communicator& comm) {
    for (int i = 0; i < count; ++i) comm.receive<int>(any_source, tag);
  };
}

}  // namespace

TEST_CASE("One of two messages that race is traced, and none of those that do not") {
  CHECK(tight({receives(2), sends(1), sends(1, milliseconds(1))}) == 1);
  CHECK(tight({receives(2), sends(2)}) == 0);
  const Rank by_name = [](World&, Communicator& comm) {
    comm.receive<int>(1, tag);
    comm.receive<int>(2, tag);
  };
  CHECK(tight({by_name, sends(1), sends(1, milliseconds(1))}) == 0);
}

TEST_CASE("A message behind a traced one of its sender is not traced") {
  CHECK(tight({receives(3), sends(1), sends(2, milliseconds(1))}) == 1);
  // Unless the traced one may go out of its way while the earlier receive is open.
  const Rank two_at_once = [](World& world, Communicator& comm) {
    Request first = comm.start_receive(any_source, tag);
    world.sleep_for(milliseconds(2));
    Request second = comm.start_receive(any_source, tag);
    first.wait();
    second.wait();
    comm.receive<int>(any_source, tag);
  };
  CHECK(tight({two_at_once, sends(1), sends(2, milliseconds(1))}) == 2);
}

TEST_CASE("A synchronous send learns from its end what its receiver had received before") {
  const Rank receiver = [](World&, Communicator& comm) {
    comm.receive<int>(any_source, tag);
    comm.receive<int>(2, other_tag);
    comm.receive<int>(any_source, tag);
  };
  const auto sender = [](SendMode mode) -> Rank {
    return [mode](World& world, Communicator& comm) {
      world.sleep_for(milliseconds(1));
      comm.send(0, other_tag, 0, mode);
      comm.send(0, tag, 0);
    };
  };
  CHECK(tight({receiver, sends(1), sender(SendMode::standard)}) == 1);
  CHECK(tight({receiver, sends(1), sender(SendMode::synchronous)}) == 0);
}

TEST_CASE("Where a later receive is complete, an earlier one that fits its message has its own") {
  const auto receiver = [](bool waits) -> Rank {
    return [waits](World&, Communicator& comm) {
      Request first = comm.start_receive(any_source, tag);
      Request second = comm.start_receive(any_source, tag);
      if (waits) second.wait();
      comm.send(2, other_tag, 0);
      if (!waits) second.wait();
      first.wait();
      comm.receive<int>(any_source, tag);
    };
  };
  const Rank answers = [](World&, Communicator& comm) {
    comm.receive<int>(0, other_tag);
    comm.send(0, tag, 0);
  };
  CHECK(tight({receiver(false), sends(2), answers}) == 1);
  CHECK(tight({receiver(true), sends(2), answers}) == 0);
}

TEST_CASE("Of a probe for any source and the receive of what it found the probe is traced") {
  const auto receiver = [](int looks) -> Rank {
    return [looks](World&, Communicator& comm) {
      for (int i = 0; i < 2; ++i) {
        Envelope found;
        for (int look = 0; look < looks; ++look) found = comm.probe(any_source, tag);
        comm.receive<int>(found.source, tag);
      }
    };
  };
  const std::vector<TracedMessage> once =
      traced("racing-messages-tight", {receiver(1), sends(1), sends(1, milliseconds(1))});
  REQUIRE(once.size() == 1);
  CHECK(once.front().event == 2);
  // Each probe that sees it: none may see a message that was held for another.
  CHECK(tight({receiver(2), sends(1), sends(1, milliseconds(1))}) == 2);
}

}  // namespace orrery
