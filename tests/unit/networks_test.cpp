#include <chrono>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/usage_error.hpp>

using namespace orrery;

namespace {

std::int64_t picoseconds_for(const std::string& text, std::uint32_t source,
                             std::uint32_t destination, std::uint64_t size_bytes) {
  const auto network = make_network(text, 4, "--platform");
  std::vector<ArrivalDate> dates;
  network->start({TransferId{1}, source, destination, size_bytes}, VirtualTime::start(), dates);
  REQUIRE(dates.size() == 1);
  return dates.front().date.picoseconds();
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(make_network(text, 4, "--platform"));
  } catch (const UsageError& error) {
    CHECK(error.where().find("--platform") == 0);
    CHECK_FALSE(error.hint().empty());
    return error.what();
  }
  FAIL("'" << text << "' was accepted");
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Every network of the table says what it is and can be made by its name alone") {
  REQUIRE_FALSE(network_table().empty());
  for (const NetworkEntry& entry : network_table()) {
    CAPTURE(entry.name);
    CHECK_FALSE(entry.description.empty());
    const auto network = make_network(entry.name, 3);
    CHECK(network->host_count() == 3);
  }
}

TEST_CASE("The number of hosts comes from the text or else from the caller") {
  CHECK(make_network("constant", 4)->host_count() == 4);
  CHECK(make_network("constant:16", 4)->host_count() == 16);
  CHECK(make_network("constant:hosts=8", 4)->host_count() == 8);
  CHECK(make_network("constant:16:latency=1us", 4)->host_count() == 16);
}

TEST_CASE("The constant network takes latencies and bandwidths") {
  CHECK(picoseconds_for("constant", 0, 1, 10'000) == 130'000'000);
  CHECK(picoseconds_for("constant:latency=5us,bandwidth=1GB/s", 0, 1, 1'000) == 6'000'000);
  CHECK(picoseconds_for("constant:bandwidth=12.5M,latency=0", 0, 1, 1'000) == 80'000'000);
  CHECK(picoseconds_for("constant:bandwidth=125000kB/s", 0, 1, 10'000) == 130'000'000);
  CHECK(picoseconds_for("constant:bandwidth=infinity", 0, 1, 10'000) == 50'000'000);
  CHECK(picoseconds_for("constant:loopback_latency=2us,loopback_bandwidth=1G", 2, 2, 1'000) ==
        3'000'000);
}

TEST_CASE("Unknown networks and options are refused with the nearest name") {
  CHECK(contains(refusal("constnat"), "did you mean 'constant'?"));
  CHECK(contains(refusal("zzz"), "one of: constant"));
  CHECK(contains(refusal("constant:latencey=5us"), "did you mean 'latency'?"));
  CHECK(contains(refusal("constant:loopback_bandwith=1G"), "did you mean 'loopback_bandwidth'?"));
}

TEST_CASE("Bad values are refused and name their key") {
  CHECK(contains(refusal("constant:latency=5"), "--platform constant:latency"));
  CHECK(contains(refusal("constant:bandwidth=5Mb"), "constant:bandwidth"));
  CHECK(contains(refusal("constant:bandwidth=0"), "from 1 to"));
  CHECK(contains(refusal("constant:bandwidth=0.5"), "whole number of bytes"));
  CHECK(contains(refusal("constant:bandwidth=fast"), "not a bandwidth"));
  CHECK(contains(refusal("constant:hosts=-1"), "not a whole number"));
  CHECK(contains(refusal("constant:0"), "out of range"));
  CHECK(contains(refusal("constant:4294967296"), "out of range"));
  CHECK(contains(refusal("constant:99999999999999999999999"), "out of range"));
  CHECK(contains(refusal("constant:4:hosts=4"), "given twice"));
}

TEST_CASE("A Myrinet takes the clock and the memory of its cards") {
  const auto as_it_is = picoseconds_for("myrinet-pcixd", 0, 1, 8);
  // 720 cycles end to end, at two thirds of the clock.
  CHECK(picoseconds_for("myrinet-pcixd:16:nic_clock_hz=150000000", 0, 1, 8) - as_it_is ==
        1'600'000);
  CHECK(picoseconds_for("myrinet-pcixd:hosts_per_switch=2", 0, 3, 8) - as_it_is == 300'000);
  CHECK(contains(refusal("myrinet-pcixd:nic_clock_hz=0"), "nic_clock_hz=0 is out of range"));
  CHECK(contains(refusal("myrinet-pcixd:sram_bytes=1000"), "is too small for"));
  CHECK(contains(refusal("myrinet-pcixd:receive_bufers=1"), "did you mean 'receive_buffers'?"));
  CHECK(contains(refusal("myrinet-pcixd:1000001"), "out of range"));
  CHECK(contains(refusal("myrinet-pcixf"), "did you mean 'myrinet-pcix"));
}

TEST_CASE("A network whose flows share links takes SimGrid's ways of sharing") {
  // 25 us twice, and 125,000 bytes at 125 MB/s; SimGrid's LV08 stretches the latency 13.01 times,
  // and leaves 97 % of the bandwidth.  CM02 knows the latency as it is.
  const std::string cluster = "ethernet-1g:2";
  const auto with = [&cluster](const std::string& options) {
    auto network = make_network(cluster + options, 2, "--platform");
    std::vector<ArrivalDate> dates;
    network->start({TransferId{1}, 0, 1, 125'000}, VirtualTime::start(), dates);
    while (network->next_event() != VirtualTime::never()) {
      network->advance(network->next_event(), dates);
    }
    return dates.back().date.picoseconds() / 1000;
  };
  CHECK(with("") == 1'050'000);
  CHECK(with(":sharing=plain") == 1'050'000);
  CHECK(with(":sharing=simgrid,model=CM02") == 1'050'000);
  CHECK(with(":sharing=simgrid") == 650'500 + 1'030'927);
  CHECK(contains(refusal("ethernet-1g:sharing=fair"), "fair"));
  CHECK(contains(refusal("ethernet-1g:sharing=simgrid,model=LV09"), "LV09"));
  CHECK(contains(refusal("ethernet-1g:sharing=simgrid,crosstraffic=5"), "'5'"));
  CHECK(contains(refusal("ethernet-1g:model=CM02"), "sharing=simgrid"));
}

TEST_CASE("A path keeps its colons, and options begin where a key does") {
  const auto plain = NameWithOptions::parse_path("a:b/c:8.xml");
  CHECK(plain.name() == "a:b/c:8.xml");
  const auto given = NameWithOptions::parse_path("a:b/c.xml:sharing=simgrid,model=CM02");
  CHECK(given.name() == "a:b/c.xml");
  CHECK(given.text("model") == "CM02");
}

TEST_CASE("Texts that are not name and options are refused") {
  CHECK(contains(refusal(""), "a name is missing"));
  CHECK(contains(refusal(":4"), "a name is missing"));
  CHECK(contains(refusal("constant:latency"), "not an option"));
  CHECK(contains(refusal("constant:latency="), "not an option"));
  CHECK(contains(refusal("constant:=5us"), "not an option"));
  CHECK(contains(refusal("constant:,"), "not an option"));
  CHECK(contains(refusal("constant:latency=1us,latency=2us"), "given twice"));
}
