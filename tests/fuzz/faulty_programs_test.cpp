// Random programs under random faults: recorded, then replayed on other machines as the same run.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/keyed_draw.hpp>
#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/orrery.hpp>

#include "replay/seen_run.hpp"

using namespace orrery;
using namespace std::chrono_literals;
using test::SeenRun;

namespace {

constexpr std::uint64_t programs = 300;
constexpr std::uint64_t actions = 12;

/// What one process does, drawn from its seed; what it sends depends on what it has got.
class Behaviour {
 public:
  Behaviour(World& world, Communicator& comm, Disk& disk, const KeyedDraw& draw)
      : world_(world), comm_(comm), disk_(disk), draw_(draw), mutex_(world, "own") {}

  void run() {
    state_ += disk_.read<std::uint64_t>("state").value_or(0);
    for (std::uint64_t i = 0; i < actions; ++i) act(i);
  }

 private:
  std::uint64_t pick(std::uint64_t action, std::uint64_t salt, std::uint64_t bound) const {
    return scale_to(draw_.bits(action, salt), bound);
  }
  void act(std::uint64_t i) {
    const auto peer =
        static_cast<std::int32_t>(pick(i, 2, static_cast<std::uint64_t>(comm_.size())));
    switch (pick(i, 1, 8)) {
      case 0:
      case 1: comm_.send(peer, 0, state_); return;
      case 2: take(comm_.receive_for<std::uint64_t>(3ms)); return;
      case 3: take(comm_.receive_for<std::uint64_t>(2ms, peer)); return;
      case 4: disk_.write("state", state_); return;
      case 5: disk_.flush(); return;
      case 6: world_.sleep_for(std::chrono::microseconds(pick(i, 3, 4000))); return;
      default: help(peer); return;
    }
  }
  template <typename Received>
  void take(const Received& received) {
    if (received) state_ = mix64(state_ + received->value);
  }
  void help(std::int32_t peer) {
    const Thread helper = world_.thread("helper", [this, peer] {
      const Lock lock(mutex_);
      comm_.send(peer, 1, ++state_);
    });
    const Lock lock(mutex_);
    world_.sleep_for(1ms);
  }

  World& world_;
  Communicator& comm_;
  Disk& disk_;
  KeyedDraw draw_;
  Mutex mutex_;
  std::uint64_t state_ = 1;
};

Program random_program(std::uint64_t seed) {
  return [seed](World& world) {
    const KeyedDraw draw(seed, 0);
    const std::uint64_t processes = 2 + scale_to(draw.bits(0, 9), 3);
    std::vector<std::unique_ptr<Disk>> disks;
    for (std::uint64_t rank = 0; rank < processes; ++rank) {
      disks.push_back(std::make_unique<Disk>(world));
    }
    std::vector<Thread> handles;
    for (std::uint64_t rank = 0; rank < processes; ++rank) {
      handles.push_back(
          world.process("rank " + std::to_string(rank), [&, rank](Communicator& comm) {
            Behaviour(world, comm, *disks[rank], KeyedDraw(seed, 1 + rank)).run();
          }));
    }
  };
}

SeenRun run_on(const SimulationOptions& options, const Program& program, Chooser& chooser) {
  Simulation simulation(options);
  return test::watch(simulation, program, chooser);
}

std::vector<SimulationOptions> other_machines(const SimulationOptions& options) {
  std::vector<SimulationOptions> machines(4, options);
  machines[0].seed = 1234;
  machines[1].window = VirtualDuration::zero();
  machines[2].window = 100us;
  machines[2].network = network_factory("ethernet-1g", 8);
  machines[3].window = any_order;
  machines[3].network = network_factory("myrinet-pci64b", 8);
  return machines;
}

}  // namespace

TEST_CASE("a random program under random faults replays on other machines as the same run") {
  const auto strategy = make_strategy("random");
  std::uint64_t with_crash = 0;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    CAPTURE(seed);
    SimulationOptions options;
    options.seed = seed;
    options.window = seed % 3 == 0 ? VirtualDuration::zero() : any_order;
    options.faults = parse_faults(
        "loss=0.05,duplicate=0.05,corrupt=0.05,delay=0.1,partition=2:2ms,link-down=2:1ms,"
        "nic-stall=2,sram-full=2,crash=2:3ms,clock-skew=2");
    const Program program = random_program(seed);
    const SeenRun seen = run_on(options, program, *strategy->chooser({}));
    REQUIRE(seen.outcome.is_clean());
    with_crash += seen.outcome.faults.fired[static_cast<std::size_t>(FaultKind::crash)];
    CHECK(decode_schedule(encode_schedule(seen.schedule)) == seen.schedule);
    std::size_t machine = 0;
    for (const SimulationOptions& other : other_machines(options)) {
      CAPTURE(machine++);
      UndisturbedChooser fallback;
      ScheduleReplayer replayer(seen.schedule, fallback);
      const SeenRun again = run_on(other, program, replayer);
      INFO((replayer.parted() ? replayer.parted()->message : ""));
      REQUIRE_FALSE(replayer.parted());
      REQUIRE(replayer.is_used_up());
      REQUIRE_FALSE(first_difference(seen.events, again.events));
      REQUIRE(again.schedule == seen.schedule);
      REQUIRE(again.outcome.is_clean());
      REQUIRE(again.outcome.faults.fired == seen.outcome.faults.fired);
    }
  }
  CHECK(with_crash > programs / 4);
}
