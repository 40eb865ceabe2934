// The order of what real threads sent through a pipe.
#pragma once

#include "open_file.hpp"
#include "ranks/rank_context.hpp"

namespace orrery::host {

/// In a replay of real threads: the turn of a transfer through the file, as long as it lives.  They
/// had a lock for that, which the log knows as one of the program's.
class TransferTurn {
 public:
  TransferTurn(OpenFile& file, bool is_reading, std::size_t bytes)
      : is_locked_(order_of(file, is_reading, bytes)) {
    if (is_locked_ == nullptr) return;
    const std::uint32_t flags = *is_locked_ ? std::uint32_t{ORRERY_MUTEX_MARKED} : 0U;
    guarded_runtime().mutex_lock(is_locked_, flags, ORRERY_LOCK_WAIT, ORRERY_NEVER,
                                 place_of_call());
    *is_locked_ = true;
  }
  ~TransferTurn() {
    if (is_locked_ == nullptr) return;
    guarded_runtime().mutex_unlock(is_locked_, ORRERY_MUTEX_MARKED, place_of_call());
    *is_locked_ = false;
  }
  TransferTurn(const TransferTurn&) = delete;
  TransferTurn& operator=(const TransferTurn&) = delete;
  /// Null: such a transfer is in none.
  [[nodiscard]] static bool* order_of(OpenFile& file, bool is_reading, std::size_t bytes) {
    const ThreadContext* const thread = running().thread;
    const bool counts = thread != nullptr && thread->keeps_transfers && thread->has_had_others();
    return counts && bytes > 0 ? file.transfer_order(is_reading) : nullptr;
  }

 private:
  bool* is_locked_;
};

}  // namespace orrery::host
