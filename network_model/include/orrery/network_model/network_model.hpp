// When does a message arrive?  The interface that every model of a network fills in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <orrery/network_model/chance_source.hpp>
#include <orrery/network_model/network_statistics.hpp>
#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

class FirmwareHook;

/// Names a transfer within one run; given by the caller, never reused in that run.
enum class TransferId : std::uint64_t {};

/// What the sender's library has written into a transfer's header.  No model looks at it: it is for
/// code that sees messages pass (firmware_hook.hpp).
struct TransferHeader {
  static constexpr std::uint32_t nobody = UINT32_MAX;

  std::uint32_t source_process = nobody;  ///< of an MPI program: a rank
  std::uint32_t destination_process = nobody;
  /// A receive of the program's own will take it, or what it announces; not one in a collective.
  bool begins_message = false;
};

/// Bytes that leave one host for another.
struct Transfer {
  TransferId id{};
  std::uint32_t source_host = 0;       ///< index of the sending host
  std::uint32_t destination_host = 0;  ///< index of the receiving host
  std::uint64_t size_bytes = 0;        ///< payload; models add their own headers
  TransferHeader header = {};
};

/// "As things stand, this transfer arrives at that date."
struct ArrivalDate {
  TransferId transfer{};
  VirtualTime date;
};

/// A machine of the network, as far as others than the network ask for it.
struct HostDescription {
  std::string name;
  std::uint64_t flops_per_second = 1'000'000'000;  ///< of one core
  std::uint32_t cores = 1;
};

/// A network under a clock that somebody else owns.  The caller starts transfers and advances the
/// model; the model answers with arrival dates, and may revise a date until it has passed (a new
/// flow slows the others down).  The caller decides when an arrived message is *delivered*: a
/// delivery that the explorer takes early or late does not change what the model computes.
///
/// Contract: `start` and `advance` get dates that never go back; no floating point crosses this
/// interface; the same calls give the same answers on every machine.  Not thread-safe.
class NetworkModel {
 public:
  NetworkModel() = default;
  NetworkModel(const NetworkModel&) = delete;
  NetworkModel& operator=(const NetworkModel&) = delete;
  virtual ~NetworkModel() = default;

  /// Forgets all transfers and goes back to date 0.
  virtual void reset() = 0;
  /// How many hosts there are; hosts are numbered from 0.
  [[nodiscard]] virtual std::uint32_t host_count() const = 0;
  /// One of them; by default `host-N` with a core of 1 Gflop/s.
  /// The speeds of platforms do not change in a run: profiles of hosts are not looked at.
  [[nodiscard]] virtual HostDescription host(std::uint32_t index) const {
    HostDescription description;
    description.name = "host-" + std::to_string(index);
    return description;
  }
  /// Starts a transfer at `now` and appends every date that this fixes or revises to `dates`.
  /// The new transfer's own date is always among them.
  virtual void start(const Transfer& transfer, VirtualTime now,
                     std::vector<ArrivalDate>& dates) = 0;
  /// The next date at which the model itself changes (and may revise dates); `never()` if none.
  [[nodiscard]] virtual VirtualTime next_event() const = 0;
  /// Moves the model to `to`, appending the dates that were revised on the way.
  virtual void advance(VirtualTime to, std::vector<ArrivalDate>& dates) = 0;

  /// A process on `host` has done its work: `MPI_Finalize`, or the end of its main function. Called
  /// once for each process; for what a NIC does then.  May append dates, as `advance`.
  virtual void finalize(std::uint32_t host, VirtualTime now, std::vector<ArrivalDate>& dates) {
    static_cast<void>(host);
    static_cast<void>(now);
    static_cast<void>(dates);
  }

  /// Puts code onto the processors of the network's cards, before a reset.  Throws `UsageError` if
  /// it has none, if they have code already, or if the code wants more memory than is left there.
  virtual void load_firmware(std::shared_ptr<FirmwareHook> hook);

  /// Where the model gets its chances from; null, and at the start: there are none.  Whoever gives
  /// a source keeps it as long as the model.  A model draws in `start`, once it is reset.
  virtual void set_chances(ChanceSource* source) { static_cast<void>(source); }

  /// Shall statistics be kept, from the next reset on?  They cost time, so they are not unless
  /// asked.
  virtual void keep_statistics(bool wanted) { static_cast<void>(wanted); }
  /// What happened since the last reset, as far as it was kept.  `end` is the caller's to fill in.
  [[nodiscard]] virtual NetworkStatistics statistics() const { return {}; }
};

/// Makes one network after the other, all alike.
using NetworkFactory = std::function<std::unique_ptr<NetworkModel>()>;

}  // namespace orrery
