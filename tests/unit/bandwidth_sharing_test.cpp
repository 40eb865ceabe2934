// Each case states the equation and the shares that it gives.
#include "../../network_model/src/bandwidth_sharing.hpp"

#include <vector>

#include <catch2/catch.hpp>

using orrery::VirtualTime;
using orrery::detail::BandwidthSharing;

namespace {

constexpr std::int64_t second_ps = 1'000'000'000'000;
constexpr VirtualTime start = VirtualTime::start();

VirtualTime at_seconds(double seconds) {
  return VirtualTime::from_picoseconds(static_cast<std::int64_t>(seconds * second_ps));
}

}  // namespace

TEST_CASE("A flow alone gets the least bandwidth on its way") {
  // min(300, 100, 200) = 100 bytes a second: 50 bytes take half a second.
  BandwidthSharing sharing({{300, false}, {100, false}, {200, false}});
  const std::uint32_t route[] = {0, 1, 2};
  const auto flow = sharing.start(route, 50, start);
  sharing.solve(start);
  CHECK(sharing.rate_of(flow) == 100);
  CHECK(sharing.end_of(flow) == at_seconds(0.5));
}

TEST_CASE("Flows that share a link get equal parts, and more when another ends") {
  // 100 / 2 each; the first ends after 100 bytes at 50, the other then goes on alone.
  BandwidthSharing sharing({{100, false}});
  const std::uint32_t route[] = {0};
  const auto small = sharing.start(route, 100, start);
  const auto large = sharing.start(route, 200, start);
  sharing.solve(start);
  CHECK(sharing.rate_of(small) == 50);
  CHECK(sharing.first_to_end() == small);
  CHECK(sharing.end_of(small) == at_seconds(2));
  sharing.remove(small);
  sharing.solve(at_seconds(2));
  CHECK(sharing.rate_of(large) == 100);
  CHECK(sharing.end_of(large) == at_seconds(3));
}

TEST_CASE("What a flow cannot use on one link is left to the others on the next") {
  // Link 0 has 30 for two flows: 15 each.  Link 1 has 100: the one that crosses both takes 15, and
  // 85 is left to the third.
  BandwidthSharing sharing({{30, false}, {100, false}});
  const std::uint32_t first[] = {0};
  const std::uint32_t both[] = {0, 1};
  const std::uint32_t second[] = {1};
  const auto a = sharing.start(first, 1000, start);
  const auto b = sharing.start(both, 1000, start);
  const auto c = sharing.start(second, 1000, start);
  sharing.solve(start);
  CHECK(sharing.rate_of(a) == 15);
  CHECK(sharing.rate_of(b) == 15);
  CHECK(sharing.rate_of(c) == 85);
}

TEST_CASE("A fat pipe bounds each flow and is not shared") {
  // Each of three gets 40 of the pipe; the link of 90 gives 30 to each.  With two: 40 each, not 45.
  BandwidthSharing sharing({{40, true}, {90, false}});
  const std::uint32_t route[] = {0, 1};
  const auto a = sharing.start(route, 1000, start);
  const auto b = sharing.start(route, 1000, start);
  sharing.solve(start);
  CHECK(sharing.rate_of(a) == 40);
  CHECK(sharing.rate_of(b) == 40);
  const auto c = sharing.start(route, 1000, start);
  sharing.solve(start);
  CHECK(sharing.rate_of(a) == 30);
  CHECK(sharing.rate_of(c) == 30);
}

TEST_CASE("A link that a route crosses twice is used twice") {
  BandwidthSharing sharing({{100, false}});
  const std::uint32_t there_and_back[] = {0, 0};
  const auto flow = sharing.start(there_and_back, 100, start);
  sharing.solve(start);
  CHECK(sharing.rate_of(flow) == 50);
  sharing.remove(flow);
  CHECK(sharing.is_idle());
}

TEST_CASE("A link that changes changes its flows, and a link without bandwidth stops them") {
  BandwidthSharing sharing({{100, false}});
  const std::uint32_t route[] = {0};
  const auto flow = sharing.start(route, 300, start);
  sharing.solve(start);
  sharing.set_bandwidth(0, 50);
  sharing.solve(at_seconds(1));  // 200 bytes are left
  CHECK(sharing.end_of(flow) == at_seconds(5));
  sharing.set_bandwidth(0, 0);
  sharing.solve(at_seconds(2));  // 150
  CHECK(sharing.end_of(flow) == VirtualTime::never());
  sharing.set_bandwidth(0, 150);
  sharing.solve(at_seconds(10));
  CHECK(sharing.end_of(flow) == at_seconds(11));
}

TEST_CASE("Only flows that are joined to a change are told to have moved") {
  BandwidthSharing sharing({{100, false}, {100, false}});
  const std::uint32_t here[] = {0};
  const std::uint32_t elsewhere[] = {1};
  const auto a = sharing.start(here, 100, start);
  const auto b = sharing.start(elsewhere, 100, start);
  sharing.solve(start);
  sharing.forget_moved();
  const auto c = sharing.start(here, 100, start);
  sharing.solve(start);
  const std::vector<BandwidthSharing::FlowIndex> moved(sharing.moved().begin(),
                                                       sharing.moved().end());
  CHECK_THAT(moved, Catch::UnorderedEquals(std::vector<BandwidthSharing::FlowIndex>{a, c}));
  CHECK(sharing.end_of(b) == at_seconds(1));
}

TEST_CASE("Weighted flows share a link in the inverse of their penalties") {
  // Penalties of 1 s and 3 s: 100 = r + r / 3 gives 75 and 25.  Windows bound nothing here.
  BandwidthSharing sharing({{100, false}}, {0, 1e9});
  const std::uint32_t route[] = {0};
  const auto near = sharing.start({route, {}, 1000, 1, at_seconds(1)}, start);
  const auto far = sharing.start({route, {}, 1000, 3, at_seconds(1)}, start);
  CHECK(sharing.is_waiting(near));
  CHECK(sharing.end_of(sharing.first_to_end()) == at_seconds(1));
  sharing.enter(near);
  sharing.enter(far);
  sharing.solve(at_seconds(1));
  CHECK(sharing.rate_of(near) == Approx(75));
  CHECK(sharing.rate_of(far) == Approx(25));
}

TEST_CASE("A weighted flow keeps below its window, and loads the links of its way back") {
  // The window of 20 bytes gives 20 / (2 * 1 s) = 10 bytes a second to one flow; the other has the
  // rest of its link, of which the first one's acknowledgements take 5 %: 100 - 0.05 * 10 = 99.5.
  BandwidthSharing sharing({{100, false}, {100, false}}, {0, 20});
  const std::uint32_t there[] = {0};
  const std::uint32_t back[] = {1};
  const auto bounded = sharing.start({there, back, 1000, 1, at_seconds(1)}, start);
  const auto other =
      sharing.start({back, {}, 1000, 0, start}, start);  // without latency: no window
  sharing.enter(bounded);
  sharing.solve(at_seconds(1));
  CHECK(sharing.rate_of(bounded) == Approx(10));
  CHECK(sharing.rate_of(other) == Approx(99.5));
}

TEST_CASE("A fat pipe that is switched off stops the flows that it bounds, until it is on again") {
  BandwidthSharing sharing({{40, true}, {90, false}});
  const std::uint32_t route[] = {0, 1};
  sharing.set_bandwidth(0, 0);
  const auto flow = sharing.start(route, 80, start);
  sharing.solve(start);
  CHECK(sharing.end_of(flow) == VirtualTime::never());
  sharing.set_bandwidth(0, 40);
  sharing.solve(at_seconds(1));
  CHECK(sharing.end_of(flow) == at_seconds(3));
}

TEST_CASE("A reset forgets everything, and the same calls give the same dates again") {
  BandwidthSharing sharing({{70, false}, {110, false}});
  const auto run = [&sharing] {
    std::vector<std::int64_t> ends;
    const std::uint32_t first[] = {0, 1};
    const std::uint32_t second[] = {1};
    for (int i = 0; i < 20; ++i) {
      sharing.start(i % 2 == 0 ? std::span<const std::uint32_t>(first) : second, 100 + 7 * i,
                    at_seconds(0.1 * i));
      sharing.solve(at_seconds(0.1 * i));
    }
    while (!sharing.is_idle()) {
      const auto flow = sharing.first_to_end();
      const auto end = sharing.end_of(flow);
      ends.push_back(end.picoseconds());
      sharing.remove(flow);
      sharing.solve(end);
    }
    return ends;
  };
  const auto first = run();
  sharing.start(std::vector<std::uint32_t>{0}, 5, at_seconds(1));
  sharing.set_bandwidth(0, 1);
  sharing.reset();
  CHECK(run() == first);
}
