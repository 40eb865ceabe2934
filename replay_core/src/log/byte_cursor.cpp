#include "byte_cursor.hpp"

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::detail {

void ByteReader::fail(std::string_view what) const {
  throw UsageError(std::string(what), fmt::format("{}, byte {} of its content", where_, next_),
                   "the file was damaged, or written by something else");
}

std::uint64_t ByteReader::fixed(unsigned count) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const std::byte byte : take(count)) {
    value |= std::to_integer<std::uint64_t>(byte) << shift;
    shift += 8;
  }
  return value;
}

std::uint64_t ByteReader::long_varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = u8();
    const bool overflows = shift == 63 && byte > 1;
    const bool is_padded = byte == 0 && shift != 0;
    if (overflows || is_padded) fail("a number is not well formed");
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80U) return value;
  }
}

std::int64_t ByteReader::zigzag() {
  const std::uint64_t bits = varint();
  return static_cast<std::int64_t>(bits >> 1U ^ ((bits & 1U) != 0 ? ~std::uint64_t{0} : 0));
}

std::string ByteReader::text() {
  const auto content = take(varint());
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

std::size_t ByteReader::count(std::size_t bytes_each) {
  const std::uint64_t value = varint();
  if (value > (bytes_.size() - next_) / bytes_each) fail("a count is larger than what follows");
  return static_cast<std::size_t>(value);
}

void ByteReader::finish() const {
  if (!at_end()) fail("more follows than should");
}

}  // namespace orrery::detail
