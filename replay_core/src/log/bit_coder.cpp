#include "bit_coder.hpp"

#include <utility>

namespace orrery::detail {
namespace {

constexpr std::uint32_t highest_byte = 0xff000000U;

/// The last number of the lower part of the interval, which stands for a set bit.
std::uint32_t split(std::uint32_t low, std::uint32_t high, const BitModel& model) {
  const std::uint64_t width = std::uint64_t{high} - low;
  return low + static_cast<std::uint32_t>(width * model.probability() >> 16U);
}

}  // namespace

bool BitEncoder::bit(BitModel& model, bool value) {
  const std::uint32_t middle = split(low_, high_, model);
  (value ? high_ : low_) = value ? middle : middle + 1;
  model.learn(value);
  while (((low_ ^ high_) & highest_byte) == 0) {
    bytes_.push_back(static_cast<std::byte>(high_ >> 24U));
    low_ <<= 8U;
    high_ = high_ << 8U | 0xffU;
  }
  return value;
}

std::vector<std::byte> BitEncoder::finish() {
  // The reader takes zeros for what is missing: one byte is enough to name the interval.
  if (low_ != 0) bytes_.push_back(static_cast<std::byte>((low_ >> 24U) + 1));
  return std::move(bytes_);
}

BitDecoder::BitDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
  for (int i = 0; i < 4; ++i) code_ = code_ << 8U | next_byte();
}

std::uint32_t BitDecoder::next_byte() {
  if (next_ < bytes_.size()) return std::to_integer<std::uint32_t>(bytes_[next_++]);
  ++beyond_;
  return 0;
}

bool BitDecoder::bit(BitModel& model, bool /*ignored*/) {
  const std::uint32_t middle = split(low_, high_, model);
  const bool value = code_ <= middle;
  (value ? high_ : low_) = value ? middle : middle + 1;
  model.learn(value);
  while (((low_ ^ high_) & highest_byte) == 0) {
    code_ = code_ << 8U | next_byte();
    low_ <<= 8U;
    high_ = high_ << 8U | 0xffU;
  }
  return value;
}

}  // namespace orrery::detail
