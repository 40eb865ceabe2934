// The parameters of a Myrinet card by name, as people write them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <orrery/network_model/myrinet_parameters.hpp>

namespace orrery::detail {

enum class ParameterUnit : std::uint8_t { none, ns, hz, bytes, bytes_per_second };

/// One field of `MyrinetParameters`.
struct MyrinetParameter {
  std::string_view name;
  ParameterUnit unit;
  std::variant<std::uint64_t MyrinetParameters::*, std::uint32_t MyrinetParameters::*> field;
  std::uint64_t least;
  std::uint64_t most;
  bool is_of_switches = false;  ///< means nothing where a platform's links are the fabric

  [[nodiscard]] std::uint64_t value(const MyrinetParameters& parameters) const;
  void set(MyrinetParameters& parameters, std::uint64_t value) const;
  /// The name without its unit, for values that have one: `nic_clock` of `nic_clock_hz`.
  [[nodiscard]] std::string_view short_name() const;
};

/// All of them, in the order of the struct.
[[nodiscard]] std::span<const MyrinetParameter> myrinet_parameters();
/// By its name, long or short; null: there is none.
[[nodiscard]] const MyrinetParameter* find_myrinet_parameter(std::string_view key);
/// The names that one may write, short ones where there are any.
[[nodiscard]] std::vector<std::string> myrinet_parameter_names();

/// Sets a parameter to what `text` says: digits with a unit (`225MHz`, `850ns`, `780MB/s`, `2MiB`),
/// or, with its long name or without any unit, bare digits.  Throws `UsageError` naming `where` for
/// no number, another unit, and what is out of range.
void set_myrinet_parameter(MyrinetParameters& parameters, const MyrinetParameter& parameter,
                           std::string_view key, std::string_view text, std::string_view where);

}  // namespace orrery::detail
