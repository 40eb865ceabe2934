// What faults do to programs of the C++ API.
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/explorers/strategies.hpp>
#include <orrery/network_model/fault_plan.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/orrery.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// Answers the n-th question about faults with a kind, all others with nothing.
class Striking final : public Chooser {
 public:
  Striking(std::size_t place, FaultKind kind, std::uint64_t draw = 1)
      : place_(place), kind_(kind), draw_(draw) {}
  void begin_run(const RunInfo&) override { asked_ = 0; }
  Decision choose(const ChoicePoint& point) override {
    return Decision::take(point.default_index());
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    if (question.kind != ChoiceKind::fault) return std::clamp(draw_, question.low, question.high);
    return asked_++ == place_ ? static_cast<std::uint64_t>(kind_) : 0;
  }

 private:
  std::size_t place_;
  FaultKind kind_;
  std::uint64_t draw_;
  std::size_t asked_ = 0;
};

SimulationOptions with(const std::string& faults) {
  SimulationOptions options;
  options.faults = parse_faults(faults);
  return options;
}

/// What rank 1 gets of the messages 0, 1, 2 that rank 0 sends, and when.
struct Arrival {
  int value;
  VirtualTime date;
};
std::vector<Arrival> arrivals(const SimulationOptions& options, Chooser& chooser) {
  std::vector<Arrival> result;
  Simulation simulation(options);
  const Outcome outcome = simulation.run(
      [&](World& world) {
        result.clear();
        Thread sender = world.process("sender", [&](Communicator& comm) {
          for (const int value : {0, 1, 2}) {
            comm.send(1, 0, value);
            world.sleep_for(4ms);
          }
        });
        Thread receiver = world.process("receiver", [&](Communicator& comm) {
          while (const auto message = comm.receive_for<int>(100ms)) {
            result.push_back({message->value, world.now()});
          }
        });
      },
      chooser);
  CHECK(outcome.is_clean());
  CHECK(outcome.faults.has_fired());
  return result;
}

std::vector<int> values(const std::vector<Arrival>& arrived) {
  std::vector<int> result;
  for (const Arrival& one : arrived) result.push_back(one.value);
  return result;
}

}  // namespace

TEST_CASE("Each fault of messages does what it says to one message") {
  const SimulationOptions options = with("loss,duplicate,corrupt,delay=0.01:8ms");
  Striking loses(1, FaultKind::loss);
  CHECK(values(arrivals(options, loses)) == std::vector{0, 2});
  Striking doubles(1, FaultKind::duplicate);
  CHECK(values(arrivals(options, doubles)) == std::vector{0, 1, 1, 2});
  Striking changes(1, FaultKind::corrupt, /*draw=*/4);
  CHECK(values(arrivals(options, changes)) == std::vector{0, 17, 2});  // 1 + 2^4
  Striking holds_back(1, FaultKind::delay, /*draw=*/6);
  const auto arrived = arrivals(options, holds_back);
  // It was sent at 4 ms and is 6 ms late; the next one, sent at 8 ms, does not overtake it.
  REQUIRE(values(arrived) == std::vector{0, 1, 2});
  CHECK(arrived[1].date >= VirtualTime::start() + 10ms);
  CHECK(arrived[1].date < VirtualTime::start() + 11ms);
  CHECK(arrived[2].date >= arrived[1].date);
}

TEST_CASE("A large message that is late is so once, however often its parts cross the network") {
  Simulation simulation(with("delay=0.01:8ms"));
  Striking late(0, FaultKind::delay, /*draw=*/8);
  VirtualTime received;
  const Outcome outcome = simulation.run(
      [&](World& world) {
        Thread sender = world.process("sender", [](Communicator& comm) {
          comm.send(1, 0, std::vector<int>(1 << 16));  // waits for its receive
        });
        Thread receiver = world.process("receiver", [&](Communicator& comm) {
          static_cast<void>(comm.receive<std::vector<int>>());
          received = world.now();
        });
      },
      late);
  CHECK(outcome.is_clean());
  CHECK(received >= VirtualTime::start() + 8ms);
  CHECK(received < VirtualTime::start() + 12ms);
}

TEST_CASE("A disturbance loses or holds what starts during it, and ends") {
  // Places: the sender's first send, the receiver's first receive, the second send, ...
  for (const auto kind : {FaultKind::partition, FaultKind::link_down, FaultKind::sram_full}) {
    CAPTURE(name(kind));
    const std::string text(name(kind));
    Striking strikes(2, kind);
    CHECK(values(arrivals(with(text + "=1:6ms"), strikes)) == std::vector{0});
    CHECK(values(arrivals(with(text + "=1:2ms"), strikes)) == std::vector{0, 2});
  }
  Striking stalls(2, FaultKind::nic_stall);
  const auto arrived = arrivals(with("nic-stall=1:7ms"), stalls);
  REQUIRE(values(arrived) == std::vector{0, 1, 2});
  CHECK(arrived[1].date >= VirtualTime::start() + 11ms);
}

TEST_CASE("A process whose host crashes begins again, with nothing but its disk") {
  std::vector<std::string> seen;
  int guards_alive = 0;
  struct Guard {
    explicit Guard(int& count) : count_(count) { ++count_; }
    ~Guard() { --count_; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    int& count_;
  };
  const Program program = [&](World& world) {
    seen.clear();
    Disk disk(world, "disk");
    {
      Thread service = world.process("service", [&](Communicator& comm) {
        const Guard guard(guards_alive);
        Mutex mutex(world, "mutex");
        const Thread helper = world.thread("helper", [&] {
          const Guard inner(guards_alive);
          const Lock lock(mutex);
          world.sleep_for(1h);
        });
        const auto flushed = disk.read<int>("flushed");
        const auto written = disk.read<int>("written");
        seen.push_back(std::to_string(flushed.value_or(0)) + " " +
                       std::to_string(written.value_or(0)));
        disk.write("flushed", 1);
        disk.flush();
        disk.write("written", 2);
        disk.flush();  // where it crashes, before anything has been flushed
        static_cast<void>(comm.receive<int>());
      });
      world.sleep_for(30ms);
    }
    world.check(false, "the service never ends by itself");
  };
  SimulationOptions options = with("crash=1:5ms");
  options.virtual_limit = 20ms;
  Simulation simulation(options);
  for (const std::uint64_t kept : {0U, 1U}) {
    // Places: two reads, a write, a flush, a write, a flush.
    Striking crashes(5, FaultKind::crash, kept);
    const Outcome outcome = simulation.run(program, crashes);
    CHECK(outcome.limit == Limit::virtual_time);
    CHECK(seen == std::vector<std::string>{"0 0", kept == 0 ? "1 0" : "1 2"});
    CHECK(guards_alive == 0);
  }
}

TEST_CASE("Who joins a process that crashes waits for the one that takes its place") {
  int begun = 0;
  bool has_ended = false;
  Simulation simulation(with("crash=1:5ms"));
  Striking crashes(0, FaultKind::crash);
  const Outcome outcome = simulation.run(
      [&](World& world) {
        begun = 0;
        has_ended = false;
        world
            .process("worker",
                     [&](Communicator& comm) {
                       ++begun;
                       comm.send(0, 0, 1);
                       has_ended = true;
                     })
            .join();
        world.check(has_ended, "joined too early");
      },
      crashes);
  CHECK(outcome.is_clean());
  CHECK(begun == 2);
  CHECK(outcome.end >= VirtualTime::start() + 5ms);
}

TEST_CASE("A host's clock that is ahead moves neither deadlines nor sleeps") {
  std::map<std::string, VirtualTime> clocks;
  VirtualTime slept;
  Simulation simulation(with("clock-skew=1:8s"));
  Striking ahead(99, FaultKind::none, /*draw=*/3);
  const Outcome outcome = simulation.run(
      [&](World& world) {
        Thread first = world.process("first", [&](Communicator& comm) {
          clocks["first"] = world.now();
          CHECK_FALSE(comm.receive_for<int>(10ms));
          world.sleep_until(world.now() + 5ms);
          slept = world.now();
        });
        Thread second =
            world.process("second", [&](Communicator&) { clocks["second"] = world.now(); });
      },
      ahead);
  CHECK(outcome.is_clean());
  CHECK(clocks["first"] == VirtualTime::start() + 3s);
  CHECK(clocks["second"] == VirtualTime::start());
  CHECK(slept == VirtualTime::start() + 3s + 15ms);
  CHECK(outcome.end == VirtualTime::start() + 15ms);
}

TEST_CASE("A fault strikes no more often than the plan allows, and nowhere but where it can") {
  ExploreOptions options;
  options.runs = 500;
  options.save_logs = false;
  options.isolate = false;
  options.simulation.faults = parse_faults("crash=2,partition,loss=0.5");
  const Report report = explore(options, [](World& world) {
    world.ranks(1, [](Communicator& comm) {
      comm.send(0, 0, 1);  // to itself: nothing can happen to it
      static_cast<void>(comm.receive<int>());
    });
  });
  CHECK(report.outcome() == Report::Outcome::clean);
  for (const FaultKind kind : {FaultKind::loss, FaultKind::partition}) {
    CHECK(report.faults.fired[static_cast<std::size_t>(kind)] == 0);
    CHECK(report.faults.possible[static_cast<std::size_t>(kind)] == 0);
  }
  const auto crash = static_cast<std::size_t>(FaultKind::crash);
  CHECK(report.faults.fired[crash] > 500 / 10);
  CHECK(report.faults.fired[crash] <= 2 * 500);
}

TEST_CASE("A plan as text is read back to the same plan") {
  for (const std::string text :
       {"", "loss=0.01", "loss=1", "delay=0.000000001:5ms", "crash=3:1us,clock-skew=2",
        "duplicate=0.25,corrupt=0.5,partition=1:1s,unreliable,resend=7ms"}) {
    CAPTURE(text);
    const FaultPlan plan = parse_faults(text);
    CHECK(orrery::text(plan) == text);
    CHECK(parse_faults(orrery::text(plan)) == plan);
  }
  CHECK(parse_faults("loss=0").is_empty());
  CHECK(parse_faults("crash=0").is_empty());
  CHECK_THROWS_AS(parse_faults("loss=2"), UsageError);
}
