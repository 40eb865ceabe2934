// A platform's host, as others than the network see it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <orrery/network_model/network_model.hpp>
#include <orrery/network_model/platform.hpp>

namespace orrery::detail {

[[nodiscard]] inline HostDescription description_of(const PlatformHost& host) {
  HostDescription description;
  description.name = host.name;
  description.cores = std::max(1U, host.cores);
  constexpr double most = 1e18;
  if (host.speed_flops > 0) {
    description.flops_per_second =
        static_cast<std::uint64_t>(std::clamp(std::round(host.speed_flops), 1.0, most));
  }
  return description;
}

}  // namespace orrery::detail
