// The cards that a platform's `<prop>`s give to its hosts.
#pragma once

#include <string_view>
#include <vector>

#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/platform.hpp>

namespace orrery::detail {

/// `<prop id="nic" value="myrinet-pcixd"/>` gives a host a card, further props its parameters:
/// `<prop id="nic_clock" value="300MHz"/>`.  One a host, or none at all if no host has a card.
/// Throws `UsageError` naming `file`, the host and the prop.
[[nodiscard]] std::vector<MyrinetParameters> myrinet_cards(const Platform& platform,
                                                           std::string_view file);

}  // namespace orrery::detail
