#include "placement_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "finding_text.hpp"

namespace orrery::cli {
namespace {

struct Sharing {
  std::uint64_t hosts = 0;           ///< with ranks
  std::uint64_t most_on_a_host = 0;  ///< ranks
};

Sharing sharing_of(const std::vector<std::uint32_t>& hosts) {
  std::map<std::uint32_t, std::uint64_t> counts;
  Sharing sharing;
  for (const std::uint32_t host : hosts) {
    sharing.most_on_a_host = std::max(sharing.most_on_a_host, ++counts[host]);
  }
  sharing.hosts = counts.size();
  return sharing;
}

}  // namespace

std::string placement_text(const std::vector<std::uint32_t>& hosts) {
  const Sharing sharing = sharing_of(hosts);
  if (sharing.most_on_a_host < 2) return {};
  return fmt::format("{} share {}: up to {} on one\n", counted(hosts.size(), "rank", "ranks"),
                     counted(sharing.hosts, "host", "hosts"), sharing.most_on_a_host);
}

Json placement_json(const std::vector<std::uint32_t>& hosts) {
  const Sharing sharing = sharing_of(hosts);
  return {{"ranks", hosts.size()},
          {"hosts", sharing.hosts},
          {"most_on_a_host", sharing.most_on_a_host}};
}

std::vector<std::uint32_t> hosts_of(const FoundProgram& program) {
  std::vector<std::uint32_t> hosts;
  // Without a network there is a host for each.
  const std::uint32_t host_count =
      program.machine.network ? program.machine.network()->host_count() : UINT32_MAX;
  for (std::uint32_t rank = 0; rank < program.info.ranks; ++rank) {
    hosts.push_back(program.machine.placement.host_of(rank, host_count));
  }
  return hosts;
}

}  // namespace orrery::cli
