// Code that runs on the processors of Myrinet cards, beside the firmware, or at the output ports of
// their switches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <orrery/network_model/network_model.hpp>

namespace orrery {

/// From the firmware of one card to that of another, past both hosts and their buses.  Arrives
/// once, and after what the card has sent to the other before; it is not acknowledged.
struct FirmwarePacket {
  std::uint32_t destination_host = 0;
  std::uint32_t size_bytes = 8;  ///< on the links, beside the overhead; at most a fragment's
  std::uint64_t word = 0;        ///< what it says: the hook's own affair
};

/// What a host asks of its card, by `MyrinetNetwork::request`.
struct FirmwareRequest {
  TransferId id{};         ///< of its answer; of the same kind as those of messages
  std::uint64_t word = 0;  ///< what is asked: the hook's own affair
};

/// Where a hook runs.
enum class HookPlace : std::uint8_t {
  cards,        ///< on the processor of each card
  switch_ports  ///< on one of its own at each port by which a switch sends to a host
};

/// What a hook asks of the card, or the port, that it runs on.
struct FirmwareWork {
  std::uint64_t cycles = 0;      ///< of the processor; what is served is held up so long
  std::uint64_t kept_bytes = 0;  ///< to keep in the hook's buffer in the card's or port's memory
  /// To write away; that much of the buffer is then free.  A card writes to the memory of its host,
  /// which is interrupted when it is there: `MyrinetParameters::host_interrupt_ns` of its
  /// processor.  A port writes to the switch's monitor, which has a way out of its own.
  std::uint64_t dma_bytes = 0;
  /// To send, when the cycles are over; by cards only.
  std::vector<FirmwarePacket> packets = {};
  /// To requests of this host: it is told then; by cards only.
  std::vector<TransferId> answers = {};
};

/// Where a hook runs, and when.
struct FirmwareCall {
  std::uint32_t host = 0;        ///< whose card, or whom the port sends to
  VirtualTime date;              ///< when the processor turns to it
  std::uint64_t kept_bytes = 0;  ///< in the hook's buffer on this card, or at this port
};

/// Pieces of code that are called for when the NIC's processor turns to a message, a request of its
/// host, or a packet of another card's hook.  One object
/// serves all cards; `FirmwareCall::host` tells them apart.  A hook must answer the same every time
/// that it is asked the same, or runs differ.
///
/// At the ports of switches it is called for messages that pass (`on_receive`), when its buffer is
/// full, and when the host behind the port is done.
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

  /// On cards, or at ports?  Always the same.
  [[nodiscard]] virtual HookPlace place() const { return HookPlace::cards; }
  /// SRAM for code and tables, on every card or at every port.
  [[nodiscard]] virtual std::uint64_t code_sram_bytes() const { return 0; }
  /// SRAM for what is kept, on every card or at every port.
  [[nodiscard]] virtual std::uint64_t buffer_bytes() const { return 0; }
  /// Do messages of a host to itself go through its card, or to the switch and back?  Without a
  /// hook that wants to see them they go past both.  Asked whenever one is sent.
  [[nodiscard]] virtual bool sees_local_messages() const { return false; }
  /// Forgets everything: a new run begins.
  virtual void reset() {}

  /// The sender's processor turns to the first fragment of a message.
  virtual FirmwareWork on_send(const FirmwareCall&, const Transfer&) { return {}; }
  /// The receiver's processor, or the port's, turns to the last fragment of a message.
  virtual FirmwareWork on_receive(const FirmwareCall&, const Transfer&) { return {}; }
  /// The host has asked for something.  The answer may be given now or in a later call.
  virtual FirmwareWork on_request(const FirmwareCall&, const FirmwareRequest&) { return {}; }
  /// A packet of a hook has come from the card of `source_host`.  The processor takes the cycles of
  /// an acknowledgement for it, besides those that are asked for.
  virtual FirmwareWork on_packet(const FirmwareCall&, std::uint32_t source_host,
                                 const FirmwarePacket&) {
    static_cast<void>(source_host);
    return {};
  }
  /// What is to be kept does not fit.  The processor waits until there is room; `dma_bytes` make
  /// room, by default all that is kept and not on its way yet.  only `cycles` and `dma_bytes` are
  /// looked at.
  virtual FirmwareWork on_buffer_full(const FirmwareCall& call) {
    return {.cycles = 0, .kept_bytes = 0, .dma_bytes = call.kept_bytes};
  }
  /// A process on the host has said that it is done: `MPI_Finalize`, or its main function has
  /// returned.  Once for each process of the host.
  virtual FirmwareWork on_finalize(const FirmwareCall& call) {
    return {.cycles = 0, .kept_bytes = 0, .dma_bytes = call.kept_bytes};
  }
};

/// Networks like those that `networks` makes (null: ones without cards), each with this hook on its
/// cards or at its switches' ports; see `NetworkModel::load_firmware`.  One run at a time.
[[nodiscard]] NetworkFactory with_firmware(NetworkFactory networks,
                                           std::shared_ptr<FirmwareHook> hook);

}  // namespace orrery
