#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "run_undisturbed.hpp"

using namespace orrery;
using orrery::test::run_undisturbed;
using namespace std::chrono_literals;

namespace {

VirtualDuration time_of(std::uint64_t size_bytes, SimulationOptions options = {}) {
  VirtualDuration received;
  const auto outcome = run_undisturbed(
      [&](World& world) {
        world.ranks(2, [&](Communicator& comm) {
          if (comm.rank() == 0) return comm.send(1, 0, std::vector<char>(size_bytes));
          static_cast<void>(comm.receive<std::vector<char>>());
          received = world.now().since_start();
        });
      },
      std::move(options));
  CHECK(outcome.is_clean());
  return received;
}

}  // namespace

TEST_CASE("an eager message takes latency plus bytes over bandwidth, to the nanosecond") {
  CHECK(time_of(0) == VirtualDuration(50us));
  CHECK(time_of(10'000) == VirtualDuration(130us));
}

TEST_CASE("a rendezvous takes an envelope, a clear-to-send and the data") {
  SimulationOptions options;
  options.eager_threshold_bytes = 0;
  CHECK(time_of(10'000, options) == VirtualDuration(230us));
}

TEST_CASE("messages of one sender do not overtake, though a later one is smaller") {
  std::vector<std::uint64_t> sizes;
  const auto outcome = run_undisturbed([&](World& world) {
    sizes.clear();
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 0) {
        comm.send(1, 0, std::vector<char>(60'000));
        comm.send(1, 0, std::vector<char>(1));
      } else {
        for (int i = 0; i < 2; ++i) sizes.push_back(comm.receive<std::vector<char>>().value.size());
      }
    });
  });
  CHECK(outcome.is_clean());
  CHECK(sizes == std::vector<std::uint64_t>{60'000, 1});
}

TEST_CASE("tags and sources select, in any order of arrival") {
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(3, [&](Communicator& comm) {
      if (comm.rank() > 0) {
        for (int tag = 0; tag < 5; ++tag) comm.send(0, tag, comm.rank() * 10 + tag);
        return;
      }
      world.sleep_for(10ms);
      for (int tag = 4; tag >= 0; --tag) {
        check(comm.receive<int>(2, tag).value == 20 + tag);
      }
      const auto any_tag_of_1 = comm.receive<int>(1);
      check(any_tag_of_1.tag == 0 && any_tag_of_1.value == 10);
      check(comm.receive<int>(any_source, 3).value == 13);
      check(comm.receive<int>().value == 11);
      check(comm.receive<int>().value == 12);
      check(comm.receive<int>().value == 14);
    });
  });
  CHECK(outcome.is_clean());
}

TEST_CASE("a program may give each message a tag of its own") {
  // More tags than the tables keep, three times over: taken by tag, by any tag, and by posts.
  constexpr std::int32_t tags = 200;
  std::vector<std::int32_t> received;
  const auto outcome = run_undisturbed([&](World& world) {
    received.clear();
    world.ranks(2, [&](Communicator& comm) {
      for (std::int32_t i = 0; comm.rank() == 0 && i < 3 * tags; ++i) comm.send(1, i, i);
      if (comm.rank() == 0) return;
      std::vector<Request> posted;
      for (std::int32_t i = 3 * tags; i-- > 2 * tags;) posted.push_back(comm.start_receive(0, i));
      for (std::int32_t i = tags; i-- > 0;) {
        received.push_back(comm.receive<std::int32_t>(0, i).value);
      }
      for (std::int32_t i = 0; i < tags; ++i) {
        received.push_back(comm.receive<std::int32_t>().value);
      }
      for (Request& request : posted) {
        request.wait();
        const auto bytes = request.take_payload();
        std::memcpy(&received.emplace_back(), bytes.data(), sizeof(std::int32_t));
      }
    });
  });
  CHECK(outcome.is_clean());
  std::vector<std::int32_t> expected;
  for (std::int32_t i = tags; i-- > 0;) expected.push_back(i);
  for (std::int32_t i = tags; i < 2 * tags; ++i) expected.push_back(i);
  for (std::int32_t i = 3 * tags; i-- > 2 * tags;) expected.push_back(i);
  CHECK(received == expected);
}

TEST_CASE("text, vectors and structures travel") {
  struct Point {
    double x;
    int id;
  };
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(2, [](Communicator& comm) {
      if (comm.rank() == 0) {
        comm.send(1, 0, std::string("hello"));
        comm.send(1, 1, std::vector{1.5, 2.5});
        comm.send(1, 2, Point{0.5, 7});
      } else {
        check(comm.receive<std::string>(0, 0).value == "hello");
        check(comm.receive<std::vector<double>>(0, 1).value == std::vector{1.5, 2.5});
        check(comm.receive<Point>(0, 2).value.id == 7);
      }
    });
  });
  CHECK(outcome.is_clean());
}

TEST_CASE("posted receives take messages in the order in which they were posted") {
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 0) {
        world.sleep_for(1ms);
        for (int i = 0; i < 3; ++i) comm.send(1, 5, i);
        return;
      }
      std::vector<Request> requests;
      requests.push_back(comm.start_receive(0, 5));
      requests.push_back(comm.start_receive(any_source, any_tag));
      requests.push_back(comm.start_receive(any_source, 5));
      for (int i = 2; i >= 0; --i) {
        auto& request = requests[static_cast<std::size_t>(i)];
        request.wait();
        int value = -1;
        const auto bytes = request.take_payload();
        std::memcpy(&value, bytes.data(), sizeof value);
        check(value == i);
      }
    });
  });
  CHECK(outcome.is_clean());
}

TEST_CASE("a select reports one of the completed requests") {
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(3, [](Communicator& comm) {
      if (comm.rank() > 0) return comm.send(0, comm.rank(), comm.rank());
      std::vector<Request> requests{comm.start_receive(1), comm.start_receive(2)};
      std::map<std::size_t, int> seen;
      for (int i = 0; i < 2; ++i) {
        const auto index = comm.select(requests);
        check(index.has_value());
        static_cast<void>(requests[*index].take_payload());
        ++seen[*index];
      }
      check(seen.size() == 2);
      check(!comm.select(std::vector{comm.start_receive(2)}, 1ms).has_value(), "timeout");
    });
  });
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings[0].kind == FindingKind::leak);  // the last receive, left alone on purpose
}

TEST_CASE("several tasks may wait for one request, and one may give up and wait again") {
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(3, [&world](Communicator& comm) {
      if (comm.rank() > 0) return comm.send(0, 0, comm.rank());
      std::vector<Request> requests{comm.start_receive(1), comm.start_receive(2)};
      check(!comm.select(requests, 1us).has_value(), "a message takes longer");
      int complete = 0;
      const auto wait_for_all = [&requests, &complete] {
        for (Request request : requests) {
          request.wait();
          ++complete;
        }
      };
      auto first = world.thread("first", wait_for_all);
      auto second = world.thread("second", wait_for_all);
      check(comm.select(requests).has_value());
      first.join();
      second.join();
      check(complete == 4);
      for (Request& request : requests) static_cast<void>(request.take_payload());
    });
  });
  CHECK(outcome.is_clean());
}

TEST_CASE("a receive or a send can be taken back while nobody has matched it") {
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 0) {
        auto never = comm.start_receive(1, 99);
        check(never.cancel());
        auto taken_back = comm.start_send(1, 1, 1, SendMode::synchronous);
        check(taken_back.cancel());
        comm.send(1, 2, 2);
      } else {
        check(comm.receive<int>().tag == 2);
        world.sleep_for(1ms);
        check(!comm.try_probe().has_value());
      }
    });
  });
  CHECK(outcome.is_clean());
}

TEST_CASE("a probe shows a message and leaves it there") {
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(2, [](Communicator& comm) {
      if (comm.rank() == 0) return comm.send(1, 3, 1234);
      const auto seen = comm.probe();
      check(seen.source == 0 && seen.tag == 3 && seen.size_bytes == sizeof(int));
      check(comm.try_probe(0, 3).has_value());
      check(comm.receive<int>().value == 1234);
    });
  });
  CHECK(outcome.is_clean());
}

TEST_CASE("a synchronous send waits for its receive, a buffered one never does") {
  const auto outcome = run_undisturbed([](World& world) {
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 0) {
        comm.send(1, 0, 1, SendMode::buffered);
        check(world.now() == VirtualTime::start());
        comm.send(1, 0, 2, SendMode::synchronous);
        check(world.now() >= VirtualTime::start() + 5ms);
      } else {
        world.sleep_for(5ms);
        static_cast<void>(comm.receive<int>());
        static_cast<void>(comm.receive<int>());
      }
    });
  });
  CHECK(outcome.is_clean());
}
