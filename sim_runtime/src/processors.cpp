#include "processors.hpp"

#include <algorithm>

namespace orrery::detail {

Processors::Host& Processors::host(std::uint32_t index) {
  if (index >= hosts_.size()) hosts_.resize(std::size_t{index} + 1);
  Host& host = hosts_[index];
  if (host.flops_per_second == 0) {
    const HostDescription description = network_.host(index);
    host.flops_per_second = std::max<std::uint64_t>(1, description.flops_per_second);
    host.cores.resize(std::max(1U, description.cores));
  }
  return host;
}

void Processors::reset() {
  for (Host& host : hosts_) std::ranges::fill(host.cores, VirtualTime::start());
}

VirtualDuration Processors::duration_of(std::uint32_t index, std::uint64_t flops) {
  constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;
  const auto speed = static_cast<Wide>(host(index).flops_per_second);
  const Wide picoseconds = (static_cast<Wide>(flops) * picoseconds_per_second + speed - 1) / speed;
  if (picoseconds > VirtualDuration::max().picoseconds()) return VirtualDuration::max();
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(picoseconds));
}

VirtualTime Processors::take(std::uint32_t index, VirtualTime now, VirtualDuration duration) {
  VirtualTime& core = *std::ranges::min_element(host(index).cores);
  core = std::max(core, now) + duration;
  return core;
}

}  // namespace orrery::detail
