// Messages as flows that share the links of a platform, as SimGrid would have them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <orrery/network_model/network_model.hpp>
#include <orrery/network_model/platform.hpp>

namespace orrery {
namespace detail {
class BandwidthSharing;
class HostTraffic;
class LinkMeter;
}  // namespace detail

/// How flows share links.
enum class FlowModel : std::uint8_t {
  plain,  ///< max-min sharing of the links' bandwidth, and the latency of the route on top
  cm02,   ///< SimGrid's CM02: shares by round-trip time, a window, acknowledgements
  lv08,   ///< SimGrid's LV08, its default: CM02 with slow start and headers as factors
};

/// What `SimGridNetwork` computes.
struct FlowSharing {
  FlowModel model = FlowModel::plain;
  /// CM02 and LV08: acknowledgements load the way back with 5 % of a flow's rate.
  bool has_cross_traffic = true;
};

/// A transfer takes the latency of its route, and as long as its bytes need at the rate that
/// max-min sharing of the links gives it while other flows come and go.  With the model `cm02` or
/// `lv08` the dates are those of SimGrid 3.32 under its own default flags: TCP flows share by their
/// round-trip times, and are bound by their windows.  Tests hold all three beside SimGrid's dates.
///
///     SimGridNetwork network(read_platform("cluster.xml"));
///     network.start({.id = TransferId{1}, .source_host = 0, .destination_host = 5,
///                    .size_bytes = 4096}, now, dates);
class SimGridNetwork final : public NetworkModel {
 public:
  /// What a host takes to send to itself where its platform does not say: as `ConstantNetwork`.
  explicit SimGridNetwork(std::shared_ptr<Platform> platform, const FlowSharing& sharing = {});
  ~SimGridNetwork() override;

  void reset() override;
  [[nodiscard]] std::uint32_t host_count() const override;
  [[nodiscard]] HostDescription host(std::uint32_t index) const override;
  /// Of the way from one host to another, for a transfer that starts now, under `FlowModel::plain`.
  [[nodiscard]] VirtualDuration latency(std::uint32_t source, std::uint32_t destination) const;
  void start(const Transfer& transfer, VirtualTime now, std::vector<ArrivalDate>& dates) override;
  /// The next end of a flow, or the next change of a link while there are flows; right after a
  /// start, the next picosecond: the dates given at a start are too early, and mended then.
  [[nodiscard]] VirtualTime next_event() const override { return next_event_; }
  void advance(VirtualTime to, std::vector<ArrivalDate>& dates) override;
  /// Of each host, counted when a message starts, and of each link that was used.
  void keep_statistics(bool wanted) override;
  [[nodiscard]] NetworkStatistics statistics() const override;

 private:
  struct FlowOf {
    TransferId transfer{};
    VirtualDuration latency;
  };
  void start_plain(const Transfer& transfer, const PlatformRoute& route, VirtualTime now,
                   std::vector<ArrivalDate>& dates);
  void start_weighted(const Transfer& transfer, const PlatformRoute& route, VirtualTime now,
                      std::vector<ArrivalDate>& dates);
  [[nodiscard]] double latency_of(const PlatformRoute& route) const;
  [[nodiscard]] VirtualDuration plain_latency(const PlatformRoute& route) const;
  void set_latency(const LinkChange& change);
  void settle(VirtualTime now, std::vector<ArrivalDate>& dates);
  void catch_up(VirtualTime now);
  void report_moved(VirtualTime now, std::vector<ArrivalDate>& dates);
  void find_next_event();

  std::shared_ptr<Platform> platform_;
  FlowSharing model_;
  std::unique_ptr<detail::BandwidthSharing> sharing_;
  std::vector<FlowOf> flows_;              // by the index that the sharing gives
  std::size_t changes_done_ = 0;           // of the platform's links
  std::vector<double> latency_changes_;    // seconds by link, since the start; empty: none
  std::vector<std::uint32_t> way_back_;    // of the transfer that starts
  std::optional<VirtualTime> changed_at_;  // where flows have started and have no rate yet
  VirtualTime next_event_ = VirtualTime::never();
  std::unique_ptr<detail::HostTraffic> traffic_;  // null: nobody asked
  std::unique_ptr<detail::LinkMeter> meter_;      // likewise
};

}  // namespace orrery
