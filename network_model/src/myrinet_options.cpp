#include "myrinet_options.hpp"

#include <algorithm>
#include <array>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "decimal.hpp"

namespace orrery::detail {
namespace {

using P = MyrinetParameters;
using Unit = ParameterUnit;

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t rate_max = 1'000'000'000'000;
constexpr std::uint64_t cycles_max = 1'000'000;
constexpr std::uint64_t count_max = 1'000'000'000;
constexpr std::uint64_t bytes_max = 1ULL << 40;

constexpr std::array<MyrinetParameter, 30> table{{
    {"host_send_ns", Unit::ns, &P::host_send_ns, 0, second_ns},
    {"host_receive_ns", Unit::ns, &P::host_receive_ns, 0, second_ns},
    {"doorbell_ns", Unit::ns, &P::doorbell_ns, 0, second_ns},
    {"notice_ns", Unit::ns, &P::notice_ns, 0, second_ns},
    {"host_interrupt_ns", Unit::ns, &P::host_interrupt_ns, 0, second_ns},
    {"send_tokens", Unit::none, &P::send_tokens, 1, count_max},
    {"nic_clock_hz", Unit::hz, &P::nic_clock_hz, 1'000'000, rate_max},
    {"send_message_cycles", Unit::none, &P::send_message_cycles, 0, cycles_max},
    {"send_fragment_cycles", Unit::none, &P::send_fragment_cycles, 0, cycles_max},
    {"receive_message_cycles", Unit::none, &P::receive_message_cycles, 0, cycles_max},
    {"receive_fragment_cycles", Unit::none, &P::receive_fragment_cycles, 0, cycles_max},
    {"acknowledgement_cycles", Unit::none, &P::acknowledgement_cycles, 0, cycles_max},
    {"messages_in_progress", Unit::none, &P::messages_in_progress, 1, count_max},
    {"dma_setup_ns", Unit::ns, &P::dma_setup_ns, 0, second_ns},
    {"bus_read_bytes_per_second", Unit::bytes_per_second, &P::bus_read_bytes_per_second, 1,
     rate_max},
    {"bus_write_bytes_per_second", Unit::bytes_per_second, &P::bus_write_bytes_per_second, 1,
     rate_max},
    {"sram_bytes", Unit::bytes, &P::sram_bytes, 0, bytes_max},
    {"firmware_sram_bytes", Unit::bytes, &P::firmware_sram_bytes, 0, bytes_max},
    {"send_buffers", Unit::none, &P::send_buffers, 1, count_max},
    {"receive_buffers", Unit::none, &P::receive_buffers, 1, count_max},
    {"fragment_bytes", Unit::bytes, &P::fragment_bytes, 1, 1'048'576},
    {"link_bytes_per_second", Unit::bytes_per_second, &P::link_bytes_per_second, 1, rate_max},
    {"packet_overhead_bytes", Unit::bytes, &P::packet_overhead_bytes, 0, 65'536},
    {"acknowledgement_bytes", Unit::bytes, &P::acknowledgement_bytes, 0, 65'536},
    {"nic_to_nic_ns", Unit::ns, &P::nic_to_nic_ns, 0, second_ns},
    {"switch_hop_ns", Unit::ns, &P::switch_hop_ns, 0, second_ns, true},
    {"hosts_per_switch", Unit::none, &P::hosts_per_switch, 1, count_max, true},
    {"port_clock_hz", Unit::hz, &P::port_clock_hz, 1'000'000, rate_max, true},
    {"port_memory_bytes", Unit::bytes, &P::port_memory_bytes, 0, bytes_max, true},
    {"monitor_bytes_per_second", Unit::bytes_per_second, &P::monitor_bytes_per_second, 1, rate_max,
     true},
}};

struct UnitName {
  std::string_view name;
  std::int64_t factor;
};
constexpr std::array<UnitName, 4> times{
    {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
constexpr std::array<UnitName, 4> frequencies{
    {{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}}};
constexpr std::array<UnitName, 6> sizes{{{"B", 1},
                                         {"kB", 1'000},
                                         {"MB", 1'000'000},
                                         {"KiB", 1'024},
                                         {"MiB", 1'048'576},
                                         {"GiB", 1'073'741'824}}};
constexpr std::array<UnitName, 8> rates{{{"B/s", 1},
                                         {"kB/s", 1'000},
                                         {"MB/s", 1'000'000},
                                         {"GB/s", 1'000'000'000},
                                         {"Bps", 1},
                                         {"kBps", 1'000},
                                         {"MBps", 1'000'000},
                                         {"GBps", 1'000'000'000}}};

std::span<const UnitName> units_of(Unit unit) {
  switch (unit) {
    case Unit::ns: return times;
    case Unit::hz: return frequencies;
    case Unit::bytes: return sizes;
    case Unit::bytes_per_second: return rates;
    case Unit::none: break;
  }
  return {};
}

std::string_view suffix_of(Unit unit) {
  switch (unit) {
    case Unit::ns: return "_ns";
    case Unit::hz: return "_hz";
    case Unit::bytes: return "_bytes";
    case Unit::bytes_per_second: return "_bytes_per_second";
    case Unit::none: break;
  }
  return "";
}

std::string advice(const MyrinetParameter& parameter) {
  switch (parameter.unit) {
    case Unit::ns: return "write a time, as in 850ns or 1.5us";
    case Unit::hz: return "write a frequency, as in 225MHz";
    case Unit::bytes: return "write a size, as in 4096B, 64kB or 2MiB";
    case Unit::bytes_per_second: return "write bytes per second, as in 780MB/s";
    case Unit::none: break;
  }
  return "write it in digits, without sign, point or unit";
}

std::uint64_t parse(const MyrinetParameter& parameter, std::string_view key, std::string_view text,
                    std::string_view where) {
  const auto refuse = [&](const std::string& what) {
    throw UsageError("'" + std::string(text) + "' " + what, std::string(where), advice(parameter));
  };
  const auto number = split_decimal(text);
  if (!number) refuse("is not a number");
  std::int64_t factor = 1;
  if (number->rest.empty()) {
    if (key != parameter.name) refuse("has no unit");
  } else {
    const auto units = units_of(parameter.unit);
    const auto unit = std::ranges::find(units, number->rest, &UnitName::name);
    if (unit == units.end()) {
      refuse((units.empty() ? "has a unit, '" : "has an unknown unit '") +
             std::string(number->rest) + "'");
    }
    factor = unit->factor;
  }
  const Scaled scaled = scale(*number, factor);
  if (scaled.fault == ScaleFault::not_whole) {
    refuse("is not a whole number in the unit of " + std::string(parameter.name));
  }
  if (scaled.fault == ScaleFault::too_large) return UINT64_MAX;
  return static_cast<std::uint64_t>(scaled.value);
}

}  // namespace

std::uint64_t MyrinetParameter::value(const MyrinetParameters& parameters) const {
  return std::visit([&](auto member) { return std::uint64_t{parameters.*member}; }, field);
}

void MyrinetParameter::set(MyrinetParameters& parameters, std::uint64_t value) const {
  std::visit(
      [&](auto member) {
        parameters.*member = static_cast<std::remove_cvref_t<decltype(parameters.*member)>>(value);
      },
      field);
}

std::string_view MyrinetParameter::short_name() const {
  return name.substr(0, name.size() - suffix_of(unit).size());
}

std::span<const MyrinetParameter> myrinet_parameters() {
  return table;
}

const MyrinetParameter* find_myrinet_parameter(std::string_view key) {
  const auto found = std::ranges::find_if(table, [key](const MyrinetParameter& one) {
    return key == one.name || key == one.short_name();
  });
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> myrinet_parameter_names() {
  std::vector<std::string> names;
  for (const MyrinetParameter& one : table) names.emplace_back(one.short_name());
  return names;
}

void set_myrinet_parameter(MyrinetParameters& parameters, const MyrinetParameter& parameter,
                           std::string_view key, std::string_view text, std::string_view where) {
  const std::uint64_t value = parse(parameter, key, text, where);
  if (value < parameter.least || value > parameter.most) {
    throw UsageError(std::string(key) + "=" + std::string(text) + " is out of range",
                     std::string(where),
                     "give " + std::string(parameter.name) + " from " +
                         std::to_string(parameter.least) + " to " + std::to_string(parameter.most));
  }
  parameter.set(parameters, value);
}

}  // namespace orrery::detail
