#include "synchronisation/stamp_order.hpp"

#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using orrery::TaskId;
using orrery::detail::StampOrder;

TEST_CASE("the least of all stamps is known whatever comes and goes") {
  std::mt19937_64 random(5);
  for (std::uint32_t tasks = 0; tasks < 40; ++tasks) {
    StampOrder order;
    order.begin(tasks);
    CHECK(order.empty());
    std::set<std::pair<std::uint64_t, std::uint32_t>> expected;
    std::vector<std::uint64_t> stamps(tasks, StampOrder::none);
    for (int i = 0; tasks > 0 && i < 300; ++i) {
      const auto task = static_cast<std::uint32_t>(random() % tasks);
      expected.erase({stamps[task], task});
      stamps[task] = random() % 4 == 0 ? StampOrder::none : random() % 50;
      if (stamps[task] == StampOrder::none) {
        order.remove(TaskId{task});
      } else {
        order.put(TaskId{task}, stamps[task]);
        expected.insert({stamps[task], task});
      }
      REQUIRE(order.empty() == expected.empty());
      if (expected.empty()) continue;
      CHECK(order.least() == expected.begin()->first);
      CHECK(order.first() == TaskId{expected.begin()->second});
    }
  }
}
