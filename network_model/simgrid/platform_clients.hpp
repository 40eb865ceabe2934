// Who asks for more than the description of a platform, and how to talk to them.
#pragma once

#include <cstddef>
#include <optional>

namespace orrery::detail {

/// What a client sent through the door.
struct PlatformClient {
  int socket = -1;
  int last_words = -1;  ///< a file for the server's standard error
};

/// Waits for the next one.  None: nobody holds the other end of the door any more.
[[nodiscard]] std::optional<PlatformClient> next_client(int door);

/// False: whoever writes has gone.
[[nodiscard]] bool read_all(int socket, void* bytes, std::size_t size);
/// Ends the process if nobody reads any more.
void write_all(int socket, const void* bytes, std::size_t size);

}  // namespace orrery::detail
