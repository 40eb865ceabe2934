// Code that runs on the processors of Myrinet cards, beside the firmware.
#pragma once

#include <cstdint>

#include <orrery/network_model/network_model.hpp>

namespace orrery {

/// What a hook asks of the card that it runs on.
struct FirmwareWork {
  std::uint64_t cycles = 0;      ///< of the NIC's processor; what is served is held up so long
  std::uint64_t kept_bytes = 0;  ///< to keep in the hook's buffer in the card's memory
  std::uint64_t dma_bytes = 0;   ///< to write to host memory; that much of the buffer is then free
};

/// Where a hook runs, and when.
struct FirmwareCall {
  std::uint32_t host = 0;        ///< whose card
  VirtualTime date;              ///< when the processor turns to it
  std::uint64_t kept_bytes = 0;  ///< in the hook's buffer on this card
};

/// Pieces of code that are called for when the NIC's processor turns to a message.  One object
/// serves all cards; `FirmwareCall::host` tells them apart.  A hook must answer the same every time
/// that it is asked the same, or runs differ.
///
///     struct Recorder : FirmwareHook {   // keeps 4 bytes for every message that comes
///       std::uint64_t buffer_bytes() const override { return 65'536; }
///       FirmwareWork on_receive(const FirmwareCall&, const Transfer&) override {
///         return {.cycles = 40, .kept_bytes = 4};
///       }
///     };
class FirmwareHook {
 public:
  FirmwareHook() = default;
  FirmwareHook(const FirmwareHook&) = delete;
  FirmwareHook& operator=(const FirmwareHook&) = delete;
  virtual ~FirmwareHook() = default;

  /// SRAM for code and tables, on every card.
  [[nodiscard]] virtual std::uint64_t code_sram_bytes() const { return 0; }
  /// SRAM for what is kept, on every card.
  [[nodiscard]] virtual std::uint64_t buffer_bytes() const { return 0; }
  /// Forgets everything: a new run begins.
  virtual void reset() {}

  /// The sender's processor turns to the first fragment of a message.
  virtual FirmwareWork on_send(const FirmwareCall&, const Transfer&) { return {}; }
  /// The receiver's processor turns to the last fragment of a message.
  virtual FirmwareWork on_receive(const FirmwareCall&, const Transfer&) { return {}; }
  /// What is to be kept does not fit.  The processor waits until there is room; `dma_bytes` make
  /// room, by default all that is kept and not on its way yet.  `kept_bytes` are not looked at.
  virtual FirmwareWork on_buffer_full(const FirmwareCall& call) {
    return {.cycles = 0, .kept_bytes = 0, .dma_bytes = call.kept_bytes};
  }
  /// A process on the host has said that it is done: `MPI_Finalize`, or its main function has
  /// returned.  Once for each process of the host.
  virtual FirmwareWork on_finalize(const FirmwareCall& call) {
    return {.cycles = 0, .kept_bytes = 0, .dma_bytes = call.kept_bytes};
  }
};

}  // namespace orrery
