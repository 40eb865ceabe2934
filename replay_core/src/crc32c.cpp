#include "crc32c.hpp"

#include <array>

namespace orrery::detail {
namespace {

constexpr std::uint32_t reversed_polynomial = 0x82f63b78U;

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = remainder >> 1U ^ ((remainder & 1U) != 0 ? reversed_polynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr auto table = make_table();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t remainder = ~before;
  for (const std::byte byte : bytes) {
    remainder = remainder >> 8U ^ table[(remainder ^ std::to_integer<std::uint32_t>(byte)) & 0xffU];
  }
  return ~remainder;
}

}  // namespace orrery::detail
