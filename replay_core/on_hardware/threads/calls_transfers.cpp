// What is written to pipes and pairs of sockets, and read from them.  `read` stands with the files.
#include <climits>
#include <vector>

#include <files/io_parts.hpp>
#include <files/pipe_pieces.hpp>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "next_function.hpp"
#include "recorded_call.hpp"
#include "transfers.hpp"

using namespace orrery::on_hardware;
using orrery::host::IoParts;

namespace {

bool never_waits(int flags) {
  return (flags & MSG_DONTWAIT) != 0;
}

/// `write(bytes from there, how many)` is as the system call.
template <typename Write>
ssize_t written(const Transfer& transfer, const void* from, const Write& write) {
  const auto* const text = static_cast<const char*>(from);
  const bool may_wait = transfer.bytes > PIPE_BUF && waits_in_order(transfer);
  const auto write_piece = [&](std::size_t begin, std::size_t bytes) {
    return transferred({transfer.file, false, bytes, transfer.never_waits},
                       [&] { return write(text + begin, bytes); });
  };
  return orrery::host::write_in_pieces(transfer.bytes, may_wait, write_piece);
}

IoParts parts_of(const iovec* parts, int count) {
  return {parts, count < 0 ? 0 : static_cast<std::size_t>(count)};
}

ssize_t received(int file, void* into, std::size_t bytes, int flags) {
  return transferred({file, true, bytes, never_waits(flags)},
                     [&] { return next<&::recv>("recv")(file, into, bytes, flags); });
}

}  // namespace

ORRERY_RECORDED ssize_t write(int file, const void* from, std::size_t bytes) {
  const auto real_one = next<&::write>("write");
  return written({file, false, bytes}, from, [&](const char* piece, std::size_t piece_bytes) {
    return real_one(file, piece, piece_bytes);
  });
}

ORRERY_RECORDED ssize_t writev(int file, const iovec* parts, int count) {
  const std::size_t bytes = parts_of(parts, count).bytes();
  const Transfer transfer{file, false, bytes};
  if (bytes > PIPE_BUF && waits_in_order(transfer)) {
    const std::vector<char> whole = parts_of(parts, count).joined();
    return write(file, whole.data(), whole.size());
  }
  return transferred(transfer, [&] { return next<&::writev>("writev")(file, parts, count); });
}

ORRERY_RECORDED ssize_t readv(int file, const iovec* parts, int count) {
  const std::size_t bytes = parts_of(parts, count).bytes();
  const void* const into = count > 0 ? parts->iov_base : nullptr;
  return transferred({file, true, bytes, false, into},
                     [&] { return next<&::readv>("readv")(file, parts, count); });
}

ORRERY_RECORDED ssize_t send(int file, const void* from, std::size_t bytes, int flags) {
  const auto real_one = next<&::send>("send");
  const auto send_piece = [&](const char* piece, std::size_t piece_bytes) {
    return real_one(file, piece, piece_bytes, flags);
  };
  return written({file, false, bytes, never_waits(flags)}, from, send_piece);
}

ORRERY_RECORDED ssize_t sendmsg(int file, const msghdr* message, int flags) {
  const std::size_t bytes = IoParts(message->msg_iov, message->msg_iovlen).bytes();
  const Transfer transfer{file, false, bytes, never_waits(flags)};
  if (bytes > PIPE_BUF && waits_in_order(transfer)) {
    const std::vector<char> whole = IoParts(message->msg_iov, message->msg_iovlen).joined();
    return send(file, whole.data(), whole.size(), flags);
  }
  return transferred(transfer, [&] { return next<&::sendmsg>("sendmsg")(file, message, flags); });
}

ORRERY_RECORDED ssize_t recv(int file, void* into, std::size_t bytes, int flags) {
  const bool is_whole = (flags & MSG_WAITALL) != 0 && waits_in_order({file, true, bytes});
  if (!is_whole) return received(file, into, bytes, flags);
  // The call itself would wait while it has its turn.
  return orrery::host::read_all(into, bytes, [&](void* rest, std::size_t rest_bytes) {
    return received(file, rest, rest_bytes, flags & ~MSG_WAITALL);
  });
}

ORRERY_RECORDED ssize_t recvmsg(int file, msghdr* message, int flags) {
  const std::size_t bytes = IoParts(message->msg_iov, message->msg_iovlen).bytes();
  const Transfer transfer{file, true, bytes, never_waits(flags)};
  // Whoever waits for all of it would wait while it has its turn.
  if (waits_in_order(transfer)) flags &= ~MSG_WAITALL;
  return transferred(transfer, [&] { return next<&::recvmsg>("recvmsg")(file, message, flags); });
}
