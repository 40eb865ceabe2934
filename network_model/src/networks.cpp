#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <orrery/network_model/built_platform.hpp>
#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/jittered_network.hpp>
#include <orrery/network_model/myrinet_network.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/platform_file.hpp>
#include <orrery/network_model/simgrid_network.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "myrinet_options.hpp"
#include "myrinet_platform.hpp"

namespace orrery {
namespace {

std::uint32_t hosts_of(const NameWithOptions& given, std::uint32_t default_host_count,
                       std::uint64_t most = std::numeric_limits<std::uint32_t>::max()) {
  if (given.count() && given.text("hosts")) {
    throw UsageError("the number of hosts is given twice", given.where(),
                     "write either " + given.name() + ":N or hosts=N");
  }
  const std::uint64_t hosts =
      given.count() ? *given.count() : given.whole_number("hosts", default_host_count, 1, most);
  if (hosts == 0 || hosts > most) {
    throw UsageError(std::to_string(hosts) + " hosts are out of range", given.where(),
                     "give a number from 1 to " + std::to_string(most));
  }
  return static_cast<std::uint32_t>(hosts);
}

/// Where nobody knows how many processes there will be, they share so many hosts.
constexpr std::uint32_t default_hosts_max = 1024;

std::unique_ptr<NetworkModel> make_constant(const NameWithOptions& given,
                                            std::uint32_t default_host_count) {
  given.allow_keys(
      {"hosts", "latency", "bandwidth", "loopback_latency", "loopback_bandwidth", "jitter"});
  const auto speed = [&given](const std::string& prefix, const LinkSpeed& otherwise) {
    return LinkSpeed{
        given.duration(prefix + "latency", otherwise.latency),
        given.bytes_per_second(prefix + "bandwidth", otherwise.bandwidth_bytes_per_second)};
  };
  return std::make_unique<ConstantNetwork>(hosts_of(given, default_host_count),
                                           speed("", ConstantNetwork::default_speed()),
                                           speed("loopback_", ConstantNetwork::default_loopback()));
}

constexpr LinkSpeed ethernet_link() {
  // Twice on each way: 50 us from host to host, as over a plain switch.
  return {std::chrono::microseconds(25), 125'000'000};
}

/// The options of every network whose flows share links.
FlowSharing flow_sharing(const NameWithOptions& given) {
  const std::string sharing = given.text("sharing").value_or("plain");
  const std::string model = given.text("model").value_or("LV08");
  const std::string crosstraffic = given.text("crosstraffic").value_or("yes");
  const auto refuse = [&given](std::string_view key, const std::string& value,
                               std::string_view values) {
    throw UsageError("there is no " + std::string(key) + " '" + value + "'",
                     given.where().empty() ? given.name() : given.where() + " " + given.name(),
                     "write " + std::string(key) + "=" + std::string(values));
  };
  if (sharing != "plain" && sharing != "simgrid") refuse("sharing", sharing, "plain or simgrid");
  if (model != "CM02" && model != "LV08") refuse("model", model, "CM02 or LV08");
  if (crosstraffic != "yes" && crosstraffic != "no") {
    refuse("crosstraffic", crosstraffic, "yes or no");
  }
  if (sharing == "simgrid") {
    return {model == "CM02" ? FlowModel::cm02 : FlowModel::lv08, crosstraffic == "yes"};
  }
  for (const char* const key : {"model", "crosstraffic"}) {
    if (!given.text(key)) continue;
    throw UsageError("'" + std::string(key) + "' says nothing without sharing=simgrid",
                     given.where().empty() ? given.name() : given.where() + " " + given.name(),
                     "add sharing=simgrid, or leave it out");
  }
  return {};
}

std::unique_ptr<NetworkModel> make_ethernet(const NameWithOptions& given,
                                            std::uint32_t default_host_count) {
  given.allow_keys({"hosts", "latency", "bandwidth", "sharing", "model", "crosstraffic", "jitter"});
  const LinkSpeed link = {
      given.duration("latency", ethernet_link().latency),
      given.bytes_per_second("bandwidth", ethernet_link().bandwidth_bytes_per_second)};
  if (link.bandwidth_bytes_per_second == 0) {
    throw UsageError("a shared link needs a bandwidth", given.where(),
                     "give more than 0, or use the network 'constant'");
  }
  const std::uint32_t hosts = hosts_of(given, std::min(default_host_count, default_hosts_max));
  return std::make_unique<SimGridNetwork>(switched_platform(hosts, link), flow_sharing(given));
}

std::unique_ptr<NetworkModel> make_myrinet(const NameWithOptions& given,
                                           std::uint32_t default_host_count) {
  MyrinetParameters parameters = myrinet_preset(given.name());
  const std::string place =
      given.where().empty() ? given.name() : given.where() + " " + given.name();
  for (const std::string& key : given.keys()) {
    if (key == "hosts") continue;
    const detail::MyrinetParameter* const parameter = detail::find_myrinet_parameter(key);
    if (parameter == nullptr) {
      std::vector<std::string> names = detail::myrinet_parameter_names();
      names.emplace_back("hosts");
      throw UsageError("'" + given.name() + "' has no option '" + key + "'", given.where(),
                       name_hint(key, names));
    }
    detail::set_myrinet_parameter(parameters, *parameter, key, *given.text(key), place + ":" + key);
  }
  parameters.check(place);
  const std::uint32_t hosts =
      hosts_of(given, std::min(default_host_count, default_hosts_max), MyrinetNetwork::hosts_max);
  return std::make_unique<MyrinetNetwork>(hosts, parameters);
}

bool is_file_name(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".xml");
}

constexpr std::string_view myrinet_options(
    "hosts, and any parameter of the card (docs/myrinet.md): nic_clock=300MHz, send_tokens=16, "
    "doorbell=850ns, ...");

constexpr std::array<NetworkEntry, 7> table{{
    {"constant", "latency + bytes / bandwidth for every pair of hosts, no contention",
     "hosts, latency=50us, bandwidth=125MB/s, loopback_latency=500ns, loopback_bandwidth=10GB/s, "
     "jitter=0",
     make_constant},
    {"ethernet-1g",
     "hosts around one switch, each with a gigabit link to it and from it that it shares",
     "hosts, latency=25us, bandwidth=125MB/s, sharing=plain|simgrid, model=LV08|CM02, "
     "crosstraffic=yes|no, jitter=0",
     make_ethernet},
    {"myrinet-pci64b", "Myrinet PCI64B cards at 133 MHz under GM: PCI 64/66, 8.5 us, 240 MB/s",
     myrinet_options, make_myrinet},
    {"myrinet-pci64c", "Myrinet PCI64C cards at 200 MHz under GM: PCI 64/66, 6.7 us, 246 MB/s",
     myrinet_options, make_myrinet},
    {"myrinet-pcixd", "Myrinet PCIXD cards at 225 MHz under GM: PCI-X, 6.3 us, 247 MB/s",
     myrinet_options, make_myrinet},
    {"myrinet-pcixe",
     "Myrinet PCIXE cards at 333 MHz under GM: PCI-X, both ports, 5.05 us, 495 MB/s",
     myrinet_options, make_myrinet},
    {"myrinet-pcixd-mx", "Myrinet PCIXD cards at 225 MHz under MX: PCI-X, 3.2 us, 247 MB/s",
     myrinet_options, make_myrinet},
}};

std::unique_ptr<NetworkModel> with_jitter(std::unique_ptr<NetworkModel> network,
                                          const NameWithOptions& given) {
  const auto text = given.text("jitter");
  if (!text) return network;
  const std::string where = given.name() + ":jitter";
  const Jitter jitter =
      parse_jitter(*text, given.where().empty() ? where : given.where() + " " + where);
  return std::make_unique<JitteredNetwork>(std::move(network), jitter);
}

/// As the links of the platform say.
NetworkFactory with_jitter(NetworkFactory networks, const std::shared_ptr<Platform>& platform,
                           const std::string& path) {
  if (!has_jitter(*platform)) return networks;
  try {
    static_cast<void>(JitteredNetwork(nullptr, platform));
  } catch (const UsageError& error) {
    throw UsageError(error.what(), path + ": " + error.where(), error.hint());
  }
  return [networks = std::move(networks), platform] {
    return std::make_unique<JitteredNetwork>(networks(), platform);
  };
}

NetworkFactory factory_with_cards(const std::shared_ptr<Platform>& platform,
                                  const std::vector<MyrinetParameters>& cards,
                                  const FlowSharing& sharing, const NameWithOptions& file) {
  if (sharing.model != FlowModel::plain) {
    throw UsageError("the platform's Myrinet cards know nothing of TCP",
                     file.where().empty() ? file.name() : file.where() + " " + file.name(),
                     "leave out sharing=simgrid, or the props 'nic' of the hosts");
  }
  return [platform, cards] { return std::make_unique<MyrinetNetwork>(platform, cards); };
}

}  // namespace

std::span<const NetworkEntry> network_table() {
  return table;
}

std::unique_ptr<NetworkModel> make_network(std::string_view text, std::uint32_t default_host_count,
                                           std::string_view where) {
  const NameWithOptions given = NameWithOptions::parse(text, where);
  std::vector<std::string> names;
  for (const NetworkEntry& entry : table) {
    if (entry.name == given.name()) {
      return with_jitter(entry.make(given, default_host_count), given);
    }
    names.emplace_back(entry.name);
  }
  throw UsageError("there is no network '" + given.name() + "'", std::string(where),
                   name_hint(given.name(), names));
}

NetworkRequest::NetworkRequest(std::string_view text, std::string_view where)
    : text_(text), where_(where) {
  try {
    const std::string file = NameWithOptions::parse_path(text, where).name();
    if (is_file_name(file)) reading_ = std::make_unique<PlatformReading>(file);
  } catch (const UsageError&) {
    // The text is taken apart again by `factory`, which tells.
  }
}

NetworkRequest::~NetworkRequest() = default;

NetworkFactory NetworkRequest::factory(std::uint32_t default_host_count) {
  const NameWithOptions file = NameWithOptions::parse_path(text_, where_);
  const std::size_t colon = file.name().rfind(':');
  if (colon != std::string::npos && is_file_name(file.name().substr(0, colon)) &&
      file.name().find_first_not_of("0123456789", colon + 1) == std::string::npos) {
    throw UsageError("a platform file has its own number of hosts: '" + file.name() + "'", where_,
                     "leave '" + file.name().substr(colon) + "' out");
  }
  if (reading_) {
    file.allow_keys({"sharing", "model", "crosstraffic"});
    const FlowSharing sharing = flow_sharing(file);
    const std::shared_ptr<Platform> platform = reading_->finish();
    const std::vector<MyrinetParameters> cards = detail::myrinet_cards(*platform, file.name());
    if (!cards.empty()) {
      return with_jitter(factory_with_cards(platform, cards, sharing, file), platform, file.name());
    }
    return with_jitter(
        [platform, sharing] { return std::make_unique<SimGridNetwork>(platform, sharing); },
        platform, file.name());
  }
  // Once here, so that a wrong name is told before anything runs.
  static_cast<void>(make_network(text_, default_host_count, where_));
  return [name = text_, default_host_count, from = where_] {
    return make_network(name, default_host_count, from);
  };
}

NetworkFactory network_factory(std::string_view text, std::uint32_t default_host_count,
                               std::string_view where) {
  return NetworkRequest(text, where).factory(default_host_count);
}

}  // namespace orrery
