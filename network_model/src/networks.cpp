#include <array>
#include <limits>
#include <string>
#include <vector>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery {
namespace {

std::uint32_t hosts_of(const NameWithOptions& given, std::uint32_t default_host_count) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
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

std::unique_ptr<NetworkModel> make_constant(const NameWithOptions& given,
                                            std::uint32_t default_host_count) {
  given.allow_keys({"hosts", "latency", "bandwidth", "loopback_latency", "loopback_bandwidth"});
  const auto speed = [&given](const std::string& prefix, const LinkSpeed& otherwise) {
    return LinkSpeed{
        given.duration(prefix + "latency", otherwise.latency),
        given.bytes_per_second(prefix + "bandwidth", otherwise.bandwidth_bytes_per_second)};
  };
  return std::make_unique<ConstantNetwork>(hosts_of(given, default_host_count),
                                           speed("", ConstantNetwork::default_speed()),
                                           speed("loopback_", ConstantNetwork::default_loopback()));
}

constexpr std::array<NetworkEntry, 1> table{{
    {"constant", "latency + bytes / bandwidth for every pair of hosts, no contention",
     "hosts, latency=50us, bandwidth=125MB/s, loopback_latency=500ns, loopback_bandwidth=10GB/s",
     make_constant},
}};

}  // namespace

std::span<const NetworkEntry> network_table() {
  return table;
}

std::unique_ptr<NetworkModel> make_network(std::string_view text, std::uint32_t default_host_count,
                                           std::string_view where) {
  const NameWithOptions given = NameWithOptions::parse(text, where);
  std::vector<std::string> names;
  for (const NetworkEntry& entry : table) {
    if (entry.name == given.name()) return entry.make(given, default_host_count);
    names.emplace_back(entry.name);
  }
  throw UsageError("there is no network '" + given.name() + "'", std::string(where),
                   name_hint(given.name(), names));
}

}  // namespace orrery
