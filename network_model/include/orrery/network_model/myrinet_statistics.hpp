// What the NICs and links of a Myrinet did in a run.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// How much a station that serves one at a time had to do.
struct StationUse {
  VirtualDuration busy;             ///< time in service; of a link, blocked time too
  VirtualDuration longest_wait;     ///< before service
  std::uint64_t longest_queue = 0;  ///< not counting the one in service
};

/// What passed through.  A message counts when its last fragment does.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t fragments = 0;
  std::uint64_t bytes = 0;  ///< payload
};

/// What a firmware hook took of one card.
struct FirmwareHookUse {
  std::uint64_t cycles = 0;
  std::uint64_t dma_bytes = 0;  ///< that are in host memory
};

/// One host with its card.
struct NicStatistics {
  Traffic sent;      ///< left on the link
  Traffic received;  ///< in host memory
  StationUse host;   ///< the host's processor, as far as messages need it
  StationUse processor;
  StationUse bus;
  FirmwareHookUse hook;
};

/// One direction of one link.
struct LinkStatistics {
  Traffic traffic;
  StationUse use;
};

/// Everything since the last reset.  Indices are hosts', but for `between_switches`: destination
/// switch times hosts a switch, plus the number of the upper switch.
struct MyrinetStatistics {
  std::vector<NicStatistics> nics;
  std::vector<LinkStatistics> from_host;  ///< host to switch
  std::vector<LinkStatistics> to_host;    ///< switch to host
  std::vector<LinkStatistics> between_switches;
};

}  // namespace orrery
