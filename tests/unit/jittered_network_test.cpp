// Messages that are late by chance: how much, by whose draw, and what an explorer makes of it.
#include <chrono>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/explorers/explorer.hpp>
#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/jittered_network.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/orrery.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// Gives the draws that it is told to, and remembers for what.
class GivenChances final : public ChanceSource {
 public:
  std::uint64_t draw(std::uint64_t key, std::uint64_t bound) override {
    ++draws[key];
    CHECK(bound == Jitter::quantiles);
    return next;
  }
  std::uint64_t next = 0;
  std::map<std::uint64_t, int> draws;
};

VirtualDuration arrival(NetworkModel& network, std::uint64_t id, std::uint32_t to) {
  std::vector<ArrivalDate> dates;
  network.start({TransferId{id}, 0, to, 1'000}, VirtualTime::start(), dates);
  while (network.next_event() != VirtualTime::never()) network.advance(network.next_event(), dates);
  return dates.back().date.since_start();
}

/// Waits for 60 us; the message takes 50 us, and more by chance.  Other messages do not matter.
void impatient(World& world) {
  world.ranks(3, [&world](Communicator& comm) {
    if (comm.rank() == 0) {
      for (int i = 0; i < 4; ++i) comm.send(2, 0, i);
      comm.send(1, 0, 7);
    } else if (comm.rank() == 1) {
      world.check(comm.receive_for<int>(60us, 0).has_value(), "the message came in time");
    } else {
      for (int i = 0; i < 4; ++i) world.check(comm.receive<int>(0).value == i);
    }
  });
}

ExploreOptions timed(const char* network) {
  ExploreOptions options;
  options.runs = 200;
  options.save_logs = false;
  options.simulation.window = VirtualDuration::zero();
  options.simulation.network = network_factory(network, 3, "test");
  return options;
}

}  // namespace

TEST_CASE("The quantiles of jitter have the shape that they are to have") {
  const Jitter uniform = parse_jitter("5us", "test");
  CHECK(uniform.quantile(0) == VirtualDuration::zero());
  CHECK(uniform.quantile(Jitter::quantiles - 1) == VirtualDuration(5us));
  const Jitter exponential = parse_jitter("exponential-5us", "test");
  CHECK(exponential.quantile(0) == VirtualDuration::zero());
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < Jitter::quantiles; ++i) {
    sum += exponential.quantile(i).picoseconds();
  }
  const double mean = static_cast<double>(sum) / static_cast<double>(Jitter::quantiles);
  CHECK(mean == Approx(5e6).epsilon(0.01));
  // Half of all are below ln 2 of the mean.
  CHECK(static_cast<double>(exponential.quantile(Jitter::quantiles / 2).picoseconds()) ==
        Approx(0.6931 * 5e6).epsilon(0.01));
  CHECK(parse_jitter("uniform-2ms", "test").quantile(255) == VirtualDuration(2ms));
  CHECK_THROWS_AS(parse_jitter("normal-5us", "test"), UsageError);
  CHECK_THROWS_AS(parse_jitter("5", "test"), UsageError);
  CHECK_THROWS_AS(parse_jitter("exponential-", "test"), UsageError);
  CHECK_THROWS_AS(parse_jitter("2000h", "test"), UsageError);
}

TEST_CASE("A message is later by its draw, and not at all without a source of chances") {
  const auto network = make_network("ethernet-1g:3:jitter=40us", 3, "test");
  const auto alone = arrival(*network, 1, 1);
  CHECK(alone == VirtualDuration(58us));  // 1,000 bytes at 125 MB/s, and 50 us
  GivenChances chances;
  network->set_chances(&chances);
  network->reset();
  chances.next = Jitter::quantiles - 1;
  CHECK(arrival(*network, 1, 1) == alone + 40us);
  CHECK(chances.draws.size() == 1);
  CHECK(arrival(*network, 2, 0) < VirtualDuration(40us));  // to itself
  CHECK(chances.draws.size() == 1);
}

TEST_CASE("On a platform each link of the route draws by itself") {
  const auto platform = std::make_shared<BuiltPlatform>();
  platform->add_host({"a", 1e9, {}});
  platform->add_host({"b", 1e9, {}});
  const auto first =
      platform->add_link({"first", 125e6, 10us, LinkSharing::shared, {{"jitter", "5us"}}});
  const auto second = platform->add_link({"second", 125e6, 10us, LinkSharing::shared, {}});
  const auto third =
      platform->add_link({"third", 125e6, 10us, LinkSharing::shared, {{"jitter", "7us"}}});
  platform->set_route(0, 1, {first, second, third});
  REQUIRE(has_jitter(*platform));
  JitteredNetwork network(std::make_unique<SimGridNetwork>(platform), platform);
  GivenChances chances;
  network.set_chances(&chances);
  chances.next = Jitter::quantiles - 1;
  CHECK(arrival(network, 1, 1) == VirtualDuration(50us));  // 30 us, 8 us for the bytes, and 12 us
  CHECK(chances.draws.size() == 2);
}

TEST_CASE("Jitter shows a timeout that is too short, and the shrinker finds how late is too late") {
  CHECK(explore(timed("constant"), impatient).findings.empty());
  CHECK(explore(timed("constant:jitter=9us"), impatient).findings.empty());
  const Report report = explore(timed("constant:jitter=40us"), impatient);
  REQUIRE(report.findings.size() == 1);
  REQUIRE(report.findings[0].shrunk.has_value());
  // 10 of 40 us are quantile 63.75 of 255; all other draws are not needed.
  std::vector<std::uint64_t> late;
  for (const ScheduleEntry& entry : report.findings[0].shrunk->entries) {
    if (entry.choice == ChoiceKind::jitter && entry.value() > 0) late.push_back(entry.value());
  }
  CHECK(late == std::vector<std::uint64_t>{64});
}

TEST_CASE("Under any jitter the messages of a sender arrive in their order") {
  ExploreOptions options = timed("constant:jitter=exponential-1ms");
  options.keep_going = true;
  for (const std::size_t eager_bytes : {std::size_t{0}, std::size_t{1} << 20U}) {
    options.simulation.eager_threshold_bytes = eager_bytes;
    const Report report = explore(options, [](World& world) {
      world.ranks(2, [&world](Communicator& comm) {
        for (int i = 0; i < 10; ++i) {
          if (comm.rank() == 0) {
            comm.send(1, i % 2, i);
          } else {
            world.check(comm.receive<int>().value == i);
          }
        }
      });
    });
    CHECK(report.findings.empty());
  }
}
