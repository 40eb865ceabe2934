// Encoder and decoder are one code, so both know the same.
#include <orrery/replay_core/lamport_records.hpp>

#include "bit_coder.hpp"

namespace orrery {
namespace {

using detail::BitDecoder;
using detail::BitEncoder;
using detail::BitModel;
using detail::NumberModel;
using detail::SymbolModel;

constexpr std::uint64_t folded(std::int64_t number) {
  return static_cast<std::uint64_t>(number) << 1U ^ static_cast<std::uint64_t>(number >> 63U);
}
constexpr std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1U ^ (0U - (number & 1U)));
}

/// Codes either way: what an encoder is given it gives back, and a decoder fills it in.
template <typename Coder>
class StampCodec {
 public:
  explicit StampCodec(Coder& coder) : coder_(coder) {}

  std::uint64_t code_count(std::uint64_t count) { return counts_.code(coder_, count); }
  bool code_flag(bool flag) { return coder_.bit(flag_, flag); }

  void code_task(LamportRecords::Task& task) {
    task.task.value = before_ + static_cast<std::uint32_t>(
                                    tasks_.code(coder_, std::uint32_t{task.task.value - before_}));
    before_ = task.task.value;
    task.operations = operations_.code(coder_, task.operations);
    std::uint32_t hash = 0;
    for (unsigned i = 0; i < 4; ++i) {
      SymbolModel<8> even;
      hash |= even.code(coder_, task.kinds_hash >> (8 * i) & 0xffU) << (8 * i);
    }
    task.kinds_hash = hash;
    next_operation_ = 0;
  }
  /// What a gap was like tells what the next one is like: loops lock and unlock in turns.
  void code_mark(LamportRecords::Mark& mark) {
    const std::uint64_t gap =
        gaps_[context(last_gap_)].code(coder_, mark.operation - next_operation_);
    mark.operation = next_operation_ + gap;
    next_operation_ = mark.operation + 1;
    mark.ahead = unfolded(ahead_[context(gap)].code(coder_, folded(mark.ahead)));
    last_gap_ = gap;
  }
  void begin_timeouts() { next_operation_ = 0; }
  void code_timeout(std::uint64_t& operation) { code_next(operation, timeout_gaps_); }
  void begin_onces() { next_operation_ = 0; }
  void code_once(std::uint64_t& operation) { code_next(operation, once_gaps_); }

 private:
  void code_next(std::uint64_t& operation, NumberModel& gaps) {
    operation = next_operation_ + gaps.code(coder_, operation - next_operation_);
    next_operation_ = operation + 1;
  }
  static constexpr std::size_t contexts = 4;
  static std::size_t context(std::uint64_t gap) {
    return gap < contexts - 1 ? static_cast<std::size_t>(gap) : contexts - 1;
  }

  Coder& coder_;
  std::uint32_t before_ = 0;
  std::uint64_t next_operation_ = 0;
  std::uint64_t last_gap_ = 0;
  BitModel flag_;
  NumberModel counts_;
  NumberModel tasks_;
  NumberModel operations_;
  NumberModel gaps_[contexts];
  NumberModel ahead_[contexts];
  NumberModel timeout_gaps_;
  NumberModel once_gaps_;
};

}  // namespace

std::uint64_t LamportRecords::operation_count() const {
  std::uint64_t count = 0;
  for (const Task& task : tasks) count += task.operations;
  return count;
}

std::uint64_t LamportRecords::mark_count() const {
  std::uint64_t count = 0;
  for (const Task& task : tasks) count += task.marks.size();
  return count;
}

bool is_library_operation(OperationKind kind) {
  switch (kind) {
    case OperationKind::spawn:
    case OperationKind::join:
    case OperationKind::mutex_lock:
    case OperationKind::mutex_try_lock:
    case OperationKind::mutex_unlock:
    case OperationKind::shared_lock:
    case OperationKind::shared_try_lock:
    case OperationKind::shared_unlock:
    case OperationKind::condition_wait:
    case OperationKind::condition_notify:
    case OperationKind::semaphore_acquire:
    case OperationKind::semaphore_try_acquire:
    case OperationKind::semaphore_release:
    case OperationKind::barrier_arrive:
    case OperationKind::once_begin:
    case OperationKind::once_end:
    case OperationKind::timeout: return true;
    default: return false;
  }
}

bool is_atomic_operation(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::write ||
         kind == OperationKind::read_modify_write;
}

std::vector<std::byte> encode_lamport_records(const LamportRecords& records) {
  BitEncoder coder;
  StampCodec<BitEncoder> codec(coder);
  codec.code_flag(records.has_objects);
  if (records.is_of_library) codec.code_flag(records.has_atomics);
  codec.code_count(records.tasks.size());
  for (LamportRecords::Task task : records.tasks) {
    codec.code_task(task);
    codec.code_count(task.marks.size());
    for (LamportRecords::Mark& mark : task.marks) codec.code_mark(mark);
    codec.code_count(task.timeouts.size());
    codec.begin_timeouts();
    for (std::uint64_t& timeout : task.timeouts) codec.code_timeout(timeout);
    if (!records.is_of_library) continue;
    codec.code_count(task.onces.size());
    codec.begin_onces();
    for (std::uint64_t& once : task.onces) codec.code_once(once);
  }
  return coder.finish();
}

LamportRecords decode_lamport_records(std::span<const std::byte> bytes, std::string_view where,
                                      bool is_of_library) {
  BitDecoder coder(bytes);
  const auto check = [&](bool is_good, std::string_view what) {
    coder.check(is_good, what, where);
  };
  // A record has at least two bits, of which each costs at least a ninetieth of one.
  const std::uint64_t records_max = (bytes.size() + 8) * 8 * 45;
  constexpr std::uint32_t tasks_max = 1U << 24U;
  StampCodec<BitDecoder> codec(coder);
  const auto count_of = [&](std::string_view what) {
    const std::uint64_t count = codec.code_count(0);
    check(!coder.has_overrun() && count <= records_max, what);
    return count;
  };
  LamportRecords records;
  records.is_of_library = is_of_library;
  records.has_objects = codec.code_flag(false);
  if (is_of_library) records.has_atomics = codec.code_flag(false);
  for (std::uint64_t tasks = count_of("the stamps end too early"); tasks > 0; --tasks) {
    const bool is_first = records.tasks.empty();
    const std::uint32_t before = is_first ? 0 : records.tasks.back().task.value;
    LamportRecords::Task& task = records.tasks.emplace_back();
    codec.code_task(task);
    check(task.task.value <= tasks_max && (is_first || task.task.value > before),
          "a task that cannot be");
    for (std::uint64_t marks = count_of("the stamps end too early"); marks > 0; --marks) {
      codec.code_mark(task.marks.emplace_back());
      check(!coder.has_overrun(), "the stamps end too early");
      check(task.marks.back().operation < task.operations, "a stamp of an operation that is not");
    }
    codec.begin_timeouts();
    for (std::uint64_t timeouts = count_of("the stamps end too early"); timeouts > 0; --timeouts) {
      codec.code_timeout(task.timeouts.emplace_back());
      check(!coder.has_overrun(), "the stamps end too early");
      check(task.timeouts.back() < task.operations, "a deadline of an operation that is not");
    }
    if (!is_of_library) continue;
    codec.begin_onces();
    for (std::uint64_t onces = count_of("the stamps end too early"); onces > 0; --onces) {
      codec.code_once(task.onces.emplace_back());
      check(!coder.has_overrun(), "the stamps end too early");
      check(task.onces.back() < task.operations, "a beginning of an operation that is not");
    }
  }
  check(coder.is_at_end(), "more than stamps");
  return records;
}

}  // namespace orrery
