// What operations have of the program's memory, told to those who watch its accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "calls/call.hpp"

namespace orrery::mpi {

/// The operation that `call` begins has the buffer.  Gives the loan's number; 0: nobody watches.
std::uint64_t lend_buffer(const Call& call, const BufferView& view);
/// This call has ended the operation; the number becomes 0.  Nothing happens if it is 0.
void return_lent(const Call& call, std::uint64_t& loan);

/// The buffers of a blocking call, which other threads of the rank leave alone until it returns.
class LentWhileCalling {
 public:
  explicit LentWhileCalling(const Call& call) : call_(call) {}
  LentWhileCalling(const Call& call, const BufferView& view) : LentWhileCalling(call) { add(view); }
  ~LentWhileCalling();
  LentWhileCalling(const LentWhileCalling&) = delete;
  LentWhileCalling& operator=(const LentWhileCalling&) = delete;

  /// Are there watchers, and may there be other threads?
  [[nodiscard]] bool matters() const {
    return call_.state.tells_loans && call_.state.thread_level > MPI_THREAD_SINGLE;
  }
  void add(const BufferView& view) {
    if (matters()) lend(view);
  }

 private:
  void lend(const BufferView& view);

  const Call& call_;
  std::vector<std::uint64_t> loans_;
};

/// The memory at the target that a put or an accumulate updates, from the call that starts it on:
/// the target's own program must not write there until it is complete.  Nothing is told of windows
/// of shared memory, whose plain accesses nobody orders by MPI alone.
void lend_target(const Call& call, RemoteOperation& operation);
/// The origin's call has completed it at the target; in an exposure or fence epoch nothing happens.
void return_target(const Call& call, RemoteOperation& operation);
/// The epochs of this kind in which others access the rank's part have ended, but for one of this
/// number or a later one.
void return_targets(const Call& call, WindowPart& part, AccessPeriod before);

}  // namespace orrery::mpi
