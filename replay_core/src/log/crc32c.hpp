// The checksum of logs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace orrery::detail {

/// CRC-32C (Castagnoli, Braeuer and Herrmann, "Optimization of cyclic redundancy-check codes with
/// 24 and 32 parity bits", 1993): finds every change within 32 neighbouring bits, so every changed
/// byte.  `before` is the checksum of what comes before `bytes`, to go on from there.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);
/// The same, on processors that have no instruction for it.
[[nodiscard]] std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes,
                                             std::uint32_t before = 0);

}  // namespace orrery::detail
