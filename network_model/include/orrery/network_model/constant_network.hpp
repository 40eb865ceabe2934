// The simplest network: every message takes latency + bytes / bandwidth, whatever else is sent.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <orrery/network_model/network_model.hpp>

namespace orrery {
namespace detail {
class HostTraffic;
}

/// A link's two figures.  `bandwidth_bytes_per_second` 0 means that size costs nothing.
struct LinkSpeed {
  VirtualDuration latency;
  std::uint64_t bandwidth_bytes_per_second = 0;

  /// How long `size_bytes` take: latency + size / bandwidth, rounded up to a picosecond.
  [[nodiscard]] VirtualDuration duration(std::uint64_t size_bytes) const;
};

/// A network without contention: one speed for all pairs of hosts, one for a host with itself
/// (loopback), and overrides per ordered pair.
///
///     ConstantNetwork network(4, {.latency = 50us, .bandwidth_bytes_per_second = 125'000'000});
///     network.set_pair(0, 3, {.latency = 2ms, .bandwidth_bytes_per_second = 1'000'000});
///     // 10,000 bytes from 0 to 1 arrive after 130 us
class ConstantNetwork final : public NetworkModel {
 public:
  /// 50 us and 125 MB/s: a plain gigabit network.
  static constexpr LinkSpeed default_speed() {
    return {std::chrono::microseconds(50), 125'000'000};
  }
  /// 500 ns and 10 GB/s: a copy through the memory of one host.
  static constexpr LinkSpeed default_loopback() {
    return {std::chrono::nanoseconds(500), 10'000'000'000};
  }

  explicit ConstantNetwork(std::uint32_t host_count, LinkSpeed speed = default_speed(),
                           LinkSpeed loopback = default_loopback());
  ~ConstantNetwork() override;

  /// Overrides one direction of one pair.  Throws `UsageError` for a host that does not exist.
  void set_pair(std::uint32_t source_host, std::uint32_t destination_host, LinkSpeed speed);

  void reset() override;
  [[nodiscard]] std::uint32_t host_count() const override { return host_count_; }
  void start(const Transfer& transfer, VirtualTime now, std::vector<ArrivalDate>& dates) override;
  [[nodiscard]] VirtualTime next_event() const override { return VirtualTime::never(); }
  void advance(VirtualTime, std::vector<ArrivalDate>&) override {}
  /// Messages and bytes of each host, counted when they start; there are no links.
  void keep_statistics(bool wanted) override;
  [[nodiscard]] NetworkStatistics statistics() const override;

 private:
  [[nodiscard]] const LinkSpeed& speed(std::uint32_t source, std::uint32_t destination) const;

  std::uint32_t host_count_;
  LinkSpeed default_;
  LinkSpeed loopback_;
  std::unordered_map<std::uint64_t, LinkSpeed> pairs_;
  std::unique_ptr<detail::HostTraffic> traffic_;  // null: nobody asked
};

}  // namespace orrery
