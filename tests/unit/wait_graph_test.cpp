#include "../../sim_runtime/src/wait_graph.hpp"

#include <catch2/catch.hpp>

namespace {

using orrery::detail::Need;
using orrery::detail::Waiter;
using orrery::detail::WaitGraph;

using Numbers = std::vector<std::size_t>;
using Freed = std::vector<bool>;

Need from(Numbers waiters) {
  return {std::move(waiters), false, false};
}
Need from_anybody() {
  return {{}, true, false};
}
/// A standard send to this one.
Need send_to(std::size_t waiter) {
  return {{waiter}, false, true};
}

TEST_CASE("the circle is the shortest one, from its lowest number on") {
  const WaitGraph graph(
      {{{from({1})}}, {{from({2})}}, {{from({3})}}, {{from({1}), from({4})}}, {{from({3})}}});
  CHECK(graph.circle() == Numbers{3, 4});
  CHECK(WaitGraph({{{from({0})}}}).circle() == Numbers{0});
  CHECK(WaitGraph({{{from({1})}}, {{from({2})}}, {{from({0})}}}).circle() == Numbers{0, 1, 2});
}

TEST_CASE("who may be helped by several others is in no circle") {
  CHECK(WaitGraph({{{from({1})}}, {{from({0, 2})}}, {{from({})}}}).circle().empty());
  CHECK(WaitGraph({{{from({1})}}, {{from_anybody()}}}).circle().empty());
  const Waiter any_of_two{{from({0}), from({2})}, true};
  CHECK(WaitGraph({{{from({1})}}, any_of_two, {{from({})}}}).circle().empty());
}

TEST_CASE("buffers free who only sends, and whoever then gets something") {
  CHECK(WaitGraph({{{send_to(1)}}, {{send_to(0)}}}).freed_by_buffers() == Freed{true, true});
  CHECK(WaitGraph({{{from({1})}}, {{from({2})}}, {{send_to(0)}}}).freed_by_buffers() ==
        Freed{true, true, true});
  CHECK(WaitGraph({{{send_to(1)}}, {{from_anybody()}}}).freed_by_buffers() == Freed{true, true});
}

TEST_CASE("buffers do not free who needs something else too, nor those who wait for him") {
  const Waiter both{{send_to(1), from({1})}, false};
  CHECK(WaitGraph({both, {{from({0})}}}).freed_by_buffers() == Freed{false, false});
  const Waiter either{{send_to(1), from({1})}, true};
  CHECK(WaitGraph({either, {{from({0})}}}).freed_by_buffers() == Freed{true, true});
  CHECK(WaitGraph({{{from({1})}}, {{from({0})}}, {{send_to(0)}}}).freed_by_buffers() ==
        Freed{false, false, true});
  CHECK(WaitGraph({{{from_anybody()}}}).freed_by_buffers() == Freed{false});
}

}  // namespace
