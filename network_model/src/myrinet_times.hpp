// How long each station of a Myrinet takes, in picoseconds rounded up.
#pragma once

#include <algorithm>
#include <cstdint>

#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/virtual_time.hpp>

namespace orrery::detail {

/// Counts over a rate; `count` is at most 2^23 here, so that the product fits.
inline VirtualDuration at_rate(std::uint64_t count, std::uint64_t per_second) {
  constexpr std::uint64_t second_ps = 1'000'000'000'000;
  const std::uint64_t span_ps = (count * second_ps + per_second - 1) / per_second;
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(span_ps));
}

inline VirtualDuration from_ns(std::uint64_t count) {
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(count * 1'000));
}

/// What lies between two cards, for a fragment that nothing is in the way of.
struct MyrinetPath {
  std::uint64_t bytes_per_second = 0;  ///< at most
  VirtualDuration flight;  ///< from the last byte on the sender's link to that in the other card
  VirtualDuration rounding = {};  ///< by which a fragment may be faster than `at_rate` says
};

/// The parameters of a card and its host as durations.
class MyrinetTimes {
 public:
  explicit MyrinetTimes(const MyrinetParameters& parameters)
      : host_send(from_ns(parameters.host_send_ns)),
        host_receive(from_ns(parameters.host_receive_ns)),
        doorbell(from_ns(parameters.doorbell_ns)),
        notice(from_ns(parameters.notice_ns)),
        host_interrupt(from_ns(parameters.host_interrupt_ns)),
        acknowledgement(cycles(parameters.acknowledgement_cycles, parameters)),
        p_(parameters) {}

  VirtualDuration host_send;
  VirtualDuration host_receive;
  VirtualDuration doorbell;
  VirtualDuration notice;
  VirtualDuration host_interrupt;
  VirtualDuration acknowledgement;

  [[nodiscard]] const MyrinetParameters& parameters() const { return p_; }
  [[nodiscard]] VirtualDuration cycles(std::uint64_t count) const { return cycles(count, p_); }
  /// At a port of a switch.
  [[nodiscard]] VirtualDuration port_cycles(std::uint64_t count) const {
    return at_rate(count, p_.port_clock_hz);
  }
  [[nodiscard]] VirtualDuration to_monitor(std::uint64_t bytes) const {
    return at_rate(bytes, p_.monitor_bytes_per_second);
  }

  [[nodiscard]] VirtualDuration processor_send(bool is_first) const {
    return cycles(p_.send_fragment_cycles + (is_first ? p_.send_message_cycles : 0));
  }
  [[nodiscard]] VirtualDuration processor_receive(bool is_first) const {
    return cycles(p_.receive_fragment_cycles + (is_first ? p_.receive_message_cycles : 0));
  }
  [[nodiscard]] VirtualDuration bus_read(std::uint64_t bytes) const {
    return from_ns(p_.dma_setup_ns) + at_rate(bytes, p_.bus_read_bytes_per_second);
  }
  [[nodiscard]] VirtualDuration bus_write(std::uint64_t bytes) const {
    return from_ns(p_.dma_setup_ns) + at_rate(bytes, p_.bus_write_bytes_per_second);
  }
  /// A fragment on this card's link.
  [[nodiscard]] VirtualDuration link(std::uint64_t bytes, const MyrinetPath& path) const {
    return std::max(
        VirtualDuration::zero(),
        at_rate(bytes + p_.packet_overhead_bytes, path.bytes_per_second) - path.rounding);
  }
  /// All fragments of a message on this card's link.
  [[nodiscard]] VirtualDuration link_of_message(std::uint64_t bytes,
                                                const MyrinetPath& path) const {
    const std::uint64_t before_last = bytes == 0 ? 0 : (bytes - 1) / p_.fragment_bytes;
    return link(p_.fragment_bytes, path) * static_cast<std::int64_t>(before_last) +
           link(last_fragment(bytes), path);
  }
  /// What keeps the sender from its next message before the first fragment is on the link: if the
  /// firmware works on one message at a time, the steps up to there.
  [[nodiscard]] VirtualDuration before_link_alone(std::uint64_t bytes) const {
    if (p_.messages_in_progress > 1) return VirtualDuration::zero();
    return processor_send(true) + bus_read(first_fragment(bytes));
  }
  [[nodiscard]] std::uint64_t first_fragment(std::uint64_t bytes) const {
    return bytes < p_.fragment_bytes ? bytes : p_.fragment_bytes;
  }
  [[nodiscard]] std::uint64_t last_fragment(std::uint64_t bytes) const {
    return bytes == 0 ? 0 : (bytes - 1) % p_.fragment_bytes + 1;
  }
  /// From the start to the first byte on the link, when nothing is in the way.
  [[nodiscard]] VirtualDuration before_link(std::uint64_t bytes) const {
    return host_send + doorbell + processor_send(true) + bus_read(first_fragment(bytes));
  }
  /// At the receiver: from the last byte in the card to the arrival, when nothing is in the way.
  [[nodiscard]] VirtualDuration after_flight(std::uint64_t last_fragment_bytes,
                                             bool is_first) const {
    return processor_receive(is_first) + bus_write(last_fragment_bytes) + notice + host_receive;
  }

 private:
  static VirtualDuration cycles(std::uint64_t count, const MyrinetParameters& parameters) {
    return at_rate(count, parameters.nic_clock_hz);
  }
  MyrinetParameters p_;
};

}  // namespace orrery::detail
