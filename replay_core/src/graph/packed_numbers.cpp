#include "packed_numbers.hpp"

#include <string_view>

namespace orrery::detail {

void PackedNumbers::add(std::int64_t number) {
  const bool is_negative = number < 0;
  // In this type there is room for the size of the lowest number, too.
  std::uint64_t rest =
      is_negative ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  auto byte = static_cast<unsigned>((rest & 63U) << 1U) | (is_negative ? 1U : 0U);
  rest >>= 6U;
  while (rest != 0) {
    bytes_.push_back(static_cast<char>(byte | 128U));
    byte = static_cast<unsigned>(rest & 127U);
    rest >>= 7U;
  }
  bytes_.push_back(static_cast<char>(byte));
}

std::string PackedNumbers::base64() const {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t at) -> std::uint32_t {
    return at < bytes_.size() ? static_cast<unsigned char>(bytes_[at]) : 0U;
  };
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes_.size(); at += 3) {
    const std::uint32_t group = byte(at) << 16U | byte(at + 1) << 8U | byte(at + 2);
    text.push_back(letters[group >> 18U]);
    text.push_back(letters[group >> 12U & 63U]);
    text.push_back(at + 1 < bytes_.size() ? letters[group >> 6U & 63U] : '=');
    text.push_back(at + 2 < bytes_.size() ? letters[group & 63U] : '=');
  }
  return text;
}

}  // namespace orrery::detail
