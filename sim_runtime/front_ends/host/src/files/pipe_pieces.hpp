// How real threads, and their replays, write to a pipe what may not fit at once.
#pragma once

#include <algorithm>
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

}  // namespace orrery::host
