#include <algorithm>
#include <chrono>
#include <memory>

#include <orrery/network_model/constant_network.hpp>

#include "reachable.hpp"

using namespace orrery;
using namespace std::chrono_literals;
using litmus::Outcomes;
using litmus::reachable;

namespace {

// Four alarms, at 100 us, 105 us, 140 us and 1 ms.
std::string order_of_alarms(World& world) {
  std::string order;
  {
    const auto ring = [&](VirtualDuration after, char letter) {
      world.sleep_for(after);
      order += letter;
    };
    Thread a = world.thread("a", [&] { ring(100us, 'a'); });
    Thread b = world.thread("b", [&] { ring(105us, 'b'); });
    Thread c = world.thread("c", [&] { ring(140us, 'c'); });
    Thread d = world.thread("d", [&] { ring(1ms, 'd'); });
  }
  return order;
}

// Three messages to rank 0, on links of 50 us, 55 us and 90 us.
SimulationOptions three_links(VirtualDuration window) {
  SimulationOptions options = litmus::machine(window);
  options.network = [] {
    auto network = std::make_unique<ConstantNetwork>(4);
    network->set_pair(1, 0, {.latency = 50us});
    network->set_pair(2, 0, {.latency = 55us});
    network->set_pair(3, 0, {.latency = 90us});
    return network;
  };
  return options;
}

std::string order_of_messages(World& world) {
  std::string order;
  world.ranks(4, [&](Communicator& comm) {
    if (comm.rank() == 0) {
      for (int received = 0; received < 3; ++received) {
        order += std::to_string(comm.receive<int>().source);
      }
    } else {
      comm.send(0, 0, comm.rank());
    }
  });
  return order;
}

Outcomes with_d_last(const Outcomes& orders) {
  Outcomes result;
  for (const std::string& order : orders) result.insert(order + "d");
  return result;
}

Outcomes permutations(std::string letters) {
  Outcomes result;
  do {
    result.insert(letters);
  } while (std::next_permutation(letters.begin(), letters.end()));
  return result;
}

}  // namespace

TEST_CASE("window 0: alarms ring in the order of their dates") {
  CHECK(reachable(order_of_alarms, litmus::machine(0us)) == Outcomes{"abcd"});
}

TEST_CASE("a window of 10 us exchanges the two alarms that are 5 us apart, and nothing else") {
  CHECK(reachable(order_of_alarms, litmus::machine(10us)) == Outcomes{"abcd", "bacd"});
}

TEST_CASE("a window of exactly the distance of two events lets them compete") {
  CHECK(reachable(order_of_alarms, litmus::machine(5us)) == Outcomes{"abcd", "bacd"});
  CHECK(reachable(order_of_alarms, litmus::machine(5us - 1ns)) == Outcomes{"abcd"});
}

TEST_CASE("a window of 36 us exchanges neighbours, but the last of three not with the first") {
  CHECK(reachable(order_of_alarms, litmus::machine(36us)) == with_d_last({"abc", "bac", "acb"}));
}

TEST_CASE("a window of 60 us gives every order of three, and the last one stays the last") {
  CHECK(reachable(order_of_alarms, litmus::machine(60us)) == with_d_last(permutations("abc")));
}

TEST_CASE("without a window's bound every order of four alarms is reached") {
  CHECK(reachable(order_of_alarms, litmus::machine(any_order)) == permutations("abcd"));
}

TEST_CASE("messages compete within the window of their arrival") {
  CHECK(reachable(order_of_messages, three_links(0us)) == Outcomes{"123"});
  CHECK(reachable(order_of_messages, three_links(10us)) == Outcomes{"123", "213"});
  CHECK(reachable(order_of_messages, three_links(60us)) == permutations("123"));
}

TEST_CASE("the clock does not go back when an early event is taken late") {
  const auto program = [](World& world) {
    bool went_back = false;
    VirtualTime latest;
    {
      const auto ring = [&](VirtualDuration after) {
        world.sleep_for(after);
        went_back = went_back || world.now() < latest;
        latest = world.now();
      };
      Thread a = world.thread("a", [&] { ring(100us); });
      Thread b = world.thread("b", [&] { ring(105us); });
    }
    return went_back ? "went back" : "now " + std::to_string(latest.nanoseconds());
  };
  // 205 us: one of them began to sleep only when the other had woken.
  CHECK(reachable(program) == Outcomes{"now 105000", "now 205000"});
}
