// Writing and reading the small parts that logs are made of: integers and text, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/sim_runtime/ids.hpp>

namespace orrery::detail {

using Bytes = std::vector<std::byte>;

/// Appends to a vector of bytes.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(std::byte{value}); }
  void u16(std::uint16_t value) { fixed(value, 2); }
  void u32(std::uint32_t value) { fixed(value, 4); }
  /// Seven bits a byte, the low ones first; the top bit says that more follow.
  void varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) u8(static_cast<std::uint8_t>(value | 0x80U));
    u8(static_cast<std::uint8_t>(value));
  }
  /// Small numbers of either sign are short.
  void zigzag(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    varint(bits << 1U ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }
  void text(std::string_view value) {
    varint(value.size());
    bytes(std::as_bytes(std::span(value.data(), value.size())));
  }
  void bytes(std::span<const std::byte> value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const Bytes& written() const { return bytes_; }
  [[nodiscard]] Bytes take() { return std::move(bytes_); }

 private:
  void fixed(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) u8(static_cast<std::uint8_t>(value >> 8U * i));
  }
  Bytes bytes_;
};

/// Reads what `ByteWriter` wrote, and believes nothing: whatever does not fit is a `UsageError`
/// with the offset.
class ByteReader {
 public:
  /// `where` names the source in errors.
  ByteReader(std::span<const std::byte> bytes, std::string_view where)
      : bytes_(bytes), where_(where) {}

  std::uint8_t u8() { return std::to_integer<std::uint8_t>(take(1).front()); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(fixed(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(fixed(4)); }
  /// Only the shortest form of a number is taken, so that equal things have equal bytes.
  std::uint64_t varint() {
    // Most numbers are small, and logs have millions.
    if (next_ < bytes_.size() && std::to_integer<unsigned>(bytes_[next_]) < 0x80U) {
      return std::to_integer<std::uint64_t>(bytes_[next_++]);
    }
    return long_varint();
  }
  std::uint32_t varint32() {
    const std::uint64_t value = varint();
    if (value > ~std::uint32_t{0}) fail("a number is too large");
    return static_cast<std::uint32_t>(value);
  }
  std::int64_t zigzag();
  std::string text();
  /// As `text`, where it lies: valid as long as what is read.
  std::span<const std::byte> part() { return take(varint()); }
  /// How many parts follow, each of at least `bytes_each` bytes: so a bad count cannot make
  /// anybody reserve more memory than the log's own size allows.
  std::size_t count(std::size_t bytes_each = 1);
  [[nodiscard]] bool at_end() const { return next_ == bytes_.size(); }
  /// Everything has been read, or it is an error.
  void finish() const;
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::uint64_t fixed(unsigned count);
  std::uint64_t long_varint();
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > bytes_.size() - next_) fail("the content ends too early");
    const auto result = bytes_.subspan(next_, static_cast<std::size_t>(count));
    next_ += result.size();
    return result;
  }

  std::span<const std::byte> bytes_;
  std::size_t next_ = 0;
  std::string_view where_;
};

}  // namespace orrery::detail
