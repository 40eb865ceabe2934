// What is wrong with a platform file: found by ourselves, or said by SimGrid.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <orrery/network_model/usage_error.hpp>

#include "platform_text.hpp"

namespace orrery::detail {
namespace {

std::string place(const std::string& path, std::size_t line) {
  return line == 0 ? path : path + ":" + std::to_string(line);
}

/// What an attribute counts.
struct Quantity {
  std::string_view name;
  std::string_view kind;
  std::string_view example;
  bool may_be_zero = false;
};
constexpr std::array<Quantity, 15> quantities{{
    {"bandwidth", "bandwidth", "125MBps"},
    {"bw", "bandwidth", "125MBps"},
    {"bb_bw", "bandwidth", "125MBps"},
    {"bw_in", "bandwidth", "125MBps"},
    {"bw_out", "bandwidth", "125MBps"},
    {"loopback_bw", "bandwidth", "125MBps"},
    {"limiter_link", "bandwidth", "125MBps"},
    {"latency", "latency", "50us", true},
    {"lat", "latency", "50us", true},
    {"bb_lat", "latency", "50us", true},
    {"loopback_lat", "latency", "50us", true},
    {"speed", "speed", "1Gf"},
    {"read_bw", "bandwidth", "125MBps"},
    {"write_bw", "bandwidth", "125MBps"},
    {"access_bw", "bandwidth", "125MBps"},
}};

void check_quantity(const Quantity& quantity, std::string_view value, const std::string& where) {
  const std::string quoted = "the " + std::string(quantity.kind) + " '" + std::string(value) + "'";
  const std::string advice =
      "write a number and its unit, such as " + std::string(quantity.example);
  double number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  if (read.ec != std::errc()) throw UsageError(quoted + " is not a number", where, advice);
  const bool is_right = std::isfinite(number) && (quantity.may_be_zero ? number >= 0 : number > 0);
  if (!is_right) {
    throw UsageError(quoted + (quantity.may_be_zero ? " is not a finite number from 0 on"
                                                    : " is not a finite number above 0"),
                     where, advice);
  }
  const std::string_view unit = value.substr(static_cast<std::size_t>(read.ptr - value.data()));
  if (unit.empty() && number != 0) throw UsageError(quoted + " has no unit", where, advice);
}

bool has_quantities(std::string_view tag) {
  constexpr std::string_view tags[] = {"host", "link", "cluster", "cabinet", "peer", "disk"};
  return std::ranges::find(tags, tag) != std::end(tags);
}

bool has_hosts(const PlatformText& text) {
  return std::ranges::any_of(text.tags(), [](const PlatformTag& tag) {
    return tag.name == "host" || tag.name == "cluster" || tag.name == "cabinet" ||
           tag.name == "peer";
  });
}

/// What stands between two pieces of a message.
std::string between(const std::string& words, std::string_view before, std::string_view after) {
  const std::size_t start = words.find(before);
  if (start == std::string::npos) return {};
  const std::size_t from = start + before.size();
  const std::size_t end = after.empty() ? words.size() : words.find(after, from);
  return words.substr(from, std::min(end, words.size()) - from);
}

constexpr const char* manual = "mend the file; SimGrid's manual describes the format (version 4.1)";

/// SimGrid's messages that name a thing and no line, or that say little.
void throw_known_error(const PlatformText& text, const std::string& path,
                       const std::string& words) {
  const auto fail = [&path](const std::string& what, std::size_t line, const std::string& hint) {
    throw UsageError(what, place(path, line), hint);
  };
  if (const auto link = between(words, "Link not found: ", ""); !link.empty()) {
    fail("there is no link '" + link + "'", text.line_of("link_ctn", "id", link),
         "declare it before the route: <link id=\"" + link + "\" .../>");
  }
  if (const auto host = between(words, "second host named '", "'"); !host.empty()) {
    fail("there are two hosts with the name '" + host + "'", text.line_of("host", "id", host),
         "give each host a name of its own");
  }
  if (words.ends_with("declared several times in the platform.")) {
    const auto link = between(words, "Link '", "'");
    fail("there are two links with the name '" + link + "'", text.line_of("link", "id", link),
         "give each link a name of its own");
  }
  if (const auto host = between(words, "The route between ", " and "); !host.empty()) {
    const std::string other = between(words, " and ", " already");
    fail("there are two routes from '" + host + "' to '" + other + "'",
         text.line_of("route", "src", host),
         "leave one out; routes go both ways unless they say symmetrical=\"NO\"");
  }
  if (const auto file = between(words, "Cannot open file '", "'"); !file.empty()) {
    const std::string name = file.starts_with("./") ? file.substr(2) : file;
    std::size_t line = 0;
    for (const char* const key : {"bandwidth_file", "latency_file", "state_file", "speed_file"}) {
      line = std::max(line, text.line_of(key, name));
    }
    fail("the profile '" + name + "' cannot be read", line,
         "profiles are looked for beside the platform file");
  }
  if (words == "stod" || words.find("rofile") != std::string::npos) {
    for (const PlatformTag& tag : text.tags()) {
      for (const char* const key : {"bandwidth_file", "latency_file", "state_file", "speed_file"}) {
        const std::string file = tag.attribute(key);
        if (file.empty()) continue;
        fail("a profile has a line that SimGrid cannot read" +
                 (words == "stod" ? std::string() : ": " + words),
             tag.line, "each line of '" + file + "' has a date in seconds and a value");
      }
    }
  }
  if (words.find("Link is sealed") != std::string::npos) {
    fail("SimGrid takes no <trace_connect> for links",
         text.line_of("trace_connect", "kind",
                      words.find("latency") != std::string::npos ? "LATENCY" : "BANDWIDTH"),
         "give the link a bandwidth_file, latency_file or state_file");
  }
  if (words == "Not a valid model!") {
    for (const PlatformTag& tag : text.tags()) {
      constexpr std::string_view known[] = {
          "Full",         "Floyd",          "Dijkstra",         "DijkstraCache", "Cluster",
          "ClusterTorus", "ClusterFatTree", "ClusterDragonfly", "Vivaldi",       "Wifi",
          "None"};
      const std::string routing = tag.attribute("routing");
      if (tag.name != "zone" || std::ranges::find(known, routing) != std::end(known)) continue;
      fail("there is no routing '" + routing + "'", tag.line,
           "write Full, Floyd, Dijkstra, DijkstraCache, Vivaldi or None");
    }
  }
}

}  // namespace

void check_platform_text(const PlatformText& text, const std::string& path) {
  const auto platform = std::ranges::find(text.tags(), "platform", &PlatformTag::name);
  if (platform == text.tags().end()) {
    throw UsageError("this is not a platform: it has no <platform>", path,
                     "give a SimGrid platform file, or the name of a network "
                     "(orrery list networks)");
  }
  const std::string version = platform->attribute("version");
  if (!version.starts_with("4") || version.size() > 3) {
    throw UsageError(version.empty() ? std::string("the platform does not say its version")
                                     : "the platform is of version '" + version + "'",
                     place(path, platform->line),
                     "write <platform version=\"4.1\">; simgrid_update_xml converts older files");
  }
  if (const std::size_t line = text.line_of("prop", "value", "ns-3"); line != 0) {
    throw UsageError("the platform asks for SimGrid's model ns-3, which Orrery does not have",
                     place(path, line),
                     "leave it out; the options 'sharing' and 'model' of a platform choose one");
  }
  for (const PlatformTag& tag : text.tags()) {
    if (!has_quantities(tag.name)) continue;
    for (const Quantity& quantity : quantities) {
      std::string all = tag.attribute(quantity.name);
      for (std::string_view values = all; !values.empty();) {  // one for each state of a processor
        const std::size_t end = std::min(values.find(','), values.size());
        std::string_view value = values.substr(0, end);
        value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
        check_quantity(quantity, value, place(path, tag.line));
        values.remove_prefix(std::min(end + 1, values.size()));
      }
    }
  }
}

void throw_platform_error(const PlatformText& text, const std::string& path,
                          const std::string& words) {
  throw_known_error(text, path, words);
  if (!has_hosts(text)) {
    throw UsageError("the platform has no hosts", path, "add a <host> or a <cluster> to it");
  }
  const std::string at = "Parse error at " + path + ":";
  if (!words.starts_with(at)) {
    throw UsageError("SimGrid does not take this platform: " +
                         (words.empty() ? std::string("it died without a word") : words),
                     path, manual);
  }
  // FILE:LINE: [Invalid XML (XML input line LINE, state NUMBER): ]what
  const std::string line = between(words, at, ":");
  std::string what = words.substr(std::min(at.size() + line.size() + 2, words.size()));
  if (what.starts_with("Invalid XML"))
    what = what.substr(std::min(what.find("): ") + 3, what.size()));
  if (const auto host = between(what, "Route ", " does name"); !host.empty()) {
    throw UsageError("the route's " + host + " is no host", path + ":" + line,
                     "declare the host before the route, or mend the name");
  }
  throw UsageError("SimGrid does not take this platform: " + what, path + ":" + line, manual);
}

}  // namespace orrery::detail
