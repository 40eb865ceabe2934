// What the NICs and links of a Myrinet did in a run.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/network_model/network_statistics.hpp>

namespace orrery {

/// One host with its card.
struct NicStatistics {
  Traffic sent;      ///< left on the link
  Traffic received;  ///< in host memory
  Traffic local;     ///< from the host to itself, past the card
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

/// Everything since the last reset.  Where a platform's links are the fabric, only `from_host` is
/// filled: what waits for its card to hand it over.  Indices are hosts', but for
/// `between_switches`: destination switch times hosts a switch, plus the number of the upper
/// switch.
struct MyrinetStatistics {
  std::vector<NicStatistics> nics;
  std::vector<LinkStatistics> from_host;  ///< host to switch
  std::vector<LinkStatistics> to_host;    ///< switch to host
  std::vector<LinkStatistics> between_switches;
};

}  // namespace orrery
