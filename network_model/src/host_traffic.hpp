// Messages and bytes of each host, for networks that have no NICs of their own to count them.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/network_model/network_model.hpp>

namespace orrery::detail {

/// Grows up to the last host that takes part, however many there are.
class HostTraffic {
 public:
  void reset() { hosts_.clear(); }
  void count(const Transfer& transfer);
  /// Adds a NIC without stations for each host that took part.
  void append_to(NetworkStatistics& statistics, const NetworkModel& network) const;

 private:
  struct Host {
    Traffic sent;
    Traffic received;
    Traffic local;
  };
  Host& host(std::uint32_t index);
  std::vector<Host> hosts_;
};

}  // namespace orrery::detail
