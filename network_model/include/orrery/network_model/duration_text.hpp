// Durations as people write them: `250ns`, `1.5us`, `20ms`, `3s`.
#pragma once

#include <string>
#include <string_view>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// Reads a number with a unit: `ps`, `ns`, `us`, `ms`, `s`, `min` or `h`; `infinity` and `inf` are
/// `VirtualDuration::max()`; only 0 needs no unit.  Exact: no floating point takes part, and what
/// is finer than a picosecond, negative, or longer than 2^63 ps (106 days) is refused.
/// `where` is the flag or argument to name in the `UsageError`.
///
///     parse_duration("1.5us").picoseconds();      // 1,500,000
///     parse_duration("20", "--window");           // throws: "--window: the duration '20' has no
///                                                 // unit (write 20ns, 20us, 20ms or 20s)"
[[nodiscard]] VirtualDuration parse_duration(std::string_view text, std::string_view where = {});

/// The exact value in the largest unit that is not longer than it: `130us`, `1.5ns`, `90s`, `0`;
/// minutes and hours only where they come out whole: `90min`, `1h`.  `parse_duration` reads it back
/// to the same value.  `infinity` for `max()`; negative ones get a `-` (and are not read back).
[[nodiscard]] std::string duration_text(VirtualDuration duration);

}  // namespace orrery
