// Which host a rank is on, in a message: names have no fixed size.
#pragma once

#include <cstdint>

#include "calls/call.hpp"

namespace orrery::mpi {

/// Of the name of the calling rank's host: 64-bit FNV-1a.
inline std::uint64_t host_hash(const Call& call) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char* text = call.table.host_name(); *text != '\0'; ++text) {
    hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace orrery::mpi
