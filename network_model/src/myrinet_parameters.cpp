#include <array>
#include <string>
#include <vector>

#include <orrery/network_model/myrinet_parameters.hpp>
#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "myrinet_options.hpp"

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

}  // namespace

void MyrinetParameters::check(std::string_view where) const {
  for (const detail::MyrinetParameter& one : detail::myrinet_parameters()) {
    const std::uint64_t value = one.value(*this);
    if (value >= one.least && value <= one.most) continue;
    throw UsageError(
        std::string(one.name) + "=" + std::to_string(value) + " is out of range",
        std::string(where),
        "give a number from " + std::to_string(one.least) + " to " + std::to_string(one.most));
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
