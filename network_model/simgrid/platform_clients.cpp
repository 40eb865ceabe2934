#include "platform_clients.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <unistd.h>

#include "../src/platform_protocol.hpp"

namespace orrery::detail {

std::optional<PlatformClient> next_client(int door) {
  char byte = 0;
  iovec content{&byte, sizeof byte};
  int descriptors[platform_descriptors] = {-1, -1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptors)> control{};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t count = 0;
  do {
    count = recvmsg(door, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (count <= 0 || header == nullptr || header->cmsg_len != CMSG_LEN(sizeof descriptors)) {
    return std::nullopt;
  }
  std::memcpy(descriptors, CMSG_DATA(header), sizeof descriptors);
  return PlatformClient{descriptors[0], descriptors[1]};
}

bool read_all(int socket, void* bytes, std::size_t size) {
  auto* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = read(socket, next, size);
    if (count <= 0) return false;
    next += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

void write_all(int socket, const void* bytes, std::size_t size) {
  const auto* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = send(socket, next, size, MSG_NOSIGNAL);
    if (count <= 0) std::_Exit(0);
    next += count;
    size -= static_cast<std::size_t>(count);
  }
}

}  // namespace orrery::detail
