#include "latency_profiles.hpp"

#include <algorithm>
#include <string_view>

#include <simgrid/kernel/ProfileBuilder.hpp>

namespace orrery::detail {
namespace {

namespace sg = simgrid::s4u;

}  // namespace

LatencyProfiles::LatencyProfiles(const PlatformText& text) {
  for (const PlatformTag& tag : text.tags()) {
    const std::string file = tag.attribute("latency_file");
    if (!file.empty()) profiles_.push_back({tag.attribute("id"), file});
  }
}

void LatencyProfiles::add_tellers(sg::NetZone& zone) {
  if (!tellers_.empty()) return;
  for (const Profile& profile : profiles_) {
    // SimGrid reads no profile twice under one name.
    const std::string other_name =
        profile.file.starts_with('/') ? "/" + profile.file : "./" + profile.file;
    sg::Link* const teller = zone.create_link("latency of " + profile.link, 1.0);
    teller->set_bandwidth_profile(simgrid::kernel::profile::ProfileBuilder::from_file(other_name));
    teller->seal();
    tellers_.push_back(teller);
  }
}

bool LatencyProfiles::is_teller(const sg::Link& link) const {
  return std::find(tellers_.begin(), tellers_.end(), &link) != tellers_.end();
}

void LatencyProfiles::find_followers() {
  for (std::size_t i = 0; i < tellers_.size(); ++i) {
    auto& links = followers_[tellers_[i]];
    // Both of a split-duplex link follow the profile that it is given.
    for (const char* const direction : {"", "_UP", "_DOWN"}) {
      if (auto* const link = sg::Link::by_name_or_null(profiles_[i].link + direction)) {
        links.push_back(link);
      }
    }
  }
}

}  // namespace orrery::detail
