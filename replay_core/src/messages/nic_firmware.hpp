// The recorders `nic` and `switch` as code on the cards, or at the ports of switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/name_with_options.hpp>

#include "card_records.hpp"

namespace orrery::detail {

/// What `--method nic:...` or `switch:...` says.
struct NicFirmwareOptions {
  std::uint64_t buffer_bytes = std::uint64_t{64} * 1024;  ///< of the card's or port's memory
  std::uint64_t record_cycles = 30;  ///< to look at the header, store a word, and count
  bool compresses = false;
  std::uint64_t compress_cycles = 60;  ///< besides: eight comparisons, and moving what is in front
  std::uint64_t flush_cycles = 100;    ///< to tell the DMA engine, or the monitor
};

/// Reads them.  Throws `UsageError` for keys that do not exist, and for values that cannot be.
[[nodiscard]] NicFirmwareOptions nic_firmware_options(const NameWithOptions& given);

/// Keeps a record of each message that comes to a card, or passes the port to a host, and that a
/// receive will take, in the order of coming.  The buffer has two halves: when one is full it goes
/// to the host, or to the switch's monitor, and the other one is filled meanwhile.
class NicFirmware final : public FirmwareHook {
 public:
  NicFirmware(const NicFirmwareOptions& options, HookPlace place)
      : options_(options), place_(place) {}

  [[nodiscard]] HookPlace place() const override { return place_; }
  [[nodiscard]] std::uint64_t code_sram_bytes() const override;
  [[nodiscard]] std::uint64_t buffer_bytes() const override { return options_.buffer_bytes; }
  [[nodiscard]] bool sees_local_messages() const override { return true; }
  void reset() override { cards_.clear(); }
  FirmwareWork on_receive(const FirmwareCall& call, const Transfer& transfer) override;
  FirmwareWork on_buffer_full(const FirmwareCall& call) override;
  FirmwareWork on_finalize(const FirmwareCall& call) override;

  /// The records of all cards or ports, host by host, as they are when the run is over: of the
  /// bytes that were written away, and those that are then read from the card or port.  Nothing
  /// where the bytes of one make no sense.
  [[nodiscard]] std::optional<std::vector<CardRecord>> records() const;
  /// How much there was on all of them.
  struct Totals {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    std::uint64_t flushes = 0;
    std::uint64_t cycles = 0;
  };
  [[nodiscard]] Totals totals() const;

 private:
  struct Card {
    explicit Card(bool compresses) : coder(compresses) {}
    CardCoder coder;
    std::vector<std::byte> buffer;          // what is not on its way there
    std::vector<std::byte> in_host_memory;  // or with the monitor; or on its way there
    Totals totals;
  };
  Card& card(std::uint32_t host);
  /// Sends so much to the host.
  void flush(Card& card, std::uint64_t bytes, FirmwareWork& work) const;

  NicFirmwareOptions options_;
  HookPlace place_;
  std::vector<Card> cards_;  // or ports, by host
};

}  // namespace orrery::detail
