// What the NICs and links of a network did in a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orrery/network_model/use_over_time.hpp>
#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// What passed through.
struct Traffic {
  std::uint64_t messages = 0;   ///< counted with their last byte
  std::uint64_t fragments = 0;  ///< 0 where a model does not cut messages
  std::uint64_t bytes = 0;      ///< payload
};

/// How much a station that serves one at a time had to do.
struct StationUse {
  VirtualDuration busy;             ///< time in service; of a link, blocked time too
  VirtualDuration longest_wait;     ///< before service
  std::uint64_t longest_queue = 0;  ///< not counting the one in service
};

/// What a firmware hook took of one card, or of the port of a switch to its host.
struct FirmwareHookUse {
  std::uint64_t cycles = 0;
  std::uint64_t kept_bytes = 0;     ///< that were put into its buffer
  std::uint64_t dma_bytes = 0;      ///< that are in host memory, or with the switch's monitor
  std::uint64_t interrupts = 0;     ///< of these, one for each time that bytes came there
  VirtualDuration interrupt_time;   ///< of the host's processor
  VirtualDuration waited_for_room;  ///< of the hook's processor, its buffer being full
};

/// A part of a NIC in which messages queue.
struct NetworkStation {
  std::string name;  ///< `processor`, `bus`
  StationUse use;
  UseOverTime over_time;
};

/// A host, as the network sees it, with its NIC.
struct NetworkNic {
  std::string host;
  Traffic sent;      ///< to other hosts
  Traffic received;  ///< from other hosts
  Traffic local;     ///< from the host to itself: through its memory, where the model says no more
  std::vector<NetworkStation> stations;  ///< none where a model has no NICs
  FirmwareHookUse hook;                  ///< nothing where none runs
};

/// One direction of a link, or a link that has no directions.
///
/// Where messages take turns (Myrinet), waits and queues are theirs.  Where they share the
/// bandwidth as flows (platforms), `busy` is the time that the bytes would have taken at full
/// bandwidth, the queue is how many flows there were at a time beside the first, and a flow's wait
/// is by how much it came later than it would have alone.
struct NetworkLink {
  std::string name;
  Traffic traffic;
  StationUse use;
  UseOverTime over_time;
};

/// Everything from the start of a run to its end, or to the date that was advanced to.  Hosts and
/// links that took no part are left out.
struct NetworkStatistics {
  VirtualTime end;  ///< of the time that busy times are parts of
  std::vector<NetworkNic> nics;
  std::vector<NetworkLink> links;
};

}  // namespace orrery
