// Platform files whose hosts have Myrinet cards.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <unistd.h>

#include <orrery/network_model/networks.hpp>

#include "myrinet_traffic.hpp"

using namespace std::chrono_literals;
using namespace orrery;
using namespace orrery::myrinet_tests;

namespace {

/// Two hosts at a switch that is as far away as a Myrinet's own, with these props.
NetworkFactory two_hosts(const std::string& of_a, const std::string& of_b) {
  const std::string path =
      (std::filesystem::temp_directory_path() / (std::to_string(getpid()) + "cards.xml")).string();
  std::ofstream(path) << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                         "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">"
                         "<zone id=\"z\" routing=\"Full\">\n<host id=\"a\" speed=\"1Gf\">"
                      << of_a << "</host>\n<host id=\"b\" speed=\"1Gf\">" << of_b
                      << "</host>\n<link id=\"l\" bandwidth=\"1GBps\" latency=\"150ns\" "
                         "sharing_policy=\"SPLITDUPLEX\"/>\n<route src=\"a\" dst=\"b\">"
                         "<link_ctn id=\"l\" direction=\"UP\"/></route>\n</zone></platform>\n";
  NetworkFactory factory = network_factory(path, 2, "--platform");
  std::filesystem::remove(path);
  return factory;
}

std::string nic(const std::string& name) {
  return "<prop id=\"nic\" value=\"" + name + "\"/>";
}

std::string prop(const std::string& key, const std::string& value) {
  return "<prop id=\"" + key + "\" value=\"" + value + "\"/>";
}

VirtualDuration latency(const NetworkFactory& factory) {
  return arrivals(*factory(), stream(1, 100)).front().since_start();
}

VirtualDuration by_name(const std::string& text) {
  return arrivals(*make_network(text, 2), stream(1, 100)).front().since_start();
}

bool near(VirtualDuration a, VirtualDuration b) {
  return std::abs((a - b).picoseconds()) <= 6;
}

}  // namespace

TEST_CASE("The prop nic gives hosts the card of that name") {
  for (const MyrinetPreset& preset : myrinet_presets()) {
    const std::string name(preset.name);
    CAPTURE(name);
    CHECK(near(latency(two_hosts(nic(name), nic(name))), by_name(name)));
  }
}

TEST_CASE("Props and options have the same names and units") {
  const std::string card = nic("myrinet-pcixd");
  const std::pair<const char*, const char*> both[] = {
      {"nic_clock", "100MHz"},
      {"nic_clock_hz", "100000000"},
      {"doorbell", "1.5us"},
      {"doorbell_ns", "1500"},
      {"notice_ns", "2us"},
      {"bus_read", "10MB/s"},
      {"bus_write", "10MBps"},
      {"packet_overhead", "1kB"},
      {"send_message_cycles", "1000"},
      {"nic_to_nic", "1us"},
      {"link", "5MB/s"},
      {"receive_fragment_cycles", "999"},
  };
  for (const auto& [key, value] : both) {
    CAPTURE(key, value);
    const VirtualDuration named = by_name(std::string("myrinet-pcixd:") + key + "=" + value);
    CHECK(named > by_name("myrinet-pcixd"));
    const std::string props = card + prop(key, value);
    CHECK(near(latency(two_hosts(props, props)), named));
  }
}

TEST_CASE("Hosts may have different cards") {
  const std::string slow = nic("myrinet-pci64b") + prop("link", "240MB/s");
  const std::string fast = nic("myrinet-pcixd-mx") + prop("link", "240MB/s");
  const VirtualDuration to_fast = latency(two_hosts(slow, fast));
  const VirtualDuration to_slow = latency(two_hosts(fast, slow));
  const VirtualDuration slow_only = latency(two_hosts(slow, slow));
  const VirtualDuration fast_only = latency(two_hosts(fast, fast));
  CHECK(near(to_fast + to_slow, slow_only + fast_only));
  CHECK(to_fast > fast_only);
  CHECK(to_fast < slow_only);
}

TEST_CASE("Properties that are none of ours are left alone") {
  const std::string props = nic("myrinet-pcixd") + prop("wattage_off", "10") + prop("rack", "7");
  CHECK(near(latency(two_hosts(props, props)), by_name("myrinet-pcixd")));
  // Without cards, the flows of SimGridNetwork.
  const auto plain = two_hosts(prop("rack", "7"), "");
  CHECK(latency(plain) == VirtualDuration(150ns) + VirtualDuration(100ns));
}
