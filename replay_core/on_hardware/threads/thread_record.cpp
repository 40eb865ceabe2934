#include "thread_record.hpp"

#include <algorithm>
#include <cstdlib>

#include "thread_memory.hpp"

namespace orrery::on_hardware {

using thread_spool::Record;

alignas(64) constinit std::atomic<std::uint64_t> ThreadRecord::once_stamp_ = 0;
const bool ThreadRecord::keeps_objects_ = std::getenv(thread_spool::objects_variable) != nullptr;
const bool ThreadRecord::keeps_versions_ = std::getenv(thread_spool::versions_variable) != nullptr;

bool ThreadRecord::open(const char* directory, std::uint32_t number, std::uint32_t starter,
                        std::uint64_t clock) {
  if (!spool_.open(directory, thread_spool::thread_file_prefix, number)) return false;
  header_ = reinterpret_cast<thread_spool::Header*>(&spool_.header());
  header_->starter = starter;
  header_->operations.states[0] = {clock, kinds_.value()};
  number_ = number;
  own_ = std::min<std::uint64_t>(std::uint64_t{number} + 1, many_threads) << thread_shift;
  clock_ = last_stamp_ = clock;
  delays_.begin(number);
  return true;
}

void ThreadRecord::begin(Record kind) {
  const std::uint64_t operations = header_->operations.count;
  spool_.append((operations - written_) << rank_spool::kind_bits |
                static_cast<std::uint64_t>(kind));
  written_ = operations;
}

void ThreadRecord::end_access() {
  memory_->release();
}

std::uint64_t ThreadRecord::last_of(Turn turn, Turn other) const {
  if (!is_of_another(other.before)) return turn.before;
  if (!is_of_another(turn.before)) return other.before;
  if (thread_in(turn.before) == thread_in(other.before)) return std::max(turn.before, other.before);
  // Two others: then it comes behind all with a smaller stamp.
  return many_threads << thread_shift | (turn.stamp - 1) << 1U;
}

/// A stamp that follows from the object's needs no record of its own.
void ThreadRecord::write_found(Turn turn) {
  if (keeps_versions_) {
    if (turn.object == Turn::no_object) return;
    begin(Record::access);
    spool_.append(std::uint64_t{turn.object} << 1U | (turn.writes ? 1U : 0U));
    spool_.append(stamp_in(turn.before));
    return spool_.end();
  }
  const auto ahead = static_cast<std::int64_t>(turn.stamp - last_stamp_ - 1);
  if (keeps_objects_ && is_of_another(turn.before)) {
    const auto found = static_cast<std::int64_t>(stamp_in(turn.before) - last_stamp_);
    begin(Record::found);
    spool_.append(static_cast<std::uint64_t>(found) << 1U ^
                  static_cast<std::uint64_t>(found >> 63U));
    spool_.append(thread_in(turn.before) - 1);
    spool_.end();
    if (ahead == std::max<std::int64_t>(found, 0)) return;
  }
  begin(Record::ahead);
  spool_.append(static_cast<std::uint64_t>(ahead));
  spool_.end();
}

// Whoever is killed may be so in the midst of it: the header says what it was about to write.

void ThreadRecord::repeat_poll(Turn turn) {
  // Behind whoever came in between, if that was long before the last one, too.
  const bool is_behind_own =
      header_->polls.count > 0 && !keeps_versions_ && !is_of_another(turn.before);
  if (is_behind_own) turn.before = last_poll_.before;
  last_poll_ = turn;
  set_clock(turn.stamp);
  const auto after =
      keeps_versions_ ? turn.object : static_cast<std::uint32_t>(thread_in(turn.before));
  KindsHash with_polls = kinds_;
  with_polls.add(polled_.kind);
  header_->polls.advance({turn.stamp, stamp_in(turn.before), after, with_polls.value()});
}

void ThreadRecord::end_polls() {
  const std::uint64_t polls = header_->polls.count;
  if (polls > 0) {
    write(last_poll_);
    if (polls > 1) {
      begin(Record::polls);
      spool_.append(polls - 1);
      spool_.end();
    }
    __atomic_store_n(&header_->polls.count, std::uint64_t{0}, __ATOMIC_RELEASE);
    is_counted(polled_.kind, last_poll_.stamp);
  }
  polled_ = {};
}

void ThreadRecord::count_timeout(std::uint64_t stamp) {
  if (polled_.object != nullptr) end_polls();
  begin(Record::timeout);
  spool_.end();
  count(OperationKind::timeout, stamp);
}

void ThreadRecord::count_once(Turn turn) {
  if (polled_.object != nullptr) end_polls();
  begin(Record::once);
  spool_.end();
  count(OperationKind::once_begin, turn);
}

void ThreadRecord::count_once_end(Turn turn) {
  count(OperationKind::once_end, turn);
  std::uint64_t last = once_stamp_.load(std::memory_order_relaxed);
  while (last < turn.stamp && !once_stamp_.compare_exchange_weak(last, turn.stamp)) continue;
}

}  // namespace orrery::on_hardware
