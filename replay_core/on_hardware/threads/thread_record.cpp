#include "thread_record.hpp"

#include "thread_memory.hpp"

namespace orrery::on_hardware {

using thread_spool::Record;

constinit std::atomic<std::uint64_t> ThreadRecord::once_stamp_ = 0;

bool ThreadRecord::open(const char* directory, std::uint32_t number, std::uint32_t starter,
                        std::uint64_t clock) {
  if (!spool_.open(directory, thread_spool::thread_file_prefix, number)) return false;
  header_ = reinterpret_cast<thread_spool::Header*>(&spool_.header());
  header_->starter = starter;
  header_->kinds_hash = kinds_.value();
  header_->last_stamp = clock;
  number_ = number;
  clock_ = last_stamp_ = clock;
  delays_.begin(number);
  return true;
}

void ThreadRecord::begin(Record kind) {
  spool_.append((operations_ - written_) << rank_spool::kind_bits |
                static_cast<std::uint64_t>(kind));
  written_ = operations_;
}

void ThreadRecord::end_access() {
  memory_->release();
}

void ThreadRecord::write_ahead(std::uint64_t ahead) {
  begin(Record::ahead);
  spool_.append(ahead);
  spool_.end();
}

void ThreadRecord::count_timeout(std::uint64_t stamp) {
  begin(Record::timeout);
  spool_.end();
  count(OperationKind::timeout, stamp);
}

void ThreadRecord::count_once(std::uint64_t stamp) {
  begin(Record::once);
  spool_.end();
  count(OperationKind::once_begin, stamp);
}

void ThreadRecord::count_once_end(std::uint64_t stamp) {
  count(OperationKind::once_end, stamp);
  std::uint64_t last = once_stamp_.load(std::memory_order_relaxed);
  while (last < stamp && !once_stamp_.compare_exchange_weak(last, stamp)) continue;
}

}  // namespace orrery::on_hardware
