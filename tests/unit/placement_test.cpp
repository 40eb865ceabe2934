// Which host a rank is placed on, and what is said of a placement that cannot be.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include <catch2/catch.hpp>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/run_settings.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/placement.hpp>
#include <orrery/sim_runtime/world.hpp>

using namespace orrery;

namespace {

std::vector<std::uint32_t> hosts_of(const Placement& placement, std::uint32_t ranks,
                                    std::uint32_t hosts) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    result.push_back(placement.host_of(rank, hosts));
  }
  return result;
}

using Hosts = std::vector<std::uint32_t>;

/// Three hosts whose names do not say their numbers.
class NamedNetwork final : public NetworkModel {
 public:
  void reset() override {}
  [[nodiscard]] std::uint32_t host_count() const override { return 3; }
  [[nodiscard]] HostDescription host(std::uint32_t index) const override {
    constexpr const char* names[] = {"node-1", "node-2", "2"};
    HostDescription description;
    description.name = names[index];
    return description;
  }
  void start(const Transfer&, VirtualTime, std::vector<ArrivalDate>&) override {}
  [[nodiscard]] VirtualTime next_event() const override { return VirtualTime::never(); }
  void advance(VirtualTime, std::vector<ArrivalDate>&) override {}
};

/// A host file that is there for one test.
class HostFile {
 public:
  explicit HostFile(const std::string& text) { std::ofstream(path_) << text; }
  ~HostFile() { std::remove(path_.c_str()); }
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("orrery-hosts-" + std::to_string(getpid())))
          .string();
};

Hosts read(const std::string& text, std::optional<std::uint32_t> ranks = {}) {
  const HostFile file(text);
  const Placement placement = read_host_file(file.path(), NamedNetwork(), ranks);
  return hosts_of(placement, ranks.value_or(1), 3);
}

auto says(const std::string& problem, const std::string& hint) {
  return Catch::Predicate<UsageError>([problem, hint](const UsageError& error) {
    const std::string whole = error.where() + ": " + error.problem();
    INFO(whole << " / " << error.hint());
    CHECK(whole.find(problem) != std::string::npos);
    CHECK(error.hint().find(hint) != std::string::npos);
    return true;
  });
}

}  // namespace

TEST_CASE("Ranks go round the hosts, or in blocks, or as a list says") {
  CHECK(hosts_of(Placement(), 5, 2) == Hosts{0, 1, 0, 1, 0});
  CHECK(hosts_of(Placement::block(2), 7, 3) == Hosts{0, 0, 1, 1, 2, 2, 0});
  CHECK(hosts_of(Placement::list({2, 2, 0}), 3, 3) == Hosts{2, 2, 0});
  CHECK_THROWS_AS(Placement::list({0}).host_of(1, 3), UsageError);
  CHECK_THROWS_AS(Placement::list({3}).host_of(0, 3), UsageError);
  CHECK_THROWS_AS(Placement::block(0), UsageError);
}

TEST_CASE("A map names hosts as the platform does, or by number") {
  const NamedNetwork network;
  CHECK(hosts_of(parse_placement("round-robin", network), 4, 3) == Hosts{0, 1, 2, 0});
  CHECK(hosts_of(parse_placement("block", network, 6), 6, 3) == Hosts{0, 0, 1, 1, 2, 2});
  CHECK(hosts_of(parse_placement("block", network, 2), 2, 3) == Hosts{0, 1});
  CHECK(hosts_of(parse_placement("block:3", network), 4, 3) == Hosts{0, 0, 0, 1});
  CHECK(hosts_of(parse_placement("0,0,1", network, 3), 3, 3) == Hosts{0, 0, 1});
  // A name counts before a number: the third host is called '2', and the second 'node-2'.
  CHECK(hosts_of(parse_placement("node-2*2,2,node-1", network, 4), 4, 3) == Hosts{1, 1, 2, 0});
  CHECK(hosts_of(parse_placement("host-7,host-0", ConstantNetwork(8), 2), 2, 8) == Hosts{7, 0});
}

TEST_CASE("A host file gives each host its slots, in its order") {
  CHECK(read("# a cluster\nnode-2 slots=2\n\n  node-1   # one\n2\tslots=1\r\n", 4) ==
        Hosts{1, 1, 0, 2});
}

TEST_CASE("A placement that cannot be is one clear error") {
  const NamedNetwork network;
  const auto map = [&network](const char* text, std::optional<std::uint32_t> ranks = {}) {
    static_cast<void>(parse_placement(text, network, ranks, "--map"));
  };
  CHECK_THROWS_MATCHES(map("node-1,nod-2"), UsageError,
                       says("--map: there is no host 'nod-2'", "did you mean 'node-2'?"));
  CHECK_THROWS_MATCHES(map("17"), UsageError,
                       says("there is no host '17'", "from 'node-1' to '2'"));
  CHECK_THROWS_MATCHES(map(""), UsageError, says("there is no host ''", "3 hosts"));
  CHECK_THROWS_MATCHES(map("0,1", 3), UsageError,
                       says("--map: there are places for 2 of 3 ranks", "HOST*N"));
  CHECK_THROWS_AS(map("0*0"), UsageError);
  CHECK_THROWS_AS(map("0*x"), UsageError);
  CHECK_THROWS_AS(map("block:0"), UsageError);
  CHECK_THROWS_AS(map("block:2000000"), UsageError);
  CHECK_THROWS_MATCHES(map("block"), UsageError, says("how many ranks", "block:N"));
}

TEST_CASE("Of a bad host file, the line is told") {
  CHECK_THROWS_MATCHES(read("node-1\nnode-3 slots=2\n"), UsageError,
                       says(":2: there is no host 'node-3'", "did you mean 'node-1'?"));
  CHECK_THROWS_MATCHES(read("node-1 slots=no\n"), UsageError, says(":1: slots: 'no'", "digits"));
  CHECK_THROWS_AS(read("node-1 slots=0\n"), UsageError);
  CHECK_THROWS_MATCHES(read("\n\nnode-1 max_slots=3\n"), UsageError,
                       says(":3: 'max_slots=3' is not understood", "slots=N"));
  CHECK_THROWS_MATCHES(read("node-1 slots=2\n", 3), UsageError,
                       says("there are places for 2 of 3 ranks", "slots=N"));
  CHECK_THROWS_MATCHES(read("# nothing\n"), UsageError, says("names no host", "slots=N"));
  CHECK_THROWS_MATCHES(read_host_file("/no/such/file", NamedNetwork()), UsageError,
                       says("/no/such/file: the host file cannot be read", "path"));
}

TEST_CASE("A placement is kept with the settings of a run, and logs without one are read") {
  for (const Placement& placement :
       {Placement(), Placement::block(3), Placement::list({0, 0, 7, 1, 1, 1})}) {
    RunSettings settings;
    settings.placement = placement;
    CHECK(decode_settings(encode_settings(settings)).placement == placement);
    CHECK(Placement::from_text(placement.text()) == placement);
  }
  CHECK(Placement::list({0, 0, 7, 1, 1, 1}).text() == "0*2,7,1*3");
  CHECK_THROWS_AS(Placement::from_text("node-1"), UsageError);
}

TEST_CASE("Processes that share a host send through its memory") {
  SimulationOptions options;
  options.network = [] { return std::make_unique<ConstantNetwork>(8); };
  options.placement = Placement::list({1, 1, 2});
  std::map<std::string, VirtualDuration> took;
  const Program program = [&took](World& world) {
    std::vector<Thread> processes;
    processes.push_back(world.process("a", [&](Communicator& comm) {
      for (const int to : {1, 2, 3}) comm.send(to, 0, 1);
    }));
    for (const char* const name : {"same", "other"}) {
      processes.push_back(world.process(name, [&world, &took, name](Communicator& comm) {
        static_cast<void>(comm.receive<int>(0));
        took[name] = world.now().since_start();
      }));
    }
    processes.push_back(world.process_on("host-1", "named", [&world, &took](Communicator& comm) {
      static_cast<void>(comm.receive<int>(0));
      took["named"] = world.now().since_start();
    }));
  };
  UndisturbedChooser chooser;
  Simulation simulation(options);
  CHECK(simulation.run(program, chooser).is_clean());
  CHECK(simulation.hosts_of_ranks() == Hosts{1, 1, 2, 1});
  CHECK(took["same"] < VirtualDuration(std::chrono::microseconds(1)));
  CHECK(took["named"] < VirtualDuration(std::chrono::microseconds(1)));
  CHECK(took["other"] > VirtualDuration(std::chrono::microseconds(50)));
  const Program lost = [](World& world) {
    static_cast<void>(world.process_on("host-9", "lost", [](Communicator&) {}));
  };
  CHECK_THROWS_MATCHES(simulation.run(lost, chooser), UsageError,
                       says("World::process_on: there is no host 'host-9'", "did you mean"));
}
