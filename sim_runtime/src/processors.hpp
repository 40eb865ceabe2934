// The processors of hosts: how long a computation takes, and when it gets a core.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/network_model/network_model.hpp>

namespace orrery::detail {

/// Each host has cores that serve one computation at a time, in the order in which computations
/// begin, each to its end: the one that comes when all are busy waits for the first that is free.
/// So ranks and threads do not disturb each other while there are as many cores as they.
class Processors {
 public:
  /// `network` must outlive it.
  explicit Processors(const NetworkModel& network) : network_(network) {}

  /// All cores are free.
  void reset();
  /// How long so many operations take one core, up to a whole picosecond.
  [[nodiscard]] VirtualDuration duration_of(std::uint32_t host, std::uint64_t flops);
  /// When a computation that is ready now ends.
  [[nodiscard]] VirtualTime take(std::uint32_t host, VirtualTime now, VirtualDuration duration);

 private:
  struct Host {
    std::uint64_t flops_per_second = 0;  // 0: not asked for yet
    std::vector<VirtualTime> cores;      // when each is free
  };
  Host& host(std::uint32_t index);

  const NetworkModel& network_;
  std::vector<Host> hosts_;  // up to the last that has computed
};

}  // namespace orrery::detail
