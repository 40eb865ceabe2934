// Open files that threads of a program wait for: something happens to them that other threads, or
// the clock, bring about.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <poll.h>

#include <orrery/sim_runtime/runtime_table.h>

#include "open_file.hpp"
#include "shared_state.hpp"

namespace orrery::host {

class Interests;

/// What a look at a file has found.
struct Found {
  int bits = 0;                     ///< which of POLLIN, POLLOUT, POLLHUP, ... hold
  std::uint64_t arrivals = 0;       ///< changes whenever there is something new to read
  std::uint64_t departures = 0;     ///< or new room to write
  std::int64_t due = ORRERY_NEVER;  ///< when there may be without anybody's doing
};

/// Those that a call asks for, and those that nobody need ask for.
[[nodiscard]] constexpr int asked_of(int bits, int asked) {
  if ((bits & POLLIN) != 0) bits |= POLLRDNORM;
  if ((bits & POLLOUT) != 0) bits |= POLLWRNORM;
  return bits & (asked | POLLHUP | POLLERR | POLLNVAL);
}

/// A pipe, an end of a pair of sockets, a counter, a timer, a list of such files.
class WatchedFile : public OpenFile {
 public:
  using OpenFile::OpenFile;
  [[nodiscard]] WatchedFile* watched() final { return this; }

  /// What holds of it; a watcher, unless that is null, is told of changes from then on, until it is
  /// forgotten.
  [[nodiscard]] virtual Found watch(Watcher* watcher) = 0;
  void forget(const Watcher& watcher) { forget_in(states(), watcher); }
  /// What is looked at, which may outlive the file; null: no more.
  using States = std::array<std::shared_ptr<SharedState>, 2>;
  [[nodiscard]] virtual States states() = 0;
  static void forget_in(const States& states, const Watcher& watcher) {
    const std::uintptr_t place = place_of_call();
    for (const auto& state : states) {
      note_place_of_call(place);
      if (state != nullptr) state->forget(watcher);
    }
  }
  /// What goes through it comes in an order that real threads had: a word that stands for that, and
  /// may be locked.  Null: nothing goes through it that way.
  [[nodiscard]] virtual std::shared_ptr<bool> order(bool /*is_reading*/) { return nullptr; }
  /// Does what is found there follow from something else than what the program's threads do?
  [[nodiscard]] virtual bool has_clock() const { return false; }

  std::vector<std::weak_ptr<Interests>> lists;  ///< of `epoll`, that look at it
};

/// No descriptor leads to the file any more.
void leave_epoll_lists(WatchedFile& file);

/// Somebody has looked and found nothing.  Who looks again and again is taken to spend some time
/// with it where something is due by the clock.
void give_way_until(std::int64_t due, std::uintptr_t program_counter);

/// In a replay of real threads: has the log what their calls have found, that wait for files with
/// clocks?
[[nodiscard]] bool keeps_findings();
/// In a replay of real threads, which had an order of what they did to pipes and the like.
[[nodiscard]] bool keeps_order();
/// There: what a call has found; `own` is what it would find here.
[[nodiscard]] std::uint64_t told(std::uint64_t own);
/// Likewise: what it came to, -1 with `errno`; of `own` an error is a negative number.
[[nodiscard]] ssize_t told_result(std::int64_t own);

/// In such a replay: the turn of a transfer through the file, as long as it lives.  Real threads
/// had a lock for that, which the log knows as one of the program's.
class TransferTurn {
 public:
  TransferTurn() = default;
  /// Null: no turn.
  explicit TransferTurn(std::shared_ptr<bool> order);
  ~TransferTurn();
  TransferTurn(const TransferTurn&) = delete;
  TransferTurn& operator=(const TransferTurn&) = delete;
  [[nodiscard]] bool is_had() const { return order_ != nullptr; }

 private:
  std::shared_ptr<bool> order_;
};

/// The turn of a call that ends what a descriptor leads to, as far as it may.
class EndTurn {
 public:
  explicit EndTurn(OpenFile& file);

 private:
  std::pair<std::shared_ptr<bool>, std::shared_ptr<bool>> orders_;
  TransferTurn reading_;
  TransferTurn writing_;
};

}  // namespace orrery::host
