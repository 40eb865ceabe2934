// How long each station of a Myrinet takes, in picoseconds rounded up.
#pragma once

#include <cstdint>

#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/virtual_time.hpp>

namespace orrery::detail {

/// Counts over a rate; `count` is at most 2^21 here, so that the product fits.
inline VirtualDuration at_rate(std::uint64_t count, std::uint64_t per_second) {
  constexpr std::uint64_t second_ps = 1'000'000'000'000;
  const std::uint64_t span_ps = (count * second_ps + per_second - 1) / per_second;
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(span_ps));
}

inline VirtualDuration from_ns(std::uint64_t count) {
  return VirtualDuration::from_picoseconds(static_cast<std::int64_t>(count * 1'000));
}

/// The parameters as durations.
class MyrinetTimes {
 public:
  explicit MyrinetTimes(const MyrinetParameters& parameters)
      : host_send(from_ns(parameters.host_send_ns)),
        host_receive(from_ns(parameters.host_receive_ns)),
        doorbell(from_ns(parameters.doorbell_ns)),
        notice(from_ns(parameters.notice_ns)),
        p_(parameters) {}

  const VirtualDuration host_send;
  const VirtualDuration host_receive;
  const VirtualDuration doorbell;
  const VirtualDuration notice;

  [[nodiscard]] VirtualDuration processor_send(bool is_first) const {
    return at_rate(p_.send_fragment_cycles + (is_first ? p_.send_message_cycles : 0),
                   p_.nic_clock_hz);
  }
  [[nodiscard]] VirtualDuration processor_receive(bool is_last) const {
    return at_rate(p_.receive_fragment_cycles + (is_last ? p_.receive_message_cycles : 0),
                   p_.nic_clock_hz);
  }
  [[nodiscard]] VirtualDuration bus_read(std::uint64_t bytes) const {
    return from_ns(p_.dma_setup_ns) + at_rate(bytes, p_.bus_read_bytes_per_second);
  }
  [[nodiscard]] VirtualDuration bus_write(std::uint64_t bytes) const {
    return from_ns(p_.dma_setup_ns) + at_rate(bytes, p_.bus_write_bytes_per_second);
  }
  /// A fragment on a link.
  [[nodiscard]] VirtualDuration link(std::uint64_t bytes) const {
    return at_rate(bytes + p_.packet_overhead_bytes, p_.link_bytes_per_second);
  }
  /// All fragments of a message on a link.
  [[nodiscard]] VirtualDuration link_of_message(std::uint64_t bytes) const {
    const std::uint64_t before_last = bytes == 0 ? 0 : (bytes - 1) / p_.fragment_bytes;
    return link(p_.fragment_bytes) * static_cast<std::int64_t>(before_last) +
           link(last_fragment(bytes));
  }
  /// What keeps the sender from its next message: the link, and if the firmware works on one
  /// message at a time, what comes before the link too.
  [[nodiscard]] VirtualDuration sender_work(std::uint64_t bytes) const {
    return link_of_message(bytes) + before_link_alone(bytes);
  }
  /// Of that, what comes before the first fragment is on the link.
  [[nodiscard]] VirtualDuration before_link_alone(std::uint64_t bytes) const {
    if (p_.messages_in_progress > 1) return VirtualDuration::zero();
    return processor_send(true) + bus_read(first_fragment(bytes));
  }
  /// From the last byte on the sender's link to the last byte in the receiving card.
  [[nodiscard]] VirtualDuration fabric(std::uint32_t source, std::uint32_t destination) const {
    const bool at_one_switch = source / p_.hosts_per_switch == destination / p_.hosts_per_switch;
    return from_ns(p_.nic_to_nic_ns + p_.switch_hop_ns * (at_one_switch ? 1 : 3));
  }
  [[nodiscard]] std::uint64_t first_fragment(std::uint64_t bytes) const {
    return bytes < p_.fragment_bytes ? bytes : p_.fragment_bytes;
  }
  [[nodiscard]] std::uint64_t last_fragment(std::uint64_t bytes) const {
    return bytes == 0 ? 0 : (bytes - 1) % p_.fragment_bytes + 1;
  }
  /// From the last byte on the link to the arrival, when nothing is in the way.
  [[nodiscard]] VirtualDuration after_link(std::uint32_t source, std::uint32_t destination,
                                           std::uint64_t bytes) const {
    return fabric(source, destination) + processor_receive(true) + bus_write(last_fragment(bytes)) +
           notice + host_receive;
  }
  /// From the start to the first byte on the link, when nothing is in the way.
  [[nodiscard]] VirtualDuration before_link(std::uint64_t bytes) const {
    return host_send + doorbell + processor_send(true) + bus_read(first_fragment(bytes));
  }

 private:
  MyrinetParameters p_;
};

}  // namespace orrery::detail
