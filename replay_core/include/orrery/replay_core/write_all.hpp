// Bytes into a file, a pipe or a socket, all of them; and whose name a finished file takes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

/// Writes on where a signal or a full pipe has cut a write short.  False: the system refuses, and
/// `errno` says why; some may have been written.
[[nodiscard]] bool write_all(int descriptor, std::span<const std::byte> bytes);
[[nodiscard]] inline bool write_all(int descriptor, std::string_view text) {
  return write_all(descriptor, std::as_bytes(std::span(text)));
}

/// A file that was written beside `path` takes its name when it is whole.  Throws `UsageError`,
/// which names `where`, if that is a device's or a pipe's: `/dev/null` would be a plain file from
/// then on.  Links are followed.
void check_can_be_replaced(const std::string& path, const std::string& where);

}  // namespace orrery
