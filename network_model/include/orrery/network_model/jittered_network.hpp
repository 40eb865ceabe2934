// Any network, with delays by chance on top.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/network_model/chance_source.hpp>
#include <orrery/network_model/network_model.hpp>
#include <orrery/network_model/platform.hpp>

namespace orrery {

/// How much later a message may be.  A draw is one of 256 quantiles, the lowest of which is no
/// delay at all; whole numbers only, so the same draw is the same delay everywhere.
struct Jitter {
  enum class Shape : std::uint8_t {
    uniform,      ///< from 0 to `scale`
    exponential,  ///< `scale` on average, 6.24 times that at most
  };
  static constexpr std::uint64_t quantiles = 256;

  Shape shape = Shape::uniform;
  VirtualDuration scale;

  [[nodiscard]] VirtualDuration quantile(std::uint64_t draw) const;
};

/// Reads `5us` or `uniform-5us`, or `exponential-5us`.  Throws `UsageError` naming `where`.
[[nodiscard]] Jitter parse_jitter(std::string_view text, std::string_view where);

/// Draws once for each transfer at its start (on a platform once for each link of its route that
/// has jitter), and adds that to whatever date the network inside says.  The links are shared as if
/// there were none; messages of one sender still arrive in order, which is the caller's to see to.
/// Without a source of chances nothing is late.
///
///     JitteredNetwork network(make_network("ethernet-1g", 4), {Jitter::Shape::uniform, 5us});
class JitteredNetwork final : public NetworkModel {
 public:
  /// The same for every message between two hosts.
  JitteredNetwork(std::unique_ptr<NetworkModel> inside, const Jitter& jitter);
  /// As the links' properties `jitter` say.
  JitteredNetwork(std::unique_ptr<NetworkModel> inside, std::shared_ptr<Platform> platform);

  void set_chances(ChanceSource* source) override;
  void load_firmware(std::shared_ptr<FirmwareHook> hook) override {
    inside_->load_firmware(std::move(hook));
  }
  void reset() override;
  [[nodiscard]] std::uint32_t host_count() const override { return inside_->host_count(); }
  [[nodiscard]] HostDescription host(std::uint32_t index) const override {
    return inside_->host(index);
  }
  void start(const Transfer& transfer, VirtualTime now, std::vector<ArrivalDate>& dates) override;
  [[nodiscard]] VirtualTime next_event() const override { return inside_->next_event(); }
  void advance(VirtualTime to, std::vector<ArrivalDate>& dates) override;
  void finalize(std::uint32_t host, VirtualTime now, std::vector<ArrivalDate>& dates) override;
  void keep_statistics(bool wanted) override { inside_->keep_statistics(wanted); }
  [[nodiscard]] NetworkStatistics statistics() const override { return inside_->statistics(); }

 private:
  [[nodiscard]] VirtualDuration draw(const Transfer& transfer);
  void add_delays(std::vector<ArrivalDate>& dates, std::size_t from);
  void forget_arrived(VirtualTime now);

  std::unique_ptr<NetworkModel> inside_;
  Jitter jitter_;
  std::shared_ptr<Platform> platform_;
  std::vector<Jitter> by_link_;  // of the platform; a scale of 0: none
  ChanceSource* chances_ = nullptr;
  struct Delay {
    VirtualDuration by;
    VirtualTime arrival;  ///< without it
  };
  static constexpr std::size_t least_delays_max = 64;
  std::unordered_map<std::uint64_t, Delay> delays_;  // by transfer; those that are not there yet
  std::size_t delays_max_ = least_delays_max;        // from then on, look for what has arrived
};

/// Has any link of the platform a property `jitter`?
[[nodiscard]] bool has_jitter(const Platform& platform);

}  // namespace orrery
