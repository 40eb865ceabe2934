// A barrier that the cards of a Myrinet do among themselves: an example of a firmware hook.
#pragma once

#include <cstdint>
#include <vector>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// What the barrier's code takes of a card's processor.  Guesses: a lookup and a packet's header.
struct FirmwareBarrierCosts {
  std::uint64_t request_cycles = 60;  ///< to look at the host's request
  std::uint64_t packet_cycles = 40;   ///< for each packet that comes
  std::uint64_t send_cycles = 60;     ///< for each packet that goes
};

/// Each host enters by a `MyrinetNetwork::request` and is answered when all have entered.  The
/// cards run the dissemination barrier (Hensgen, Finkel and Manber 1988): in round k each sends to
/// the one that is 2^k further and waits for the one that is 2^k before; after log2(n) rounds,
/// rounded up, all know of all.  That cards do this without their hosts is an idea of Buntinas,
/// Panda and Sadayappan (2001); here the rounds are of packets from card to card, each sent by the
/// processor when the one before has come, whatever the hosts do meanwhile.
///
/// A host may enter the next barrier as soon as it is answered, while others are still in this one.
///
///     MyrinetNetwork network(16, myrinet_preset("myrinet-pcixd"),
///                            std::make_unique<FirmwareBarrier>(16));
///     for (std::uint32_t host = 0; host < 16; ++host) network.request(host, {id_of(host)}, now,
///     dates);
class FirmwareBarrier final : public FirmwareHook {
 public:
  /// Of all hosts of a network.
  explicit FirmwareBarrier(std::uint32_t host_count, const FirmwareBarrierCosts& costs = {});

  [[nodiscard]] std::uint64_t code_sram_bytes() const override { return 4'096; }
  void reset() override;
  FirmwareWork on_request(const FirmwareCall& call, const FirmwareRequest& request) override;
  FirmwareWork on_packet(const FirmwareCall& call, std::uint32_t source_host,
                         const FirmwarePacket& packet) override;

 private:
  /// What one card knows.
  struct Card {
    bool is_inside = false;
    TransferId request{};
    std::uint32_t round = 0;             // that it waits in
    std::uint64_t barrier = 0;           // how many it has entered
    std::vector<std::uint64_t> arrived;  // packets by round, of all barriers
  };
  void begin_round(std::uint32_t host, FirmwareWork& work) const;
  void go_on(std::uint32_t host, FirmwareWork& work);

  FirmwareBarrierCosts costs_;
  std::uint32_t rounds_ = 0;
  std::vector<Card> cards_;
};

/// From the date at which all hosts enter a barrier to the date at which the last has left it, done
/// by the cards.
[[nodiscard]] VirtualDuration firmware_barrier_time(const MyrinetParameters& parameters,
                                                    std::uint32_t host_count);
/// The same barrier with the same rounds, done by the hosts with empty messages.
[[nodiscard]] VirtualDuration host_barrier_time(const MyrinetParameters& parameters,
                                                std::uint32_t host_count);

}  // namespace orrery
