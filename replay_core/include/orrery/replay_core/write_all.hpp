// Bytes into a file, a pipe or a socket, all of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace orrery {

/// Writes on where a signal or a full pipe has cut a write short.  False: the system refuses, and
/// `errno` says why; some may have been written.
[[nodiscard]] bool write_all(int descriptor, std::span<const std::byte> bytes);
[[nodiscard]] inline bool write_all(int descriptor, std::string_view text) {
  return write_all(descriptor, std::as_bytes(std::span(text)));
}

}  // namespace orrery
