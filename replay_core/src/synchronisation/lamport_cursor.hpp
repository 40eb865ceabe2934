// Where a task of a replay stands in its time stamps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <orrery/replay_core/kinds_hash.hpp>
#include <orrery/replay_core/lamport_records.hpp>

namespace orrery::detail {

struct LamportCursor {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  const LamportRecords::Task* records = nullptr;
  std::uint64_t done = 0;
  KindsHash kinds;
  std::uint64_t next_stamp = never;

  [[nodiscard]] bool is_over() const { return records == nullptr || done >= records->operations; }
  [[nodiscard]] bool is_at_last() const { return done + 1 >= records->operations; }
  /// By how much its object was ahead of the task, at the next operation; null: not at all.
  [[nodiscard]] const LamportRecords::Mark* next_mark() const {
    return next_of(records->marks, mark_);
  }
  /// Of a run by real threads: who was there before; null: the task itself, or nobody.
  [[nodiscard]] const LamportRecords::Found* next_found() const {
    return next_of(records->found, found_);
  }
  /// Of the last operation; not where it is over.
  [[nodiscard]] std::uint64_t last_stamp() const {
    const LamportRecords::Mark* const mark = next_mark();
    const bool is_ahead = mark != nullptr && mark->ahead > 0;
    return next_stamp - 1 - (is_ahead ? static_cast<std::uint64_t>(mark->ahead) : 0);
  }
  /// Of a run by real threads with versions: the objects that the next operation acts on.
  [[nodiscard]] std::span<const LamportRecords::Access> next_accesses() const {
    std::size_t end = access_;
    while (end < records->accesses.size() && records->accesses[end].operation == done) ++end;
    return std::span(records->accesses).subspan(access_, end - access_);
  }
  /// The stamp of the next operation, where that of the last one was this.
  void count_from(std::uint64_t last) {
    next_stamp = never;
    if (is_over()) return;
    const LamportRecords::Mark* const mark = next_mark();
    const bool is_ahead = mark != nullptr && mark->ahead > 0;
    next_stamp = last + 1 + (is_ahead ? static_cast<std::uint64_t>(mark->ahead) : 0);
    if (next_of(records->polls, polls_) != nullptr) polled_.push_back({last, next_stamp});
  }
  /// Had a poll this stamp that is told of with those behind it, and a later stamp?
  [[nodiscard]] bool is_of_poll(std::uint64_t stamp) const {
    const auto polled = std::ranges::lower_bound(polled_, stamp, {}, &Polled::last);
    return polled != polled_.end() && polled->before < stamp && stamp < polled->last;
  }
  [[nodiscard]] bool times_out() const { return is_next(records->timeouts, timeout_); }
  [[nodiscard]] bool begins_once() const { return is_next(records->onces, once_); }

  /// Comes to one more step of that kind.  True: the operation is over with it; false: there are
  /// more of the same.
  bool advance(OperationKind kind) {
    const auto* const polls = next_of(records->polls, polls_);
    if (polls != nullptr && repeated_ < polls->repeats) {
      ++repeated_;
      return false;
    }
    repeated_ = 0;
    if (polls != nullptr) ++polls_;
    if (next_mark() != nullptr) ++mark_;
    if (next_found() != nullptr) ++found_;
    access_ += next_accesses().size();
    if (times_out()) ++timeout_;
    if (begins_once()) ++once_;
    kinds.add(kind);
    ++done;
    return true;
  }

  /// The next operation, by its stamp or by its versions.
  [[nodiscard]] std::string next_in_words(bool has_versions) const {
    if (!has_versions) return fmt::format("an operation with stamp {}", next_stamp);
    const auto accesses = next_accesses();
    if (accesses.empty()) return fmt::format("its operation {}", done + 1);
    return fmt::format("an operation that {} version {} of object {}",
                       accesses.front().writes ? "follows" : "reads", accesses.front().version,
                       accesses.front().object + 1);
  }

 private:
  template <typename Record>
  [[nodiscard]] const Record* next_of(const std::vector<Record>& all, std::size_t next) const {
    return next < all.size() && all[next].operation == done ? &all[next] : nullptr;
  }
  [[nodiscard]] bool is_next(const std::vector<std::uint64_t>& all, std::size_t next) const {
    return next < all.size() && all[next] == done;
  }

  /// Of many polls: the stamps of what came before them, and of the last one.
  struct Polled {
    std::uint64_t before;
    std::uint64_t last;
  };
  std::vector<Polled> polled_;  // so far
  std::size_t mark_ = 0;
  std::size_t found_ = 0;
  std::size_t polls_ = 0;
  std::size_t access_ = 0;
  std::size_t timeout_ = 0;
  std::size_t once_ = 0;
  std::uint64_t repeated_ = 0;
};

}  // namespace orrery::detail
