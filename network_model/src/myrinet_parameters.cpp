#include <array>
#include <string>
#include <vector>

#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

namespace orrery {
namespace {

MyrinetParameters gm(std::uint64_t nic_clock_hz, std::uint64_t link_bytes_per_second) {
  MyrinetParameters result;
  result.nic_clock_hz = nic_clock_hz;
  result.link_bytes_per_second = link_bytes_per_second;
  return result;
}

MyrinetParameters gm_on_pci(std::uint64_t nic_clock_hz, std::uint64_t link_bytes_per_second) {
  MyrinetParameters result = gm(nic_clock_hz, link_bytes_per_second);
  result.bus_read_bytes_per_second = 528'000'000;
  result.bus_write_bytes_per_second = 528'000'000;
  return result;
}

/// Measured with GM 2.1.9, whose 5.05 us leave 650 cycles beside the 3.1 us.
MyrinetParameters gm_on_two_ports() {
  MyrinetParameters result = gm(333'000'000, 498'000'000);
  result.send_message_cycles = result.receive_message_cycles = 255;
  return result;
}

/// 3.2 us at 225 MHz and 2.6 us at 333 MHz: 416 cycles, and 1.35 us of all else.
MyrinetParameters mx() {
  MyrinetParameters result;
  result.host_send_ns = result.host_receive_ns = 150;
  result.doorbell_ns = result.notice_ns = 100;
  result.send_message_cycles = result.receive_message_cycles = 138;
  return result;
}

struct Bounds {
  std::string_view name;
  std::uint64_t value;
  std::uint64_t least;
  std::uint64_t most;
};

}  // namespace

void MyrinetParameters::check(std::string_view where) const {
  constexpr std::uint64_t second_ns = 1'000'000'000;
  constexpr std::uint64_t rate_max = 1'000'000'000'000;
  constexpr std::uint64_t cycles_max = 1'000'000;
  constexpr std::uint64_t count_max = 1'000'000'000;
  constexpr std::uint64_t bytes_max = 1ULL << 40;
  const std::array<Bounds, 25> all{{
      {"host_send_ns", host_send_ns, 0, second_ns},
      {"host_receive_ns", host_receive_ns, 0, second_ns},
      {"doorbell_ns", doorbell_ns, 0, second_ns},
      {"notice_ns", notice_ns, 0, second_ns},
      {"send_tokens", send_tokens, 1, count_max},
      {"nic_clock_hz", nic_clock_hz, 1'000'000, rate_max},
      {"send_message_cycles", send_message_cycles, 0, cycles_max},
      {"send_fragment_cycles", send_fragment_cycles, 0, cycles_max},
      {"receive_message_cycles", receive_message_cycles, 0, cycles_max},
      {"receive_fragment_cycles", receive_fragment_cycles, 0, cycles_max},
      {"acknowledgement_cycles", acknowledgement_cycles, 0, cycles_max},
      {"messages_in_progress", messages_in_progress, 1, count_max},
      {"dma_setup_ns", dma_setup_ns, 0, second_ns},
      {"bus_read_bytes_per_second", bus_read_bytes_per_second, 1, rate_max},
      {"bus_write_bytes_per_second", bus_write_bytes_per_second, 1, rate_max},
      {"sram_bytes", sram_bytes, 0, bytes_max},
      {"firmware_sram_bytes", firmware_sram_bytes, 0, bytes_max},
      {"send_buffers", send_buffers, 1, count_max},
      {"receive_buffers", receive_buffers, 1, count_max},
      {"fragment_bytes", fragment_bytes, 1, 1'048'576},
      {"link_bytes_per_second", link_bytes_per_second, 1, rate_max},
      {"packet_overhead_bytes", packet_overhead_bytes, 0, 65'536},
      {"acknowledgement_bytes", acknowledgement_bytes, 0, 65'536},
      {"nic_to_nic_ns", nic_to_nic_ns, 0, second_ns},
      {"switch_hop_ns", switch_hop_ns, 0, second_ns},
  }};
  for (const Bounds& bounds : all) {
    if (bounds.value >= bounds.least && bounds.value <= bounds.most) continue;
    throw UsageError(
        std::string(bounds.name) + "=" + std::to_string(bounds.value) + " is out of range",
        std::string(where),
        "give a number from " + std::to_string(bounds.least) + " to " +
            std::to_string(bounds.most));
  }
  if (hosts_per_switch == 0) {
    throw UsageError("hosts_per_switch=0 is out of range", std::string(where), "give 1 or more");
  }
  const std::uint64_t buffers_bytes =
      (std::uint64_t{send_buffers} + receive_buffers) * fragment_bytes;
  if (firmware_sram_bytes > sram_bytes || buffers_bytes > sram_bytes - firmware_sram_bytes) {
    throw UsageError("sram_bytes=" + std::to_string(sram_bytes) + " is too small for " +
                         std::to_string(firmware_sram_bytes) + " bytes of firmware and " +
                         std::to_string(buffers_bytes) + " bytes of buffers",
                     std::string(where),
                     "give a larger sram_bytes, or fewer send_buffers or receive_buffers");
  }
}

const std::array<MyrinetPreset, 5>& myrinet_presets() {
  static const std::array<MyrinetPreset, 5> presets{{
      {"myrinet-pci64b", gm_on_pci(133'000'000, 241'400'000)},
      {"myrinet-pci64c", gm_on_pci(200'000'000, 247'400'000)},
      {"myrinet-pcixd", {}},
      {"myrinet-pcixe", gm_on_two_ports()},
      {"myrinet-pcixd-mx", mx()},
  }};
  return presets;
}

const MyrinetParameters& myrinet_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const MyrinetPreset& preset : myrinet_presets()) {
    if (preset.name == name) return preset.parameters;
    names.emplace_back(preset.name);
  }
  throw UsageError("there is no Myrinet '" + std::string(name) + "'", "myrinet_preset",
                   name_hint(name, names));
}

}  // namespace orrery
