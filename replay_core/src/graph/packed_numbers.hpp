// Whole numbers as text, for pages: small ones take little.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::detail {

/// A column of numbers.  Each has its sign in the lowest bit of its first byte, then six bits of
/// its size, and seven in each further byte; the highest bit says that there are more.  `unpack` in
/// page/data.js reads them.
class PackedNumbers {
 public:
  void add(std::int64_t number);
  [[nodiscard]] std::string base64() const;

 private:
  std::string bytes_;
};

}  // namespace orrery::detail
