#include "polling.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "poll_words.hpp"
#include "user_files.hpp"
#include "watched_file.hpp"

namespace orrery::host {
namespace {

/// The files of a call.
class Polled {
 public:
  Polled(pollfd* files, nfds_t count) : files_(files), count_(count) {
    const HostScope ours;
    open_.resize(count);
  }
  ~Polled() {
    for (auto& file : open_) file.reset();  // what was closed meanwhile ends: others see that
    const HostScope ours;
    open_ = {};
  }
  Polled(const Polled&) = delete;
  Polled& operator=(const Polled&) = delete;

  void open() {
    for (nfds_t i = 0; i < count_; ++i) {
      if (files_[i].fd >= 0) open_[i] = open_file(files_[i].fd);
    }
  }
  /// Fills in what holds of each; returns of how many something does.  As long as that is none, the
  /// watcher, if there is one, is told of changes.
  int look(Watcher* watcher) {
    int found = 0;
    due_ = ORRERY_NEVER;
    for (nfds_t i = 0; i < count_; ++i) {
      Watcher* const told_then = found == 0 ? watcher : nullptr;
      if (told_then != nullptr) watched_ = i + 1;
      files_[i].revents = holds(i, told_then);
      if (files_[i].revents != 0) ++found;
    }
    return found;
  }
  void forget(const Watcher& watcher) {
    for (nfds_t i = 0; i < watched_; ++i) {
      note_place_of_call(place_);
      if (WatchedFile* const watched = watched_at(i)) watched->forget(watcher);
    }
    watched_ = 0;
  }
  /// Until then, or until something is due.  False: the deadline has come, or the thread is
  /// cancelled.
  bool wait(Watcher& watcher, std::int64_t deadline) {
    note_place_of_call(place_);
    if (watcher.wait(std::min(deadline, due_))) return true;
    return due_ <= deadline && !is_wait_cancelled();
  }
  /// Does something there follow the clock?
  [[nodiscard]] bool has_clock() const {
    for (nfds_t i = 0; i < count_; ++i) {
      const WatchedFile* const watched = watched_at(i);
      if (watched != nullptr && watched->has_clock()) return true;
    }
    return false;
  }
  /// Real threads had a turn at each, one after the other.
  void take_turns() {
    for (nfds_t i = 0; i < count_; ++i) {
      WatchedFile* const watched = watched_at(i);
      if (watched == nullptr) continue;
      note_place_of_call(place_);
      { const TransferTurn reading(watched->order(/*is_reading=*/true)); }
      note_place_of_call(place_);
      { const TransferTurn writing(watched->order(/*is_reading=*/false)); }
    }
  }
  /// Somebody may have done something here since its turns.
  void set_nothing_found() {
    for (nfds_t i = 0; i < count_; ++i) files_[i].revents = 0;
  }
  /// What real threads have found.
  void set_told() {
    for (nfds_t i = 0; i < count_; i += polls_a_word) {
      set_polls(files_, count_, i, told(poll_word(files_, count_, i)));
    }
  }
  void give_way() const { give_way_until(due_, place_); }

 private:
  [[nodiscard]] WatchedFile* watched_at(nfds_t i) const {
    return open_[i] == nullptr ? nullptr : open_[i]->watched();
  }
  [[nodiscard]] short holds(nfds_t i, Watcher* watcher) {
    if (files_[i].fd < 0) return 0;
    if (open_[i] == nullptr) return POLLNVAL;
    note_place_of_call(place_);
    WatchedFile* const watched = watched_at(i);
    const Found found = watched == nullptr ? Found{POLLIN | POLLOUT} : watched->watch(watcher);
    due_ = std::min(due_, found.due);
    return static_cast<short>(asked_of(found.bits, files_[i].events));
  }

  pollfd* files_;
  nfds_t count_;
  std::vector<std::shared_ptr<OpenFile>> open_;
  nfds_t watched_ = 0;
  std::int64_t due_ = ORRERY_NEVER;  ///< of what was looked at last
  std::uintptr_t place_ = place_of_call();
};

int wait_here(Polled& polled, std::optional<std::int64_t> timeout_ps) {
  const bool is_look = timeout_ps && *timeout_ps <= 0;
  if (is_look) {
    const int found = polled.look(nullptr);
    if (found == 0) polled.give_way();
    return found;
  }
  const std::int64_t deadline = timeout_ps ? guarded_runtime().now() + *timeout_ps : ORRERY_NEVER;
  while (true) {
    Watcher watcher;
    const int found = polled.look(&watcher);
    const bool in_time = found > 0 || polled.wait(watcher, deadline);
    polled.forget(watcher);
    if (found > 0) return found;
    if (!in_time) return polled.look(nullptr);
  }
}

/// In a replay of real threads; none: it is to wait here.
std::optional<int> wait_as_told(Polled& polled, nfds_t count,
                                std::optional<std::int64_t> timeout_ps) {
  if (!keeps_order() && !(keeps_findings() && polled.has_clock())) return {};
  if (keeps_order()) polled.take_turns();
  const ssize_t outcome = told_result(polled.look(nullptr));
  if (outcome <= 0) polled.set_nothing_found();
  if (outcome < 0) return -1;
  // A run that was changed may have nothing to find yet.
  if (outcome == 0 && !timeout_ps) return {};
  if (outcome == 0 && *timeout_ps > 0) {
    Watcher never_told;
    polled.wait(never_told, guarded_runtime().now() + *timeout_ps);
  }
  if (outcome > 0) polled.set_told();
  return static_cast<int>(std::min(outcome, static_cast<ssize_t>(count)));
}

}  // namespace

int wait_for_files(pollfd* files, nfds_t count, std::optional<std::int64_t> timeout_ps) {
  const CancellationPoint point(place_of_call());
  Polled polled(files, count);
  guarded_runtime().visible_call(POLLIN, place_of_call());
  polled.open();
  const auto as_told = wait_as_told(polled, count, timeout_ps);
  return as_told ? *as_told : wait_here(polled, timeout_ps);
}

}  // namespace orrery::host
