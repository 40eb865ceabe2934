// What a process that has read a platform file and its clients say to each other.
//
// Both ends of a socket, the door, are handed on to forked processes.  Through it the reading
// process describes the platform, unasked; and any client sends one byte with two descriptors (a
// socket, and a file for last words), for which the reading process forks a server that answers on
// that socket.
//
// An answer is its length, 8 bytes, and its content.  Both ends are always of one machine and one
// build: no versions, no byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace orrery::detail {

/// What comes with the byte at the door: a socket, and a file for last words.
constexpr std::size_t platform_descriptors = 2;

/// To a server, of which each answers one client.
struct PlatformRequest {
  enum class Kind : std::uint64_t {
    route,    ///< from host `first` to host `second`
    changes,  ///< until the date whose bits are `first`, in seconds
  };
  Kind kind = Kind::route;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

/// What changes of a link: each change is its date, the link, this, and the new value.
enum class PlatformChange : std::uint64_t { bandwidth, latency };

/// Bytes that are written field by field.
class PlatformAnswer {
 public:
  void number(std::uint64_t value) { raw(&value, sizeof value); }
  void real(double value) { raw(&value, sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  void append(const PlatformAnswer& other) { bytes_ += other.bytes_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void raw(const void* value, std::size_t size) {
    bytes_.append(static_cast<const char*>(value), size);
  }
  std::string bytes_;
};

}  // namespace orrery::detail
