// How real threads, and their replays, transfer through a pipe what may not fit at once.
#pragma once

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>

#include <sys/types.h>

namespace orrery::host {

/// In pieces that have room or wait for it, each with a turn of its own, where a write `may_wait`
/// for room; else in one.  `write(begin, bytes)` is as the system call for that part.
template <typename Write>
ssize_t write_in_pieces(std::size_t bytes, bool may_wait, const Write& write) {
  const std::size_t piece_max = may_wait ? std::size_t{PIPE_BUF} : bytes;
  std::size_t done = 0;
  do {
    const ssize_t now = write(done, std::min(bytes - done, piece_max));
    if (now < 0) return done > 0 ? static_cast<ssize_t>(done) : now;
    done += static_cast<std::size_t>(now);
    if (now == 0) break;
  } while (piece_max < bytes && done < bytes);
  return static_cast<ssize_t>(done);
}

/// Until there are so many bytes, or no more come.  `read(into, bytes)` is as the system call.
template <typename Read>
ssize_t read_all(void* into, std::size_t bytes, const Read& read) {
  auto* const begin = static_cast<char*>(into);
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t now = read(begin + done, bytes - done);
    if (now < 0 && done == 0) return now;
    if (now <= 0) break;
    done += static_cast<std::size_t>(now);
  }
  return static_cast<ssize_t>(done);
}

/// As streams write: until all is written, or it fails.  `write(begin, bytes)` is as above.
template <typename Write>
ssize_t write_all(std::size_t bytes, const Write& write) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t now = write(done, bytes - done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) break;
    done += static_cast<std::size_t>(now);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace orrery::host
