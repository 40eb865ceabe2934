// Domino messages and dependence sets, on executions that are drawn in the paper, and random ones.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch.hpp>
#include <intervals/interval_dependences.hpp>

namespace orrery {
namespace {

using detail::IntervalDependences;
using detail::Reached;

OperationId send_number(std::int32_t rank, std::uint32_t number) {
  return {TaskId{static_cast<std::uint32_t>(rank) + 1}, number};
}

/// Sends are counted by themselves.
class Execution {
 public:
  OperationId send(std::int32_t from, std::int32_t to) {
    const OperationId id = send_number(from, ++sends_[from]);
    dependences.sent(id, from, to);
    return id;
  }
  void checkpoint(std::int32_t rank) {
    dependences.begin_interval({rank, dependences.current(rank).number + 1});
  }
  IntervalDependences dependences;

 private:
  std::map<std::int32_t, std::uint32_t> sends_;
};

using Intervals = std::vector<IntervalId>;

}  // namespace

TEST_CASE("an interval needs the intervals that its messages come from, and what those need") {
  Execution run;
  const OperationId first = run.send(0, 1);
  CHECK(run.dependences.reached(first, 1) == Reached::dependent);
  CHECK(run.dependences.last_sender() == IntervalId{0, 0});
  CHECK(run.dependences.needed(1) == Intervals{{0, 0}});
  const OperationId second = run.send(1, 2);
  CHECK(run.dependences.reached(second, 2) == Reached::dependent);
  CHECK(run.dependences.needed(2) == Intervals{{0, 0}, {1, 0}});
  run.checkpoint(2);
  CHECK(run.dependences.needed(2).empty());
  CHECK(run.dependences.current(2) == IntervalId{2, 1});
}

TEST_CASE("a message that depends on an earlier interval of its receiver is a domino message") {
  Execution run;
  const OperationId there = run.send(0, 1);
  CHECK(run.dependences.reached(there, 1) == Reached::dependent);
  run.checkpoint(0);
  const OperationId back = run.send(1, 0);
  CHECK(run.dependences.reached(back, 0) == Reached::logged);
  CHECK(run.dependences.needed(0).empty());  // it is logged: nobody has to send it again
  // After a checkpoint the sender depends on nobody: null, which is no early interval.
  run.checkpoint(1);
  const OperationId later = run.send(1, 0);
  CHECK(run.dependences.reached(later, 0) == Reached::dependent);
  CHECK(run.dependences.needed(0) == Intervals{{1, 1}});
}

TEST_CASE("of two intervals that a rank depends on, the earlier one makes the domino") {
  Execution run;
  const OperationId early = run.send(0, 1);
  run.checkpoint(0);
  const OperationId late = run.send(0, 1);
  CHECK(run.dependences.reached(late, 1) == Reached::dependent);
  CHECK(run.dependences.reached(early, 1) == Reached::dependent);
  CHECK(run.dependences.needed(1) == Intervals{{0, 0}, {0, 1}});
  const OperationId back = run.send(1, 0);
  CHECK(run.dependences.reached(back, 0) == Reached::logged);
}

TEST_CASE("a message in its receiver's image makes no dependence, and a message counts once") {
  Execution run;
  const OperationId seen = run.send(0, 1);
  const OperationId unseen = run.send(0, 1);
  CHECK(run.dependences.reached(seen, 1) == Reached::dependent);
  CHECK(run.dependences.reached(seen, 1) == Reached::in_image);  // the receive after a probe
  CHECK(run.dependences.on_their_way(1) == std::vector<OperationId>{unseen});
  REQUIRE(run.dependences.taken(1).size() == 1);
  CHECK(run.dependences.taken(1).front() == TakenFrom{{0, 0}, 1, seen});
  run.checkpoint(1);
  CHECK(run.dependences.reached(unseen, 1) == Reached::in_image);
  CHECK(run.dependences.needed(1).empty());
  const OperationId own = run.send(1, 1);
  CHECK(run.dependences.reached(own, 1) == Reached::in_image);
}

// Against the definition, by a search: an interval is needed if a chain of messages that are not
// logged leads from it; and such a chain never leads to an earlier interval of the same rank.
TEST_CASE("in random executions no interval needs an earlier one of its own rank") {
  constexpr std::int32_t ranks = 4;
  std::uint64_t dominoes = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Execution run;
    struct Message {
      OperationId send;
      std::int32_t to;
      std::set<IntervalId> needed;
    };
    std::vector<Message> on_their_way;
    std::map<std::int32_t, std::set<IntervalId>> needed;
    for (std::int32_t rank = 0; rank < ranks; ++rank) needed[rank] = {{rank, 0}};
    for (int step = 0; step < 200; ++step) {
      const auto rank = static_cast<std::int32_t>(random() % ranks);
      const auto what = random() % 9;
      if (what == 0) {
        run.checkpoint(rank);
        needed[rank] = {run.dependences.current(rank)};
        std::erase_if(on_their_way, [&](const Message& message) { return message.to == rank; });
      } else if (what < 5 || on_their_way.empty()) {
        const auto to = static_cast<std::int32_t>((rank + 1 + random() % (ranks - 1)) % ranks);
        on_their_way.push_back({run.send(rank, to), to, needed[rank]});
      } else {
        const auto place = static_cast<std::ptrdiff_t>(random() % on_their_way.size());
        const Message message = on_their_way[static_cast<std::size_t>(place)];
        on_their_way.erase(on_their_way.begin() + place);
        const Reached reached = run.dependences.reached(message.send, message.to);
        const IntervalId receiver = run.dependences.current(message.to);
        const bool leads_back = std::ranges::any_of(message.needed, [&](const IntervalId& id) {
          return id.rank == receiver.rank && id.number < receiver.number;
        });
        REQUIRE(reached == (leads_back ? Reached::logged : Reached::dependent));
        dominoes += leads_back ? 1 : 0;
        if (!leads_back) needed[message.to].insert(message.needed.begin(), message.needed.end());
      }
      for (std::int32_t each = 0; each < ranks; ++each) {
        std::set<IntervalId> expected = needed[each];
        expected.erase(run.dependences.current(each));
        const Intervals actual = run.dependences.needed(each);
        REQUIRE(std::set<IntervalId>(actual.begin(), actual.end()) == expected);
      }
    }
    CHECK(run.dependences.counts().piggybacked_bytes > run.dependences.counts().messages);
  }
  CHECK(dominoes > 1000);
}

}  // namespace orrery
