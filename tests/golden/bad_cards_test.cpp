// Bad `<prop>`s of Myrinet cards, and bad options: status 2, and one message with file, host and
// prop.
#include <algorithm>
#include <iterator>
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

struct Case {
  const char* of_a;   ///< the props of host a
  const char* of_b;   ///< and of host b
  const char* place;  ///< the message begins with it, after the file
  const char* what;   ///< and goes on with it
  const char* hint;
};

constexpr const char* right = "nic=myrinet-pcixd";

constexpr Case cases[] = {
    {right, "nic=myrinet-pcixd-max", "host 'b', prop 'nic'", "no card 'myrinet-pcixd-max'",
     "did you mean 'myrinet-pcixd-mx'?"},
    {right, "", "host 'b'", "has no Myrinet card, but 'a' has one", "to all hosts or to none"},
    {"nic_clock=225MHz", "", "host 'a', prop 'nic_clock'", "has no card for it", "nic"},
    {"nic=myrinet-pcixd nic_clock=225MGz", right, "host 'a', prop 'nic_clock'",
     "'225MGz' has an unknown unit 'MGz'", "225MHz"},
    {"nic=myrinet-pcixd nic_clock=225", right, "host 'a', prop 'nic_clock'", "'225' has no unit",
     "225MHz"},
    {"nic=myrinet-pcixd nic_clock=1Hz", right, "host 'a', prop 'nic_clock'",
     "nic_clock=1Hz is out of range", "from 1000000"},
    {"nic=myrinet-pcixd doorbell=0.5ns", right, "host 'a', prop 'doorbell'",
     "not a whole number in the unit of doorbell_ns", "850ns"},
    {"nic=myrinet-pcixd doorbell=-5ns", right, "host 'a', prop 'doorbell'", "is not a number",
     "850ns"},
    {"nic=myrinet-pcixd bus_read=780Mb/s", right, "host 'a', prop 'bus_read'",
     "unknown unit 'Mb/s'", "780MB/s"},
    {"nic=myrinet-pcixd link=99999999TB/s", right, "host 'a', prop 'link'", "unknown unit", "MB/s"},
    {"nic=myrinet-pcixd link=99999999GB/s", right, "host 'a', prop 'link'", "is out of range",
     "link_bytes_per_second"},
    {right, "nic=myrinet-pcixd send_tokens=4B", "host 'b', prop 'send_tokens'", "has a unit, 'B'",
     "in digits"},
    {right, "nic=myrinet-pcixd send_tokens=0", "host 'b', prop 'send_tokens'",
     "send_tokens=0 is out of range", "from 1"},
    {right, "nic=myrinet-pcixd receive_bufers=4", "host 'b', prop 'receive_bufers'",
     "no parameter 'receive_bufers'", "did you mean 'receive_buffers'?"},
    {right, "nic=myrinet-pcixd nic_speed=4", "host 'b', prop 'nic_speed'",
     "no parameter 'nic_speed'", "nic_clock"},
    {right, "nic=myrinet-pcixd sram=512KiB", "host 'b'",
     "sram_bytes=524288 is too small for 524288 bytes of firmware and 81920 bytes of buffers",
     "sram"},
    {right, "nic=myrinet-pcixd receive_buffers=1000", "host 'b'", "is too small for",
     "fewer send_buffers or receive_buffers"},
    {right, "nic=myrinet-pcixd fragment=2KiB", "host 'b', prop 'fragment'",
     "fragments of 2048 bytes, that of 'a' of 4096", "the same"},
    {right, "nic=myrinet-pcixd switch_hop=100ns", "host 'b', prop 'switch_hop'",
     "of a Myrinet's own switches", "leave it out"},
};

/// `key=value key=value` as elements.
std::string props(const std::string& words) {
  std::string result;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      result +=
          "<prop id=\"" + word.substr(0, equals) + "\" value=\"" + word.substr(equals + 1) + "\"/>";
    }
    at = end + 1;
  }
  return result;
}

std::string platform(const std::string& of_a, const std::string& of_b) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
         "<host id=\"a\" speed=\"1Gf\">" +
         props(of_a) + "</host>\n<host id=\"b\" speed=\"1Gf\">" + props(of_b) +
         "</host>\n<link id=\"l\" bandwidth=\"250MBps\" latency=\"150ns\"/>\n"
         "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>\n</zone></platform>\n";
}

}  // namespace

TEST_CASE("A bad prop of a card is one clear error with file, host and prop, and status 2") {
  STATIC_REQUIRE(std::size(cases) >= 8);
  const WorkingDirectory here;
  for (const Case& one : cases) {
    here.write("cards.xml", platform(one.of_a, one.of_b));
    INFO("a: " << one.of_a << "; b: " << one.of_b);
    const CommandResult result = here.orrery("run --platform cards.xml lost_update:mended");
    INFO("standard error:\n" << result.err);
    CHECK(result.status == 2);
    CHECK(result.err.find(std::string("orrery: cards.xml, ") + one.place + ": ") == 0);
    CHECK(has(result.err, one.what));
    const std::size_t hint = result.err.find("\nhint: ");
    REQUIRE(hint != std::string::npos);
    CHECK(result.err.find(one.hint, hint) != std::string::npos);
  }
}

TEST_CASE("Bad options of a Myrinet by name are refused with the option") {
  const WorkingDirectory here;
  const auto refused = [&here](const std::string& options, const std::string& what) {
    const CommandResult result =
        here.orrery("run --platform myrinet-pcixd:4:" + options + " lost_update:mended");
    INFO(options << "\n" << result.err);
    CHECK(result.status == 2);
    CHECK(has(result.err, what));
  };
  refused("send_tokens=0", "myrinet-pcixd:send_tokens: send_tokens=0 is out of range");
  refused("nic_clock=2", "'2' has no unit");
  refused("nic_clock=2parsec", "unknown unit 'parsec'");
  refused("dorbell=2us", "did you mean 'doorbell'?");
  refused("sram=1B", "too small");
}

TEST_CASE("Cards do not go with SimGrid's sharing, and are told so") {
  const WorkingDirectory here;
  here.write("cards.xml", platform(right, right));
  const CommandResult result =
      here.orrery("run --platform cards.xml:sharing=simgrid lost_update:mended");
  CHECK(result.status == 2);
  CHECK(has(result.err, "know nothing of TCP"));
  CHECK(here.orrery("run --platform cards.xml lost_update:mended").status == 0);
}
