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
#include "spool_writer.hpp"

namespace orrery::on_hardware {

class ThreadMemory;

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
  /// What has happened up to there came before what comes next.
  void learn(std::uint64_t stamp) { set_clock(std::max(clock_, stamp)); }
  /// Of the last operation, or what was learnt since.  For who joins a thread that has ended.
  [[nodiscard]] std::uint64_t clock() const { return clock_; }
  /// The same for any thread at any time.
  [[nodiscard]] std::uint64_t shared_clock() const {
    return __atomic_load_n(&clock_, __ATOMIC_ACQUIRE);
  }
  /// What is recorded of its accesses to memory; null: nothing.
  [[nodiscard]] ThreadMemory* memory() const { return memory_; }
  void set_memory(ThreadMemory* memory) { memory_ = memory; }

  /// An operation has got this stamp.
  void count(OperationKind kind, std::uint64_t stamp) {
    const std::uint64_t ahead = stamp - last_stamp_ - 1;
    if (ahead != 0) write_ahead(ahead);
    is_counted(kind, stamp);
  }
  /// It has ended by its deadline.
  void count_timeout(std::uint64_t stamp);
  /// It has begun what is done once.
  void count_once(std::uint64_t stamp);
  /// It is about to let the others pass what it has done.
  void count_once_end(std::uint64_t stamp);

  /// What it has accessed is done; then noise, where it was asked for.
  void before_operation() {
    if (memory_ != nullptr) end_access();
    delays_.before_operation();
  }
  /// It is about to access memory behind another thread.
  void before_access() { delays_.before_operation(); }

 private:
  void is_counted(OperationKind kind, std::uint64_t stamp) {
    set_clock(stamp);
    last_stamp_ = stamp;
    kinds_.add(kind);
    header_->kinds_hash = kinds_.value();
    header_->last_stamp = stamp;
    // Last: whoever reads the file of a process that was killed goes by it.
    __atomic_store_n(&header_->operations, ++operations_, __ATOMIC_RELEASE);
  }
  [[gnu::noinline]] void write_ahead(std::uint64_t ahead);
  void begin(thread_spool::Record kind);
  void end_access();
  void set_clock(std::uint64_t clock) { __atomic_store_n(&clock_, clock, __ATOMIC_RELEASE); }

  /// All that is done once and had been done by then has a smaller stamp.  Who passes it is not
  /// seen, as compilers look at the guard of a static variable by instructions of their own; so
  /// each operation is ordered behind it, at the price of reading a word that is hardly ever
  /// written.
  alignas(64) static std::atomic<std::uint64_t> once_stamp_;

  SpoolWriter spool_;
  thread_spool::Header* header_ = nullptr;
  std::uint64_t clock_ = 0;
  std::uint64_t last_stamp_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t written_ = 0;  ///< of these, up to the last one that has a record
  KindsHash kinds_;
  std::uint32_t number_ = 0;
  ThreadMemory* memory_ = nullptr;
  Delays delays_;
  Readings readings_;
};

}  // namespace orrery::on_hardware
