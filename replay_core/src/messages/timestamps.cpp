#include "timestamps.hpp"

#include <algorithm>
#include <bit>

namespace orrery::detail {
namespace {

std::size_t varint_bytes(std::uint32_t value) {
  return value == 0 ? 1 : static_cast<std::size_t>((std::bit_width(value) + 6) / 7);
}

}  // namespace

std::size_t CompressedTimestamps::send(const Timestamp& now, std::size_t destination) {
  if (destination >= last_sent_.size()) last_sent_.resize(destination + 1);
  Timestamp& last = last_sent_[destination];
  last.resize(now.size());
  std::size_t bytes = 0;
  std::uint32_t changed = 0;
  std::size_t next = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == last[i]) continue;
    bytes += varint_bytes(static_cast<std::uint32_t>(i - next)) + varint_bytes(now[i] - last[i]);
    next = i + 1;
    ++changed;
  }
  last = now;
  return bytes + varint_bytes(changed);
}

std::size_t CompressedTimestamps::acknowledgement_bytes(std::uint32_t raised_by) {
  return varint_bytes(raised_by);
}

void join(Timestamp& own, const Timestamp& other) {
  if (other.size() > own.size()) own.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) own[i] = std::max(own[i], other[i]);
}

}  // namespace orrery::detail
