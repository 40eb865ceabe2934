// What recorders change of a run: how two runs are held side by side, and what a recorder on the
// hosts costs.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/dated_run.hpp>
#include <orrery/replay_core/first_arrived_chooser.hpp>
#include <orrery/replay_core/host_recorder_cost.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery {
namespace {

using namespace std::chrono_literals;

DatedRun of_arrivals(std::vector<DatedRun::Arrival> arrivals) {
  DatedRun run;
  run.arrivals = std::move(arrivals);
  return run;
}

/// Rank 0 takes what the others send, which think for a while, by chance, before each message; in
/// between it computes.
void farm(World& world) {
  world.ranks(5, [&](Communicator& comm) {
    constexpr int messages = 30;
    if (comm.rank() == 0) {
      for (int i = 0; i < messages * 4; ++i) {
        static_cast<void>(comm.receive<std::int32_t>(any_source, 1));
        if (i % 7 == 0) world.compute(3'000);
      }
      return;
    }
    for (std::int32_t i = 0; i < messages; ++i) {
      world.sleep_for(std::chrono::nanoseconds(world.random().between(0, 20'000)));
      comm.send(0, 1, i);
    }
  });
}

/// 4 x 1,000 messages, as fast as the cards take them.
void flood(World& world) {
  world.ranks(5, [&](Communicator& comm) {
    for (std::int32_t i = 0; i < (comm.rank() == 0 ? 4'000 : 1'000); ++i) {
      if (comm.rank() > 0) comm.send(0, 1, i);
      if (comm.rank() == 0) static_cast<void>(comm.receive<std::int32_t>(any_source, 1));
    }
  });
}

/// Each waits for an answer before it thinks again: 30 messages each, some 100,000 a second.
void answered(World& world) {
  world.ranks(5, [&](Communicator& comm) {
    for (std::int32_t i = 0; i < (comm.rank() == 0 ? 400 : 100); ++i) {
      if (comm.rank() == 0) {
        const auto message = comm.receive<std::int32_t>(any_source, 1);
        comm.send(message.source, 2, i);
        continue;
      }
      world.sleep_for(std::chrono::nanoseconds(world.random().between(0, 50'000)));
      comm.send(0, 1, i);
      static_cast<void>(comm.receive<std::int32_t>(0, 2));
    }
  });
}

struct Result {
  DatedRun run;
  std::optional<MovedEvent> first_moved;
  VirtualTime end;
  std::uint64_t steps = 0;
};

Result run(const Program& program, const DatedRun* other, HostRecorderCost* host = nullptr,
           Recorder* recorder = nullptr) {
  SimulationOptions options;
  options.seed = 5;
  options.network = network_factory("myrinet-pcixd", 5);
  if (recorder != nullptr) options.network = with_firmware(options.network, recorder->firmware());
  DatedRunObserver observer(other);
  std::vector<Observer*> observers{&observer};
  if (host != nullptr) observers.push_back(host);
  if (recorder != nullptr) observers.push_back(&recorder->observer());
  const auto random = make_strategy("random")->chooser({});
  FirstArrivedChooser chooser(*random);
  Simulation simulation(options);
  if (host != nullptr) simulation.set_checkpointer(host);
  const Outcome outcome = simulation.run(program, chooser, observers);
  REQUIRE(outcome.status == Outcome::Status::clean);
  return {observer.run(), observer.first_moved(), outcome.end, outcome.steps};
}

bool is_same(const DatedRun& one, const DatedRun& other) {
  return one.bytes() == other.bytes();
}

}  // namespace

TEST_CASE("Messages that came otherwise are those that would have to be put elsewhere") {
  const DatedRun base = of_arrivals({{0, 1}, {0, 2}, {1, 7}, {0, 3}, {0, 4}, {1, 8}});
  CHECK(reordered(base, base) == 0);
  // At one receiver the last comes first; between receivers there is no order.
  CHECK(reordered(of_arrivals({{1, 7}, {0, 4}, {0, 1}, {0, 2}, {0, 3}, {1, 8}}), base) == 1);
  CHECK(reordered(of_arrivals({{0, 4}, {0, 3}, {0, 2}, {0, 1}, {1, 7}, {1, 8}}), base) == 3);
  CHECK(reordered(of_arrivals({{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 7}}), base) == 1);
  CHECK(reordered(of_arrivals({{0, 1}, {0, 9}, {0, 2}, {0, 3}, {0, 4}, {1, 7}, {1, 8}}), base) ==
        1);
  CHECK(reordered(of_arrivals({}), base) == 6);
}

TEST_CASE("Receives have changed that took another message, or are there only once") {
  DatedRun base;
  base.takings = {{1, 10}, {2, 20}, {3, 30}};
  DatedRun other;
  other.takings = {{2, 20}, {1, 30}, {4, 40}};
  CHECK(changed_takings(base, base) == 0);
  CHECK(changed_takings(other, base) == 3);  // 1, 4; and 3 is gone
  CHECK(changed_takings(base, other) == 3);
}

TEST_CASE("A run is the same when it is handed over as bytes") {
  const Result base = run(farm, nullptr);
  const DatedRun again = DatedRun::from(base.run.bytes());
  CHECK(is_same(again, base.run));
  CHECK(base.run.arrivals.size() == 120);
  CHECK(base.run.takings.size() == 120);
  CHECK_FALSE(base.first_moved);
}

TEST_CASE("A recorder that costs nothing moves nothing, wherever it is") {
  const Result base = run(farm, nullptr);
  HostRecorderCost host({.keeps_all = true,
                         .receive = VirtualDuration::zero(),
                         .file = VirtualDuration::zero(),
                         .file_record = VirtualDuration::zero()});
  const Result with_host = run(farm, &base.run, &host);
  CHECK(is_same(with_host.run, base.run));
  CHECK(with_host.steps == base.steps);
  CHECK(with_host.end == base.end);
  CHECK(host.records() == 120);
  for (const char* const method :
       {"nic:cycles=0,flush_cycles=0", "switch:cycles=0,flush_cycles=0"}) {
    CAPTURE(method);
    const auto recorder = make_recorder(method, "test");
    const Result with = run(farm, &base.run, nullptr, recorder.get());
    CHECK(is_same(with.run, base.run));
    CHECK_FALSE(with.first_moved);
    CHECK(with.end == base.end);
    CHECK(with.steps == base.steps);
  }
}

TEST_CASE("What a recorder on the hosts costs is the ranks' time, and moves what comes after") {
  const Result base = run(farm, nullptr);
  HostRecorderCost host({.keeps_all = false, .receive = 2us, .file = 50us, .file_record = 10ns});
  const Result with = run(farm, &base.run, &host);
  CHECK(host.records() == 120);
  CHECK(host.taken() == VirtualDuration(120 * 2us + 5 * 50us + 120 * 10ns));
  CHECK(with.end > base.end);
  CHECK(with.end <= base.end + host.taken());
  REQUIRE(with.first_moved);
  CHECK(with.first_moved->task == "rank 0");
  // Nothing is missing, and no draw has shifted: the senders' own events are where they were until
  // their files are written.
  CHECK(with.run.moments.size() == base.run.moments.size());
  CHECK(changed_takings(with.run, base.run) == 0);
  // The second receive begins so much later as the first one took.
  REQUIRE(with.first_moved->was);
  CHECK(with.first_moved->date_ps - *with.first_moved->was <= 2'000'000);
}

TEST_CASE("Each event that a recorder on the cards moves first is told") {
  const Result base = run(farm, nullptr);
  const auto recorder = make_recorder("nic:cycles=3000", "test");
  const Result with = run(farm, &base.run, nullptr, recorder.get());
  REQUIRE(with.first_moved);
  REQUIRE(with.first_moved->was);
  CHECK(with.first_moved->kind == std::string("deliver"));
  CHECK(with.first_moved->date_ps > *with.first_moved->was);
}

TEST_CASE(
    "At saturation a recorder costs time on the card, which is the slowest, and nowhere else") {
  const Result base = run(flood, nullptr);
  const auto share_added = [&](HostRecorderCost* host, const char* method) {
    const auto recorder = method == nullptr ? nullptr : make_recorder(method, "test");
    const Result with = run(flood, &base.run, host, recorder.get());
    return static_cast<double>((with.end - base.end).picoseconds()) /
           static_cast<double>(base.end.picoseconds());
  };
  CHECK(share_added(nullptr, "nic") == Approx(0.075).margin(0.005));
  CHECK(share_added(nullptr, "nic:compress=yes") == Approx(0.225).margin(0.01));
  CHECK(share_added(nullptr, "switch") < 0.001);
  HostRecorderCost host({.keeps_all = false, .receive = 280ns, .file = {}, .file_record = {}});
  CHECK(share_added(&host, nullptr) < 0.001);
}

TEST_CASE("Far below saturation all recorders change the order of messages that answers lead to") {
  const Result base = run(answered, nullptr);
  CHECK(base.end > VirtualTime::start() + 2ms);
  HostRecorderCost host(HostRecorderCosts::of_wildcards());
  CHECK(reordered(run(answered, &base.run, &host).run, base.run) > 0);
  for (const char* const method : {"nic", "switch"}) {
    CAPTURE(method);
    const auto recorder = make_recorder(method, "test");
    const Result with = run(answered, &base.run, nullptr, recorder.get());
    CHECK(reordered(with.run, base.run) > 0);
    CHECK(changed_takings(with.run, base.run) > 0);
    CHECK(with.end.picoseconds() < base.end.picoseconds() / 50 * 51);
  }
}

TEST_CASE("Costs of a recorder on the hosts are read, or refused") {
  const auto read = [](const char* text) {
    return host_recorder_costs(NameWithOptions::parse(text, "--probe-effect"));
  };
  CHECK_FALSE(read("host").keeps_all);
  CHECK(read("host").receive == HostRecorderCosts::of_wildcards().receive);
  CHECK(read("host:keeps=orders").file == HostRecorderCosts::of_orders().file);
  const HostRecorderCosts costs = read("host:keeps=orders,receive=30ns,file=2ms,file_record=1ns");
  CHECK(costs.keeps_all);
  CHECK(costs.receive == VirtualDuration(30ns));
  CHECK(costs.file == VirtualDuration(2ms));
  CHECK(costs.file_record == VirtualDuration(1ns));
  CHECK_THROWS_AS(read("host:keeps=all"), UsageError);
  CHECK_THROWS_AS(read("host:recieve=30ns"), UsageError);
  CHECK_THROWS_AS(read("host:receive=30"), UsageError);
  CHECK_THROWS_AS(read("host:3"), UsageError);
}

}  // namespace orrery
