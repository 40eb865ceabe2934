// The parts of `readv`, `writev` and their like.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <sys/uio.h>

namespace orrery::host {

/// Memory that a call reads into, or writes from, one part after the other.
class IoParts {
 public:
  IoParts(const iovec* parts, std::size_t count) : parts_(parts), count_(count) {}

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count_; ++i) sum += parts_[i].iov_len;
    return sum;
  }
  [[nodiscard]] std::vector<char> joined() const {
    std::vector<char> whole;
    whole.reserve(bytes());
    for (std::size_t i = 0; i < count_; ++i) {
      const auto* const from = static_cast<const char*>(parts_[i].iov_base);
      whole.insert(whole.end(), from, from + parts_[i].iov_len);
    }
    return whole;
  }
  /// As far as it goes.
  void spread(const std::vector<char>& whole, std::size_t bytes) const {
    std::size_t done = 0;
    for (std::size_t i = 0; i < count_ && done < bytes; ++i) {
      const std::size_t part = std::min(parts_[i].iov_len, bytes - done);
      std::copy_n(whole.data() + done, part, static_cast<char*>(parts_[i].iov_base));
      done += part;
    }
  }

 private:
  const iovec* parts_;
  std::size_t count_;
};

}  // namespace orrery::host
