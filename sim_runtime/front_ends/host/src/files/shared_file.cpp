#include "shared_file.hpp"

#include <algorithm>
#include <climits>

#include <orrery/sim_runtime/told_questions.hpp>

#include "machine.hpp"
#include "pipe_pieces.hpp"

namespace orrery::host {
bool keeps_order() {
  const ThreadContext* const thread = running().thread;
  return thread != nullptr && thread->keeps_transfers && thread->has_had_others();
}

std::uint64_t told(std::uint64_t own) {
  const RuntimeGuard guard(RuntimeGuard::Libraries::of_the_host);
  return orrery::detail::Machine::current()->choose_input(transfer_question, own);
}

ssize_t told_result(std::int64_t own) {
  const auto outcome = static_cast<std::int64_t>(told(static_cast<std::uint64_t>(own)));
  if (outcome >= 0) return outcome;
  errno = static_cast<int>(-outcome);
  return -1;
}

TransferTurn::TransferTurn(std::shared_ptr<bool> order) : order_(std::move(order)) {
  if (order_ == nullptr) return;
  const std::uintptr_t place = place_of_call();
  const std::uint32_t flags = *order_ ? std::uint32_t{ORRERY_MUTEX_MARKED} : 0U;
  guarded_runtime().mutex_lock(order_.get(), flags, ORRERY_LOCK_WAIT, ORRERY_NEVER,
                               place_of_call());
  *order_ = true;
  note_place_of_call(place);  // others have called meanwhile
}

TransferTurn::~TransferTurn() {
  if (order_ == nullptr) return;
  guarded_runtime().mutex_unlock(order_.get(), ORRERY_MUTEX_MARKED, place_of_call());
  *order_ = false;
}

EndTurn::EndTurn(OpenFile& file)
    : orders_([&]() -> decltype(orders_) {
        SharedFile* const shared = keeps_order() ? file.shared() : nullptr;
        if (shared == nullptr) return {};
        auto both = std::make_pair(shared->order(true), shared->order(false));
        if (both.first == both.second) both.second = nullptr;
        return both;
      }()),
      reading_(orders_.first),
      writing_(orders_.second) {}

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
