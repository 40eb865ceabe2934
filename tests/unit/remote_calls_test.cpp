// Remote calls, by the table of functions that front ends have.
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/fault_plan.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>
#include <orrery/sim_runtime/simulated_runtime.hpp>

#include "litmus/reachable.hpp"
#include "replay/seen_run.hpp"

using namespace orrery;
using namespace std::chrono_literals;

namespace {

const OrreryRuntime& table() {
  return simulated_runtime();
}

// The other end: a number a rank, which calls add to.  Tag 0 answers with what was there before,
// tag 1 waits until a call with tag 2 comes, whose answer is empty.
struct Service {
  std::vector<int> numbers = std::vector<int>(8);
  std::vector<std::uint64_t> waiting;

  static void handle(void* argument, std::uint64_t call, const OrreryEnvelope* envelope,
                     const void* data) {
    auto& service = *static_cast<Service*>(argument);
    int& number = service.numbers[static_cast<std::size_t>(envelope->destination)];
    if (envelope->tag == 1) {
      service.waiting.push_back(call);
      return;
    }
    if (envelope->tag == 2) {
      table().answer_call(call, nullptr, 0);
      for (const std::uint64_t other : service.waiting) table().answer_call(other, &number, 4);
      service.waiting.clear();
      return;
    }
    int addend = 0;
    std::memcpy(&addend, data, sizeof addend);
    const int former = number;
    number += addend;
    table().answer_call(call, &former, sizeof former);
  }
};

OrreryRequest call(int from, int to, int tag, int value, std::uint32_t context = 5) {
  const OrreryEnvelope envelope{context, from, to, tag, sizeof value, 0};
  return table().start_call(&envelope, &value, "add", 0);
}

int answer(OrreryRequest request) {
  std::int32_t index = 0;
  table().select(&request, 1, ORRERY_SELECT_ALL, &index, 0);
  OrreryEnvelope envelope{};
  table().inspect(request, &envelope);
  int value = -1;
  if (envelope.size_bytes == sizeof value) {
    std::memcpy(&value, table().payload(request), sizeof value);
  }
  table().release(request);
  return value;
}

void serve(World& world, std::uint32_t ranks, Service& service,
           const std::function<void(int)>& program) {
  service = {};
  world.ranks(ranks, [&](Communicator& comm) {
    table().set_call_handler(Service::handle, &service);
    program(comm.rank());
  });
}

/// The first message that could meet with a fault meets with this one.
class FirstFault final : public Chooser {
 public:
  explicit FirstFault(FaultKind kind) : kind_(kind) {}
  Decision choose(const ChoicePoint& point) override {
    return Decision::take(point.default_index());
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    if (question.kind != ChoiceKind::fault || struck_) return question.low;
    struck_ = true;
    return static_cast<std::uint64_t>(kind_);
  }

 private:
  FaultKind kind_;
  bool struck_ = false;
};

Outcome run(std::uint32_t ranks, const std::function<void(int)>& program,
            SimulationOptions options = {}) {
  Service service;
  Simulation simulation(options);
  UndisturbedChooser chooser;
  return simulation.run([&](World& world) { serve(world, ranks, service, program); }, chooser);
}

}  // namespace

TEST_CASE("a remote call is answered while the rank that it goes to does nothing of the kind") {
  SimulationOptions options;
  options.network = [] {
    return std::make_unique<ConstantNetwork>(
        8, LinkSpeed{.latency = 10us, .bandwidth_bytes_per_second = 1'000'000'000});
  };
  const auto outcome = run(
      2,
      [](int rank) {
        if (rank != 0) return;
        check(answer(call(0, 1, 0, 7)) == 0);
        check(answer(call(0, 1, 0, 5)) == 7);
        check(answer(call(0, 0, 0, 5)) == 0);
      },
      options);
  CHECK(outcome.is_clean());
  // Two ways there and back of 4 bytes each, at 10 us and 1 ns a byte; its own costs no less.
  CHECK(outcome.end.picoseconds() >= 40'016'000);
}

TEST_CASE("calls of one context arrive in order, and calls of two in any order") {
  const auto orders = [](std::uint32_t second_context) {
    return litmus::reachable([second_context](World& world) {
      static Service service;
      int first = -1;
      serve(world, 2, service, [&](int rank) {
        if (rank != 0) return;
        const OrreryRequest one = call(0, 1, 0, 1, 5);
        const OrreryRequest other = call(0, 1, 0, 2, second_context);
        first = answer(one);
        answer(other);
      });
      return std::to_string(first);
    });
  };
  CHECK(orders(5) == litmus::Outcomes{"0"});
  CHECK(orders(6) == litmus::Outcomes{"0", "2"});
}

TEST_CASE("a call may be answered later, when another one comes") {
  const auto outcome = run(3, [](int rank) {
    if (rank == 0) check(answer(call(0, 2, 1, 0)) == 0);
    if (rank == 1) {
      table().sleep(1'000'000'000, 0);
      check(answer(call(1, 2, 2, 0)) == -1);
    }
  });
  CHECK(outcome.is_clean());
}

TEST_CASE("who waits for an answer that never comes is named in the deadlock") {
  const auto outcome = run(2, [](int rank) {
    if (rank == 0) answer(call(0, 1, 1, 0));
  });
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings.front().kind == FindingKind::deadlock);
  CHECK_THAT(outcome.findings.front().message,
             Catch::Contains("rank 0 waits for rank 1 to answer add"));
}

TEST_CASE("a run with remote calls is the same under another seed, window and network") {
  Service service;
  const auto program = [&](World& world) {
    serve(world, 3, service, [](int rank) {
      std::vector<OrreryRequest> calls;
      for (std::uint32_t i = 0; i < 6; ++i) {
        calls.push_back(call(rank, static_cast<int>(i % 3), 0, rank + 1, 5 + i % 2));
      }
      for (const OrreryRequest request : calls) answer(request);
    });
  };
  SimulationOptions options;
  options.window = any_order;
  const auto chooser = make_strategy("random")->chooser({});
  Simulation simulation(options);
  bool differ = false;
  std::vector<EventStream::Entry> first;
  for (std::uint64_t index = 0; index < 10; ++index) {
    simulation.set_run(/*seed=*/1, index);
    const test::SeenRun seen = test::watch(simulation, program, *chooser);
    CHECK(seen.outcome.is_clean());
    if (index == 0) first = seen.events;
    differ = differ || first_difference(first, seen.events);
    SimulationOptions other;
    other.seed = 77;
    other.window = index % 2 == 0 ? VirtualDuration::zero() : VirtualDuration(60us);
    other.network = [] {
      return std::make_unique<ConstantNetwork>(
          8, LinkSpeed{.latency = 3ms, .bandwidth_bytes_per_second = 1'000'000});
    };
    Simulation elsewhere(other);
    UndisturbedChooser fallback;
    ScheduleReplayer replayer(seen.schedule, fallback);
    const test::SeenRun again = test::watch(elsewhere, program, replayer);
    CHECK_FALSE(replayer.parted());
    CHECK(replayer.is_used_up());
    CHECK_FALSE(first_difference(seen.events, again.events));
  }
  CHECK(differ);
}

TEST_CASE("a call that is lost is answered by nobody, and none is answered twice") {
  for (const FaultKind kind : {FaultKind::loss, FaultKind::duplicate}) {
    SimulationOptions options;
    options.faults = parse_faults("loss,duplicate");
    FirstFault chooser(kind);
    Service service;
    Simulation simulation(options);
    const Outcome outcome = simulation.run(
        [&](World& world) {
          serve(world, 2, service, [](int rank) {
            if (rank == 0) check(answer(call(0, 1, 0, 7)) == 0);
          });
        },
        chooser);
    if (kind == FaultKind::loss) {
      REQUIRE(outcome.findings.size() == 1);
      CHECK(outcome.findings.front().kind == FindingKind::deadlock);
    } else {
      CHECK(outcome.is_clean());
      CHECK(service.numbers[1] == 7);
    }
  }
}
