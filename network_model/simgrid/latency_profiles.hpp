// Profiles of latencies: SimGrid follows them without telling anybody.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u.hpp>

#include "../src/platform_text.hpp"

namespace orrery::detail {

/// SimGrid tells of a link's new bandwidth, not of its new latency.  So each profile of latencies
/// is also given, as one of bandwidths, to a link that no route uses; what that link then tells are
/// the dates and the values, of SimGrid's own making.
class LatencyProfiles {
 public:
  /// Finds them in the text of a platform file.
  explicit LatencyProfiles(const PlatformText& text);
  /// Adds the links that tell; before the zone is closed.
  void add_tellers(simgrid::s4u::NetZone& zone);

  [[nodiscard]] bool is_teller(const simgrid::s4u::Link& link) const;
  /// The links whose latency is what this one tells.
  [[nodiscard]] const std::vector<simgrid::s4u::Link*>& followers(
      const simgrid::s4u::Link& teller) const {
    return followers_.at(&teller);
  }
  /// To be called when the platform has been read.
  void find_followers();

 private:
  struct Profile {
    std::string link;
    std::string file;
  };
  std::vector<Profile> profiles_;
  std::vector<const simgrid::s4u::Link*> tellers_;  // in the order of the profiles
  std::unordered_map<const simgrid::s4u::Link*, std::vector<simgrid::s4u::Link*>> followers_;
};

}  // namespace orrery::detail
