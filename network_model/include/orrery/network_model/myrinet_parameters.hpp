// What a Myrinet cluster is made of: the figures of hosts, cards, links and switches.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace orrery {

/// The figures of a `MyrinetNetwork`, in whole numbers of the units that their names end in.
/// A value type; the defaults are those of `myrinet-pcixd`.
///
/// The presets fit published latencies and rates of GM and MX (Myricom) on their cards, card by
/// card through the processor's cycles and the link's rate alone.  GM's latency fits 3.1 us + 720
/// cycles of the NIC on most cards, MX's 1.35 us + 416; each end is taken to have half of the
/// cycles.
///
/// Five figures, the same on all cards, are not published.  Those of acknowledgements are guesses:
/// the published figures hardly depend on them, and not at all on `host_interrupt_ns`.  Nor on what
/// switches have for a hook at their ports: no switch was sold that could be programmed.
/// `messages_in_progress` and `dma_setup_ns` were chosen with the published half-bandwidth sizes in
/// sight, which need firmware that does not overlap the first steps of a message with the one
/// before: with 2 messages in progress the sizes are a quarter of those, with a setup of 300 ns 4
/// to 19 % too large.
struct MyrinetParameters {
  // The host: its processor, and what lies between it and the card.
  std::uint64_t host_send_ns = 270;     ///< CPU time of handing over a message
  std::uint64_t host_receive_ns = 270;  ///< CPU time of taking a message
  std::uint64_t doorbell_ns = 850;      ///< from the host's write over the bus to the card's notice
  std::uint64_t notice_ns = 850;        ///< from the last byte in memory to the host's notice
  /// CPU time of an interrupt: what a firmware hook has written to memory is there.
  std::uint64_t host_interrupt_ns = 5'000;
  std::uint32_t send_tokens = 16;  ///< messages of a host that may be under way at a time

  // The NIC's processor: one first-come first-served server for both directions.
  std::uint64_t nic_clock_hz = 225'000'000;
  std::uint64_t send_message_cycles = 290;     ///< once a message, with its first fragment
  std::uint64_t send_fragment_cycles = 70;     ///< for every fragment
  std::uint64_t receive_message_cycles = 290;  ///< once a message, with its first fragment
  std::uint64_t receive_fragment_cycles = 70;  ///< for every fragment
  /// For the acknowledgement of a message: of the card that sends it, and again of the other.
  std::uint64_t acknowledgement_cycles = 40;
  /// Messages that the firmware works on at a time: the next is looked at when the last fragment
  /// of one of them has left on the link.  Messages leave in order whatever it is.
  std::uint32_t messages_in_progress = 1;

  // The bus, with one DMA engine for both directions.
  std::uint64_t dma_setup_ns = 100;                          ///< before every transfer over the bus
  std::uint64_t bus_read_bytes_per_second = 780'000'000;     ///< host memory to card
  std::uint64_t bus_write_bytes_per_second = 1'044'000'000;  ///< card to host memory

  // The card's memory.
  std::uint64_t sram_bytes = 2'097'152;
  std::uint64_t firmware_sram_bytes = 524'288;  ///< code, connections, tables
  std::uint32_t send_buffers = 4;               ///< fragments between the bus and the link, at most
  std::uint32_t receive_buffers = 16;           ///< fragments between the link and the bus, at most
  std::uint64_t fragment_bytes = 4'096;         ///< the longest packet's payload

  // Links and switches.
  /// One way, as the card sustains it (the wire has 250 MB/s); two ports count as one link.
  std::uint64_t link_bytes_per_second = 248'400'000;
  std::uint64_t packet_overhead_bytes = 24;  ///< route, header, checksum
  std::uint64_t acknowledgement_bytes = 8;   ///< and the overhead, for each message that came
  std::uint64_t nic_to_nic_ns = 350;         ///< both cards' interfaces and the cables
  std::uint64_t switch_hop_ns = 150;         ///< each switch, cut-through
  /// Hosts at one switch.  More hosts are joined by a Clos network: as many switches above as a
  /// switch below has hosts, and the position of the sender decides which of them is taken.
  std::uint32_t hosts_per_switch = 128;
  std::uint64_t port_clock_hz = 225'000'000;  ///< of the processor of a firmware hook at each port
  std::uint64_t port_memory_bytes = 131'072;  ///< of each of these, for the hook's code and buffer
  /// By which the monitor of a switch takes what hooks at its ports have kept, one port at a time.
  std::uint64_t monitor_bytes_per_second = 12'500'000;

  /// Throws `UsageError` that names the first parameter which is out of range, and `where`.
  void check(std::string_view where = "MyrinetParameters") const;
};

/// Parameters by name.
struct MyrinetPreset {
  std::string_view name;  ///< as in `orrery list networks`
  MyrinetParameters parameters;
};

/// The cards that are known: `myrinet-pci64b`, `-pci64c`, `-pcixd`, `-pcixe` (GM), `-pcixd-mx`.
[[nodiscard]] const std::array<MyrinetPreset, 5>& myrinet_presets();
/// One of them.  Throws `UsageError` for an unknown name.
[[nodiscard]] const MyrinetParameters& myrinet_preset(std::string_view name);

}  // namespace orrery
