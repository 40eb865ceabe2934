#include "bit_coder.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

std::vector<std::byte> BitEncoder::finish() {
  // The reader takes zeros for what is missing: one byte is enough to name the interval.
  if (interval_.low != 0) {
    bytes_.push_back(static_cast<std::byte>((interval_.low >> 24U) + 1));
  }
  return std::move(bytes_);
}

BitDecoder::BitDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
  for (int i = 0; i < 4; ++i) code_ = code_ << 8U | next_byte();
}

void BitDecoder::check(bool is_good, std::string_view what, std::string_view where) const {
  if (is_good) return;
  throw UsageError(fmt::format("{} at byte {}", what, position()), std::string(where),
                   "the log is damaged: take another copy of it");
}

}  // namespace orrery::detail
