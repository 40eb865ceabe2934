#include <chrono>

#include "reachable.hpp"

using namespace orrery;
using namespace std::chrono_literals;
using litmus::Outcomes;
using litmus::reachable;

namespace {

const Outcomes all_orders_of_three{"123", "132", "213", "231", "312", "321"};

// Rank 0 writes down the sources of as many messages as come.
std::string order_of_arrival(World& world, std::int32_t senders, VirtualDuration receiver_sleeps) {
  std::string order;
  world.ranks(static_cast<std::uint32_t>(senders) + 1, [&](Communicator& comm) {
    if (comm.rank() != 0) {
      comm.send(0, 0, comm.rank());
      return;
    }
    if (receiver_sleeps != VirtualDuration::zero()) world.sleep_for(receiver_sleeps);
    for (std::int32_t received = 0; received < senders; ++received) {
      order += std::to_string(comm.receive<int>().source);
    }
  });
  return order;
}

}  // namespace

TEST_CASE("one wildcard receiver takes the messages of three senders in all six orders") {
  // Both have arrived when the receiver looks: the answer is a choice of messages ...
  CHECK(reachable([](World& world) { return order_of_arrival(world, 3, 1ms); },
                  litmus::machine(0us)) == all_orders_of_three);
  // ... and here they arrive at one instant: a choice of deliveries.
  CHECK(reachable([](World& world) { return order_of_arrival(world, 3, 0us); },
                  litmus::machine(0us)) == all_orders_of_three);
}

TEST_CASE("two senders are received in both orders whatever the window") {
  const auto program = [](World& world) { return order_of_arrival(world, 2, 0us); };
  CHECK(reachable(program, litmus::machine(0us)) == Outcomes{"12", "21"});
  CHECK(reachable(program) == Outcomes{"12", "21"});
}

TEST_CASE("messages of one sender do not overtake each other") {
  const auto program = [](World& world) {
    std::string order;
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 1) {
        for (char letter : {'a', 'b', 'c'}) comm.send(0, letter, letter);
      } else {
        for (int received = 0; received < 3; ++received) order += comm.receive<char>().value;
      }
    });
    return order;
  };
  CHECK(reachable(program) == Outcomes{"abc"});
}

TEST_CASE("a large message first and a small one after it do not overtake each other either") {
  const auto program = [](World& world) {
    std::string order;
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 1) {
        Request first = comm.start_send(0, 0, std::string(1'000'000, 'a'));
        comm.send(0, 0, std::string("b"));
        first.wait();
      } else {
        for (int received = 0; received < 2; ++received)
          order += comm.receive<std::string>().value[0];
      }
    });
    return order;
  };
  CHECK(reachable(program) == Outcomes{"ab"});
  CHECK(reachable(program, litmus::machine(0us)) == Outcomes{"ab"});
}

TEST_CASE("messages of one sender may be taken out of order by their tags") {
  const auto program = [](World& world) {
    std::string order;
    world.ranks(2, [&](Communicator& comm) {
      if (comm.rank() == 1) {
        comm.send(0, 1, 'a');
        comm.send(0, 2, 'b');
      } else {
        order += comm.receive<char>(1, 2).value;
        order += comm.receive<char>(1, any_tag).value;
      }
    });
    return order;
  };
  CHECK(reachable(program) == Outcomes{"ba"});
}

TEST_CASE("between two senders only messages of one sender keep their order") {
  const auto program = [](World& world) {
    std::string order;
    world.ranks(3, [&](Communicator& comm) {
      if (comm.rank() == 0) {
        for (int received = 0; received < 3; ++received) order += comm.receive<char>().value;
      } else if (comm.rank() == 1) {
        comm.send(0, 0, 'a');
        comm.send(0, 0, 'b');
      } else {
        comm.send(0, 0, 'x');
      }
    });
    return order;
  };
  CHECK(reachable(program, litmus::machine(100us)) == Outcomes{"abx", "axb", "xab"});
}

TEST_CASE("what a wildcard probe has seen is what a receive from its source takes") {
  const auto program = [](World& world) {
    std::string order;
    world.ranks(3, [&](Communicator& comm) {
      if (comm.rank() != 0) {
        comm.send(0, comm.rank(), comm.rank());
        return;
      }
      for (int received = 0; received < 2; ++received) {
        const Envelope seen = comm.probe();
        const auto message = comm.receive<int>(seen.source, seen.tag);
        world.check(message.value == seen.source);
        order += std::to_string(message.value);
      }
    });
    return order;
  };
  CHECK(reachable(program) == Outcomes{"12", "21"});
}

TEST_CASE("select reports either of two completed requests first") {
  const auto program = [](World& world) {
    std::string order;
    world.ranks(3, [&](Communicator& comm) {
      if (comm.rank() != 0) {
        comm.send(0, 0, comm.rank());
        return;
      }
      std::vector<Request> requests{comm.start_receive(1), comm.start_receive(2)};
      const auto first = comm.select(requests);
      order = std::to_string(first.value());
      requests[1 - *first].wait();
    });
    return order;
  };
  CHECK(reachable(program) == Outcomes{"0", "1"});
}
