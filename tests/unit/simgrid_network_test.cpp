// Random traffic over many platforms, beside SimGrid's own dates for it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/platform_file.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/usage_error.hpp>

using namespace orrery;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

struct Flow {
  std::int64_t start_ns = 0;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint64_t bytes = 0;
};

/// A file that is gone at the end.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_((fs::temp_directory_path() / (std::to_string(getpid()) + name)).string()) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { fs::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string platform_text(const std::string& content) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         content + "\n</platform>\n";
}

std::string cluster(const std::string& radical, const std::string& more) {
  return platform_text("<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"" + radical +
                       "\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\" " + more + "/>");
}

/// A generator of its own, so that the traffic is the same everywhere.
class Dice {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33U) % bound;
  }

 private:
  std::uint64_t state_ = 42;
};

std::vector<Flow> random_traffic(std::size_t hosts, std::size_t count, std::uint64_t gap_ns) {
  Dice dice;
  std::vector<Flow> flows;
  std::int64_t now_ns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now_ns += static_cast<std::int64_t>(dice.below(gap_ns));
    const auto source = static_cast<std::uint32_t>(dice.below(hosts));
    const auto step = static_cast<std::uint32_t>(1 + dice.below(hosts - 1));
    flows.push_back({now_ns, source, (source + step) % static_cast<std::uint32_t>(hosts),
                     1 + dice.below(2'000'000)});
  }
  return flows;
}

std::vector<double> dates_of_simgrid(const std::string& model, const std::string& platform,
                                     const std::vector<Flow>& flows) {
  std::string lines;
  for (const Flow& flow : flows) {
    char line[100];
    std::snprintf(line, sizeof line, "%.9f %u %u %llu\n", static_cast<double>(flow.start_ns) / 1e9,
                  flow.source, flow.destination, static_cast<unsigned long long>(flow.bytes));
    lines += line;
  }
  const TemporaryFile input("flows", lines);
  const std::string command =
      std::string(ORRERY_S4U_DATES) + " " + model + " '" + platform + "' < '" + input.path() + "'";
  std::FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::vector<double> ends;
  double end = 0;
  while (std::fscanf(pipe, "%lf", &end) == 1) ends.push_back(end);
  REQUIRE(pclose(pipe) == 0);
  REQUIRE(ends.size() == flows.size());
  return ends;
}

std::vector<VirtualTime> dates_of_ours(NetworkModel& network, const std::vector<Flow>& flows) {
  std::vector<VirtualTime> arrivals(flows.size());
  std::vector<ArrivalDate> dates;
  const auto take = [&] {
    for (const auto& [transfer, date] : dates) {
      arrivals.at(static_cast<std::size_t>(transfer)) = date;
    }
    dates.clear();
  };
  const auto advance_to = [&](VirtualTime date) {
    while (network.next_event() <= date && network.next_event() != VirtualTime::never()) {
      network.advance(network.next_event(), dates);
      take();
    }
  };
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto now = VirtualTime::start() + std::chrono::nanoseconds(flows[i].start_ns);
    advance_to(now);
    network.start({TransferId{i}, flows[i].source, flows[i].destination, flows[i].bytes}, now,
                  dates);
    take();
  }
  advance_to(VirtualTime::never());
  return arrivals;
}

struct NamedModel {
  const char* name;
  FlowModel model;
};
constexpr NamedModel all_models[] = {
    {"plain", FlowModel::plain}, {"CM02", FlowModel::cm02}, {"LV08", FlowModel::lv08}};

/// Within 1 ns or 1e-9, whichever is larger.
void check_dates_of(const NamedModel& model, const std::string& path, std::uint64_t gap_ns,
                    const std::vector<double>& quiet_seconds = {}) {
  CAPTURE(model.name);
  const auto platform = read_platform(path);
  auto flows = random_traffic(platform->hosts().size(), 1000, gap_ns);
  std::erase_if(flows, [&quiet_seconds](const Flow& flow) {
    return std::ranges::any_of(quiet_seconds, [&flow](double second) {
      return std::fabs(std::fmod(static_cast<double>(flow.start_ns) / 1e9, 4) - second) < 0.05;
    });
  });
  const auto theirs = dates_of_simgrid(model.name, path, flows);
  SimGridNetwork network(platform, {model.model, true});
  const auto ours = dates_of_ours(network, flows);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const double mine = static_cast<double>(ours[i].picoseconds()) / 1e12;
    const double difference = std::fabs(mine - theirs[i]);
    if (difference <= std::max(1e-9, 1e-9 * theirs[i])) continue;
    if (wrong++ == 0) {
      FAIL_CHECK("flow " << i << " ends at " << mine << " s, and with SimGrid at " << theirs[i]);
    }
  }
  CHECK(wrong == 0);
  // The same again after a reset, to the picosecond.
  network.reset();
  CHECK(dates_of_ours(network, flows) == ours);
}

void check_dates(const std::string& text, std::uint64_t gap_ns) {
  const TemporaryFile file("platform.xml", text);
  for (const NamedModel& model : all_models) check_dates_of(model, file.path(), gap_ns);
}

const char* const profile_platform =
    "<zone id=\"a\" routing=\"Full\">"
    "<host id=\"x\" speed=\"1Gf\"/><host id=\"y\" speed=\"1Gf\"/>"
    "<link id=\"l\" bandwidth=\"100MBps\" latency=\"1ms\" PROFILE/>"
    "<route src=\"x\" dst=\"y\"><link_ctn id=\"l\"/></route></zone>";

/// Of one link, whose changes are in a file beside it.
std::string with_profile(const std::string& attribute, const std::string& profile) {
  std::string text = profile_platform;
  text.replace(text.find("PROFILE"), 7, attribute + "=\"" + profile + "\"");
  return platform_text(text);
}

}  // namespace

TEST_CASE("One link: our dates are SimGrid's") {
  check_dates(platform_text("<zone id=\"a\" routing=\"Full\">"
                            "<host id=\"x\" speed=\"1Gf\"/><host id=\"y\" speed=\"1Gf\"/>"
                            "<link id=\"l\" bandwidth=\"100MBps\" latency=\"1ms\"/>"
                            "<route src=\"x\" dst=\"y\"><link_ctn id=\"l\"/></route></zone>"),
              12'000'000);
}

TEST_CASE("A cluster of split-duplex links and a backbone: our dates are SimGrid's") {
  check_dates(cluster("0-63", "bb_bw=\"2.25GBps\" bb_lat=\"500us\""), 2'000'000);
  check_dates(cluster("0-63", "bb_bw=\"1GBps\" bb_lat=\"500us\" bb_sharing_policy=\"FATPIPE\""),
              1'000'000);
}

TEST_CASE("A fat tree of three levels and 512 hosts: our dates are SimGrid's") {
  check_dates(cluster("0-511", "topology=\"FAT_TREE\" topo_parameters=\"3;8,8,8;1,4,4;1,1,1\""),
              200'000);
}

TEST_CASE("A small fat tree under load: our dates are SimGrid's") {
  check_dates(cluster("0-7", "topology=\"FAT_TREE\" topo_parameters=\"2;4,2;1,2;1,2\""), 3'000'000);
}

TEST_CASE("A torus: our dates are SimGrid's") {
  check_dates(cluster("0-63", "topology=\"TORUS\" topo_parameters=\"4,4,4\""), 1'000'000);
}

TEST_CASE("A dragonfly: our dates are SimGrid's") {
  check_dates(cluster("0-63", "topology=\"DRAGONFLY\" topo_parameters=\"2,1;2,1;4,1;4\""),
              3'000'000);
}

TEST_CASE("Zones with shortest paths, and links that are fat pipes: our dates are SimGrid's") {
  check_dates(
      platform_text(
          "<zone id=\"a\" routing=\"Floyd\">"
          "<host id=\"h0\" speed=\"1Gf\"/><host id=\"h1\" speed=\"1Gf\"/>"
          "<host id=\"h2\" speed=\"1Gf\"/><host id=\"h3\" speed=\"1Gf\"/>"
          "<link id=\"l0\" bandwidth=\"100MBps\" latency=\"1ms\"/>"
          "<link id=\"l1\" bandwidth=\"30MBps\" latency=\"10us\" sharing_policy=\"FATPIPE\"/>"
          "<link id=\"l2\" bandwidth=\"70MBps\" latency=\"10us\"/>"
          "<route src=\"h0\" dst=\"h1\"><link_ctn id=\"l0\"/></route>"
          "<route src=\"h1\" dst=\"h2\"><link_ctn id=\"l1\"/></route>"
          "<route src=\"h2\" dst=\"h3\"><link_ctn id=\"l2\"/></route></zone>"),
      15'000'000);
}

TEST_CASE("Links whose bandwidth changes as a profile says: our dates are SimGrid's") {
  const TemporaryFile profile("profile",
                              "0.5 60000000\n1.25 150000000\n3.0 20000000\nPERIODICITY 4\n");
  check_dates(with_profile("bandwidth_file", fs::path(profile.path()).filename().string()),
              14'000'000);
}

TEST_CASE("Links whose latency changes as a profile says: our dates are SimGrid's") {
  const TemporaryFile profile("latencies", "0.5 0.003\n1.25 0.0001\n3.0 0.02\nPERIODICITY 4\n");
  const TemporaryFile file(
      "platform.xml", with_profile("latency_file", fs::path(profile.path()).filename().string()));
  for (const NamedModel& model : all_models) {
    // SimGrid's way to be plain ends where a latency changes under a flow: it weighs flows again.
    // So, for that, flows of 20 ms at most that rarely meet, and none within 50 ms of a change.
    const bool is_plain = model.model == FlowModel::plain;
    check_dates_of(model, file.path(), is_plain ? 80'000'000 : 14'000'000,
                   is_plain ? std::vector<double>{0.5, 1.25, 3.0} : std::vector<double>{});
  }
}

TEST_CASE("Routes have the latency of the start, whenever they are asked for") {
  const TemporaryFile profile("latencies", "0.5 0.003\n");
  const TemporaryFile file(
      "platform.xml", with_profile("latency_file", fs::path(profile.path()).filename().string()));
  const auto platform = read_platform(file.path());
  const auto changes = platform->changes_until(VirtualTime::start() + 10s);
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].date == VirtualTime::start() + 500ms);
  CHECK(changes[0].latency == VirtualDuration(3ms));
  CHECK(platform->route(0, 1).latency == VirtualDuration(1ms));
  SimGridNetwork network(platform);
  std::vector<ArrivalDate> dates;
  network.start({TransferId{1}, 0, 1, 0}, VirtualTime::start() + 1s, dates);
  CHECK(dates.at(0).date == VirtualTime::start() + 1003ms);
}

TEST_CASE("A forked process that asks for a route first sees each change of a link once") {
  const TemporaryFile profile("profile", "0.5 60000000\n1.25 150000000\n");
  const TemporaryFile file(
      "platform.xml", with_profile("bandwidth_file", fs::path(profile.path()).filename().string()));
  const auto platform = read_platform(file.path());
  constexpr std::int64_t second_ps = 1'000'000'000'000;
  const auto changes = [&platform](std::int64_t seconds) {
    return platform->changes_until(VirtualTime::from_picoseconds(seconds * second_ps)).size();
  };
  REQUIRE(changes(2) == 2);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    static_cast<void>(platform->route(0, 1));
    _exit(changes(100) == 2 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("A host with itself, and a message without bytes, take their latency") {
  const auto platform = switched_platform(3, {25us, 125'000'000});
  SimGridNetwork network(platform);
  std::vector<ArrivalDate> dates;
  network.start({TransferId{1}, 0, 1, 0}, VirtualTime::start(), dates);
  network.start({TransferId{2}, 2, 2, 0}, VirtualTime::start(), dates);
  REQUIRE(dates.size() == 2);
  CHECK(dates[0].date == VirtualTime::start() + 50us);
  CHECK(dates[1].date == VirtualTime::start() + 500ns);
  CHECK(network.next_event() == VirtualTime::never());
}

TEST_CASE("Two messages into one host share its link, and one alone has it all") {
  // 125,000 bytes at 125 MB/s take 1 ms alone; together 2 ms, and 50 us of latency.
  const auto platform = switched_platform(4, {25us, 125'000'000});
  SimGridNetwork network(platform);
  const std::vector<Flow> both = {{0, 0, 2, 125'000}, {0, 1, 2, 125'000}};
  const auto end = VirtualTime::start() + 2050us;
  CHECK(dates_of_ours(network, both) == std::vector<VirtualTime>{end, end});
  network.reset();
  const std::vector<Flow> apart = {{0, 0, 2, 125'000}, {5'000'000, 1, 2, 125'000}};
  CHECK(dates_of_ours(network, apart) ==
        std::vector<VirtualTime>{VirtualTime::start() + 1050us, VirtualTime::start() + 6050us});
}

TEST_CASE("A date that is not final yet comes after the next event of the network") {
  const auto platform = switched_platform(3, {25us, 125'000'000});
  SimGridNetwork network(platform);
  std::vector<ArrivalDate> dates;
  network.start({TransferId{1}, 0, 1, 1}, VirtualTime::start(), dates);
  REQUIRE(dates.size() == 1);
  CHECK(network.next_event() <= dates[0].date);
  network.advance(network.next_event(), dates);
  REQUIRE(dates.size() == 2);
  CHECK(dates[1].date == VirtualTime::start() + 50us + 8ns);  // a byte at 125 MB/s
}

TEST_CASE("Two platforms are used side by side") {
  const TemporaryFile one("one.xml", cluster("0-3", ""));
  const TemporaryFile two("two.xml", cluster("0-7", "bb_bw=\"1GBps\" bb_lat=\"1ms\""));
  const auto first = read_platform(one.path());
  const auto second = read_platform(two.path());
  CHECK(first->hosts().size() == 4);
  CHECK(second->hosts().size() == 8);
  CHECK(first->route(0, 3).latency == VirtualDuration(100us));
  CHECK(second->route(0, 3).latency == VirtualDuration(1100us));
}

TEST_CASE("Properties of hosts and links are read, and hosts keep the file's order") {
  const TemporaryFile file(
      "props.xml",
      platform_text("<zone id=\"a\" routing=\"Full\">"
                    "<host id=\"b\" speed=\"2Gf\"><prop id=\"nic\" value=\"gm\"/></host>"
                    "<host id=\"a\" speed=\"1Gf\" core=\"4\"/>"
                    "<link id=\"l\" bandwidth=\"1MBps\" latency=\"1us\"/>"
                    "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>"));
  const auto platform = read_platform(file.path());
  const auto hosts = platform->hosts();
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].name == "b");
  CHECK(hosts[0].speed_flops == 2e9);
  CHECK(hosts[0].properties.at("nic") == "gm");
  CHECK(hosts[1].name == "a");
  CHECK(hosts[0].cores == 1);
  CHECK(hosts[1].cores == 4);
  const TemporaryFile many("many.xml", cluster("0-11", ""));
  CHECK(read_platform(many.path())->hosts()[10].name == "n10");
}
