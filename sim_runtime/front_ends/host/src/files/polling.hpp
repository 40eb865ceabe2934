// Waiting for several descriptors at once.
#pragma once

#include <cstdint>
#include <optional>

#include <poll.h>

namespace orrery::host {

/// As `poll`, with a timeout of virtual time in picoseconds; none: it waits until there is
/// something.
int wait_for_files(pollfd* files, nfds_t count, std::optional<std::int64_t> timeout_ps);

}  // namespace orrery::host
