// Open files whose other end is in the same program.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "open_file.hpp"

namespace orrery::host {

/// An end to read from and an end to write to.
[[nodiscard]] std::pair<std::shared_ptr<OpenFile>, std::shared_ptr<OpenFile>> make_pipe(int flags);
/// Two ends, each of which reads what the other one writes.
[[nodiscard]] std::pair<std::shared_ptr<OpenFile>, std::shared_ptr<OpenFile>> make_socket_pair(
    int flags);
/// Ends the reading (SHUT_RD), writing (SHUT_WR) or both of a socket; -1 with `errno` for others.
int shut_down(OpenFile& file, int how);
/// `flags` as `eventfd` has them.
[[nodiscard]] std::shared_ptr<OpenFile> make_event_counter(std::uint64_t value, int flags);

}  // namespace orrery::host
