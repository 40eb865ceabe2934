// Messages as fragments that queue at processors, buses, buffers and links of Myrinet cards.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/myrinet_statistics.hpp>
#include <orrery/network_model/network_model.hpp>
#include <orrery/network_model/platform.hpp>

namespace orrery {
namespace detail {
class MyrinetStations;
}

/// A message waits for a send token, costs its host CPU time, rings the doorbell and is cut into
/// fragments by the NIC's processor.  A fragment takes a send buffer, crosses the bus and holds the
/// links of its way from switch to switch, cut-through, while it waits for the next one and at last
/// for a receive buffer of the other card; there the processor and the bus have it once more.  The
/// message arrives when the host has taken notice of the last fragment.  Every station serves in
/// order of arrival, so messages of a pair of hosts never overtake each other.  When the receiving
/// processor is done with a message it sends an acknowledgement, a packet from card to card; the
/// other processor takes it and returns the token.
///
/// The links between the cards are its own (one switch, or a Clos network of them), or those of a
/// platform.  Then each fragment is a flow as in `SimGridNetwork`, from the date at which its card
/// hands it over and the other card has a buffer for it; it shares the platform's links, and those
/// of both cards, with the other flows.  Its card hands over the next one when its last byte has
/// left.  A fragment that waits for a buffer so holds up its card, but no link of the platform: a
/// route that takes the same links in any order cannot block another for ever.
///
/// The date that `start` gives is a lower bound.  A date only ever moves to a later one, and moves
/// before it has passed; `next_event()` is never later than a date that may still move.  On a
/// platform new traffic can make others faster (by slowing their competitors down): there a date
/// may become an earlier one, up to when it comes true.
///
///     MyrinetNetwork network(16, myrinet_preset("myrinet-pcixd"));
///     network.start({TransferId{1}, 0, 5, 4096}, now, dates);
///     while (network.next_event() != VirtualTime::never())
///       network.advance(network.next_event(), dates);   // dates.back(): when it arrived
class MyrinetNetwork final : public NetworkModel {
 public:
  static constexpr std::uint32_t hosts_max = 1'000'000;

  /// Throws `UsageError` for 0 or more than `hosts_max` hosts, and for parameters out of range.
  /// `hook` runs on all cards; its memory counts as the firmware's.
  explicit MyrinetNetwork(std::uint32_t host_count, const MyrinetParameters& parameters = {},
                          std::unique_ptr<FirmwareHook> hook = nullptr);
  /// The same with the links of `platform` between the cards, of which there is one a host, in the
  /// order of its hosts.  `hosts_per_switch` and `switch_hop_ns` of the cards mean nothing, half of
  /// `nic_to_nic_ns` is each card's.  Also throws if cards differ in `fragment_bytes`.
  MyrinetNetwork(const std::shared_ptr<Platform>& platform,
                 const std::vector<MyrinetParameters>& cards,
                 std::unique_ptr<FirmwareHook> hook = nullptr);
  ~MyrinetNetwork() override;

  void reset() override;
  [[nodiscard]] std::uint32_t host_count() const override;
  [[nodiscard]] HostDescription host(std::uint32_t index) const override;
  /// The same as a hook given to the constructor.
  void load_firmware(std::shared_ptr<FirmwareHook> hook) override;
  /// A host sends to itself past its card, as in `ConstantNetwork` or as the platform says, unless
  /// a hook sees such messages: then out of the card's interface and in again, past all switches.
  void start(const Transfer& transfer, VirtualTime now, std::vector<ArrivalDate>& dates) override;
  [[nodiscard]] VirtualTime next_event() const override;
  void advance(VirtualTime to, std::vector<ArrivalDate>& dates) override;

  /// `host` asks the firmware hook of its card for something: it costs the host's send time and the
  /// doorbell, no token.  Appends dates as `start` does, for `request.id`: when the host has taken
  /// notice of the answer.  While nothing is under way that could bring it, that is `never()`.
  void request(std::uint32_t host, const FirmwareRequest& request, VirtualTime now,
               std::vector<ArrivalDate>& dates);

  /// Runs the firmware hook's `on_finalize` on the card of `host`, in its turn.  Like `start`.
  void finalize(std::uint32_t host, VirtualTime now, std::vector<ArrivalDate>& dates) override;

  /// All but the use over time is counted anyway.
  void keep_statistics(bool wanted) override;
  [[nodiscard]] NetworkStatistics statistics() const override;
  /// The same by number, without names: what happened since the last reset, up to the date that was
  /// advanced to.
  [[nodiscard]] MyrinetStatistics card_statistics() const;

 private:
  std::unique_ptr<detail::MyrinetStations> stations_;
};

}  // namespace orrery
