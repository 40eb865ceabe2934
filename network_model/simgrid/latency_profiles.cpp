#include "latency_profiles.hpp"

#include <algorithm>
#include <string_view>

#include <simgrid/kernel/ProfileBuilder.hpp>

namespace orrery::detail {
namespace {

namespace sg = simgrid::s4u;

/// The value of an attribute in a tag; empty: it has none.
std::string attribute(std::string_view tag, const std::string& name) {
  constexpr std::string_view blank = " \t\r\n";
  for (std::size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    if (at == 0 || blank.find(tag[at - 1]) == std::string_view::npos) continue;
    const std::size_t equals = tag.find_first_not_of(blank, at + name.size());
    if (equals == std::string_view::npos || tag[equals] != '=') continue;
    const std::size_t open = tag.find_first_not_of(blank, equals + 1);
    if (open == std::string_view::npos || (tag[open] != '"' && tag[open] != '\'')) continue;
    const std::size_t close = tag.find(tag[open], open + 1);
    if (close == std::string_view::npos) continue;
    return std::string(tag.substr(open + 1, close - open - 1));
  }
  return {};
}

}  // namespace

LatencyProfiles::LatencyProfiles(const std::string& text) {
  const std::string_view all = text;
  for (std::size_t at = all.find('<'); at != std::string_view::npos; at = all.find('<', at)) {
    const bool is_comment = all.substr(at).starts_with("<!--");
    const std::string_view end = is_comment ? "-->" : ">";
    const std::size_t close = std::min(all.find(end, at), all.size());
    const std::string_view tag = all.substr(at, close - at);
    at = close;
    if (is_comment || !tag.starts_with("<link")) continue;
    const std::string file = attribute(tag, "latency_file");
    if (!file.empty()) profiles_.push_back({attribute(tag, "id"), file});
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
