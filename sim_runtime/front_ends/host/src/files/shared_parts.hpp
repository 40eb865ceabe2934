// Transfers from and to several places in memory at once, through what leads to other threads.
#pragma once

#include <vector>

#include <sys/uio.h>

#include "io_parts.hpp"
#include "ranks/rank_context.hpp"
#include "shared_file.hpp"

namespace orrery::host {

/// In one piece, as `readv`: what is there goes to as many places as it fills.
inline ssize_t receive_parts(SharedFile& file, const iovec* parts, int count, Manner manner) {
  const IoParts all(parts, static_cast<std::size_t>(count));
  std::vector<char> whole;
  {
    const HostScope ours;
    whole.resize(all.bytes());
  }
  const ssize_t bytes = file.receive(whole.data(), whole.size(), manner);
  if (bytes > 0) all.spread(whole, static_cast<std::size_t>(bytes));
  const HostScope ours;
  whole = {};
  return bytes;
}

/// In one piece, as `writev`.
inline ssize_t send_parts(SharedFile& file, const iovec* parts, int count, Manner manner) {
  std::vector<char> whole;
  {
    const HostScope ours;
    whole = IoParts(parts, static_cast<std::size_t>(count)).joined();
  }
  const ssize_t bytes = file.send(whole.data(), whole.size(), manner);
  const HostScope ours;
  whole = {};
  return bytes;
}

}  // namespace orrery::host
