// What computing costs an unchanged program in virtual time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// How the time is found that a program computes between two visible operations.  A value type.
struct ComputingTime {
  enum class Method : std::uint8_t {
    none,  ///< computing takes no virtual time
    /// Each basic block that is executed has a price.  The same each time, for the same build.
    cost,
    /// The processor time that the thread needed here, times a scale.  Differs from run to run, so
    /// that what was measured is an input of the run: recorded, and taken from the log in a replay.
    measured,
  };
  Method method = Method::none;
  VirtualDuration block_price = std::chrono::nanoseconds(1);  ///< of `cost`
  std::uint64_t scale_millionths = 1'000'000;                 ///< of `measured`

  friend bool operator==(const ComputingTime&, const ComputingTime&) = default;

  /// As `parse_computing_time` reads it, with all figures.
  [[nodiscard]] std::string text() const;
};

/// Reads `none`, `cost[=PRICE]` (a duration, `1ns`) or `measured[=SCALE]` (a number such as 0.5).
/// `where` is the flag to name in the `UsageError`.
[[nodiscard]] ComputingTime parse_computing_time(std::string_view text,
                                                 std::string_view where = {});

}  // namespace orrery
