// What is recorded of one thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <orrery/replay_core/kinds_hash.hpp>
#include <orrery/replay_core/thread_spool.hpp>
#include <orrery/sim_runtime/operation.hpp>

#include "delays.hpp"
#include "readings.hpp"
#include "shared_objects.hpp"
#include "spool_writer.hpp"

namespace orrery::on_hardware {

class ThreadMemory;

/// Where a thread is among the functions in which it may be cancelled: see `Cancellation::place` of
/// simulated threads, which count the same.
struct CancellationPlace {
  std::uint64_t place = 0;
  bool is_at_point = false;

  void begin() {
    place = (place | 1U) + 1;
    is_at_point = true;
  }
  /// An operation of the function is done.
  void has_begun() { place |= 1U; }
};

/// ROLT (Levrouw, Audenaert and Van Campenhout 1994; Ronsse, Christiaens and De Bosschere 2000): an
/// operation gets a Lamport time stamp, one more than the larger of the thread's last and the
/// object's last; only where the object was ahead that is written down.  Lives as long as the
/// process; its thread alone writes it.
class ThreadRecord {
 public:
  /// False, with `errno`, if its file cannot be made.
  bool open(const char* directory, std::uint32_t number, std::uint32_t starter,
            std::uint64_t clock);

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] Readings& readings() { return readings_; }
  [[nodiscard]] SpoolWriter& spool() { return spool_; }
  /// Of the process, where this is the first thread; of this thread, else.
  [[nodiscard]] thread_spool::Header& header() { return *header_; }

  /// The stamp of an operation that comes behind this thread's last one and that stamp.
  [[nodiscard]] std::uint64_t stamp_after(std::uint64_t seen) const {
    return std::max({clock_, seen, once_stamp_.load(std::memory_order_acquire)}) + 1;
  }
  /// The same at an object that had this word.
  [[nodiscard]] Turn turn_after(std::uint64_t word, std::uint64_t seen = 0) const {
    return {stamp_after(std::max(stamp_in(word), seen)), word};
  }
  /// What the object's word says when this operation of the thread's has been done.
  [[nodiscard]] std::uint64_t word_after(Turn turn) const {
    if (!keeps_versions_) return own_ | turn.stamp << 1U;
    return (stamp_in(turn.before) + (turn.writes ? 1 : 0)) << 1U;
  }
  /// What has happened up to there came before what comes next.
  void learn(std::uint64_t stamp) { set_clock(std::max(clock_, stamp)); }
  /// Of the last operation, or what was learnt since.  For who joins a thread that has ended.
  [[nodiscard]] std::uint64_t clock() const { return clock_; }
  /// The same for any thread at any time.
  [[nodiscard]] std::uint64_t shared_clock() const {
    return __atomic_load_n(&clock_, __ATOMIC_ACQUIRE);
  }
  [[nodiscard]] CancellationPlace& cancellation() { return cancellation_; }
  /// What is recorded of its accesses to memory; null: nothing.
  [[nodiscard]] ThreadMemory* memory() const { return memory_; }
  void set_memory(ThreadMemory* memory) { memory_ = memory; }

  /// An operation on an object has got this turn.
  void count(OperationKind kind, Turn turn) {
    if (polled_.object != nullptr) end_polls();
    write(turn);
    set_clock(turn.stamp);
    is_counted(kind, turn.stamp);
  }
  /// One on two objects.
  void count(OperationKind kind, Turn turn, Turn other) {
    if (polled_.object != nullptr) end_polls();
    if (keeps_objects_) turn.before = last_of(turn, other);
    write(turn);
    if (keeps_versions_) write_found(other);
    set_clock(turn.stamp);
    is_counted(kind, turn.stamp);
  }
  /// One on none.
  void count(OperationKind kind, std::uint64_t stamp) { count(kind, Turn{stamp, own_}); }
  /// A try that has failed, or an atomic that `found` is the value of and that has not changed: of
  /// many that come to the same with nothing in between only the last one is written down, and how
  /// many they were.
  /// `object`: what tells it apart from others.
  void count_poll(OperationKind kind, const void* object, std::uint64_t found, Turn turn) {
    const Polled now{object, found, kind};
    if (polled_ == now) return repeat_poll(turn);
    count(kind, turn);
    // Accesses to memory that come in between have an order of their own.
    if (memory_ == nullptr) polled_ = now;
  }
  /// It has ended by its deadline.
  void count_timeout(std::uint64_t stamp);
  /// It has begun what is done once.
  void count_once(Turn turn);
  /// It is about to let the others pass what it has done.
  void count_once_end(Turn turn);

  /// What it has accessed is done; then noise, where it was asked for.
  void before_operation() {
    if (memory_ != nullptr) end_access();
    delays_.before_operation();
  }
  /// It is about to access memory behind another thread.
  void before_access() { delays_.before_operation(); }

 private:
  /// What a thread looks at again and again.
  struct Polled {
    const void* object = nullptr;
    std::uint64_t found = 0;
    OperationKind kind = OperationKind::none;
    friend bool operator==(const Polled&, const Polled&) = default;
  };

  void write(Turn turn) {
    const bool is_ahead = turn.stamp != last_stamp_ + 1;
    const bool is_kept = keeps_versions_ || (keeps_objects_ && is_of_another(turn.before));
    if (is_ahead || is_kept) write_found(turn);
  }
  [[nodiscard]] bool is_of_another(std::uint64_t word) const {
    const std::uint64_t last = thread_in(word);
    return last != 0 && (last != thread_in(own_) || last == many_threads);
  }
  /// Of what was before an operation on two objects one word stands in the record.
  [[nodiscard]] std::uint64_t last_of(Turn turn, Turn other) const;
  void is_counted(OperationKind kind, std::uint64_t stamp) {
    last_stamp_ = stamp;
    kinds_.add(kind);
    header_->operations.advance({stamp, kinds_.value()});
  }
  [[gnu::noinline]] void write_found(Turn turn);
  [[gnu::noinline]] void repeat_poll(Turn turn);
  [[gnu::noinline]] void end_polls();
  void begin(thread_spool::Record kind);
  void end_access();
  void set_clock(std::uint64_t clock) { __atomic_store_n(&clock_, clock, __ATOMIC_RELEASE); }

  /// All that is done once and had been done by then has a smaller stamp.  Who passes it is not
  /// seen, as compilers look at the guard of a static variable by instructions of their own; so
  /// each operation is ordered behind it, at the price of reading a word that is hardly ever
  /// written.
  alignas(64) static std::atomic<std::uint64_t> once_stamp_;
  /// Is it written down who was the last one at an object?
  static const bool keeps_objects_;
  /// Or, in place of stamps, the versions of objects?
  static const bool keeps_versions_;

  SpoolWriter spool_;
  thread_spool::Header* header_ = nullptr;
  std::uint64_t clock_ = 0;
  std::uint64_t last_stamp_ = 0;
  std::uint64_t written_ = 0;  ///< of its operations, up to the last one that has a record
  KindsHash kinds_;
  std::uint64_t own_ = 0;  ///< a word with its number, and no stamp
  Polled polled_;
  Turn last_poll_{};  ///< of those after the first one, which the header counts
  std::uint32_t number_ = 0;
  ThreadMemory* memory_ = nullptr;
  Delays delays_;
  Readings readings_;
  CancellationPlace cancellation_;
};

}  // namespace orrery::on_hardware
