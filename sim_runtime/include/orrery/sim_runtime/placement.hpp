// Which host a rank is placed on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/network_model/network_model.hpp>

namespace orrery {

/// A rule that gives each rank its host.  Ranks go round where there are more of them than hosts.
/// A value type; by default round robin.
///
///     options.placement = Placement::block(2);           // 0 0 1 1 2 2 ...
///     options.placement = Placement::list({0, 0, 3});    // three ranks, and no more
class Placement {
 public:
  Placement() = default;
  /// One rank on each host, and round again: rank % hosts.
  static Placement round_robin() { return {}; }
  /// So many ranks on a host before the next one gets some.  At least 1.
  static Placement block(std::uint32_t ranks_per_host);
  /// Rank by rank, at least one.  Ranks beyond the list are refused when they start.
  static Placement list(std::vector<std::uint32_t> hosts);

  /// The host of a rank.  Throws `UsageError` for a rank beyond a list, or a host that is not
  /// there.
  [[nodiscard]] std::uint32_t host_of(std::uint32_t rank, std::uint32_t host_count) const;
  /// As `parse_placement` reads it, hosts by number; empty for round robin.
  [[nodiscard]] std::string text() const;
  /// What `text` has written, and that alone.  `where` names the source in errors.
  static Placement from_text(std::string_view text, std::string_view where = {});

  friend bool operator==(const Placement&, const Placement&) = default;

 private:
  std::uint32_t ranks_per_host_ = 1;
  std::vector<std::uint32_t> hosts_;  // where not empty: a list
};

/// Reads `round-robin`, `block[:N]` (without N: as many as it takes for each host to have as many
/// as the others) or a list such as `0,0,1,1` or `node-0*2,node-1`: hosts of `network` by name or
/// number, each so many times.  `ranks`: how many there will be, if that is known; a list that is
/// too short for them is refused.  `where` is the flag to name in the `UsageError`.
[[nodiscard]] Placement parse_placement(std::string_view text, const NetworkModel& network,
                                        std::optional<std::uint32_t> ranks = {},
                                        std::string_view where = {});

/// Reads a host file: a line `NAME [slots=N]` for each host, which gets N ranks (1), in this order;
/// `#` begins a comment.  Errors name `path` and the line.
[[nodiscard]] Placement read_host_file(const std::string& path, const NetworkModel& network,
                                       std::optional<std::uint32_t> ranks = {});

/// The number of a host, given by its name or its number.  Throws `UsageError`, suggesting the
/// nearest name.
[[nodiscard]] std::uint32_t host_number(std::string_view name, const NetworkModel& network,
                                        std::string_view where = {});

}  // namespace orrery
