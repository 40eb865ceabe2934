#include "shared_file.hpp"

#include <algorithm>
#include <climits>

#include "pipe_pieces.hpp"

namespace orrery::host {

ssize_t SharedFile::receive(void* into, std::size_t bytes, Manner manner) {
  if (!manner.is_whole || !waits(manner)) return receive_once(into, bytes, manner);
  return read_all(into, bytes, [&](void* rest, std::size_t rest_bytes) {
    return receive_once(rest, rest_bytes, manner);
  });
}

ssize_t SharedFile::receive_once(void* into, std::size_t bytes, Manner manner) {
  if (bytes == 0) return take(into, {bytes, waits(manner), manner});
  const CancellationPoint point(place_of_call());
  const TransferTurn turn(keeps_order() ? order(/*is_reading=*/true) : nullptr);
  const bool may_wait = waits(manner);
  if (!turn.is_had() || may_wait) return take(into, {bytes, may_wait, manner});
  const ssize_t outcome = told_result(would_take(bytes));
  if (outcome <= 0) return outcome;
  return take(into, {std::min(static_cast<std::size_t>(outcome), bytes), false, manner});
}

ssize_t SharedFile::send(const void* from, std::size_t bytes, Manner manner) {
  const auto* const begin = static_cast<const char*>(from);
  const bool is_in_pieces =
      bytes > PIPE_BUF && waits(manner) && keeps_order() && order(false) != nullptr;
  return write_in_pieces(bytes, is_in_pieces, [&](std::size_t done, std::size_t piece) {
    return send_once(begin + done, piece, manner);
  });
}

ssize_t SharedFile::send_once(const void* from, std::size_t bytes, Manner manner) {
  if (bytes == 0) return put(from, {bytes, waits(manner), manner});
  const CancellationPoint point(place_of_call());
  const TransferTurn turn(keeps_order() ? order(/*is_reading=*/false) : nullptr);
  const bool may_wait = waits(manner);
  if (!turn.is_had() || may_wait) return put(from, {bytes, may_wait, manner});
  const ssize_t outcome = told_result(would_put(from, bytes));
  // Who writes where nobody reads may get a signal, too.
  if (outcome < 0 && errno == EPIPE) return put(from, {bytes, false, manner});
  if (outcome <= 0) return outcome;
  return put(from, {std::min(static_cast<std::size_t>(outcome), bytes), false, manner});
}

}  // namespace orrery::host
