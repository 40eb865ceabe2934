// Encoder and decoder are one code, so both know the same.
#include <algorithm>
#include <unordered_map>
#include <utility>

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
  void begin_found() { next_operation_ = 0; }
  void code_found(LamportRecords::Found& found) {
    code_next(found.operation, found_gaps_);
    found.ahead = unfolded(found_ahead_.code(coder_, folded(found.ahead)));
    found.last.value = static_cast<std::uint32_t>(found_tasks_.code(coder_, found.last.value));
  }
  void begin_polls() { next_operation_ = 0; }
  void code_polls(LamportRecords::Polls& polls) {
    code_next(polls.operation, poll_gaps_);
    polls.repeats = repeats_.code(coder_, polls.repeats);
  }
  void begin_accesses() {
    next_operation_ = 0;
    versions_.clear();
  }
  /// What a task meets is most often what it has left there.
  void code_access(LamportRecords::Access& access) {
    access.operation =
        next_operation_ + access_gaps_.code(coder_, access.operation - next_operation_);
    next_operation_ = access.operation;
    access.object = static_cast<std::uint32_t>(objects_.code(coder_, access.object));
    access.writes = coder_.bit(writes_, access.writes);
    std::uint64_t& last = versions_[access.object];
    access.version = last + further_.code(coder_, access.version - last);
    last = access.version + (access.writes ? 1 : 0);
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
  NumberModel found_gaps_;
  NumberModel found_ahead_;
  NumberModel found_tasks_;
  NumberModel poll_gaps_;
  NumberModel repeats_;
  NumberModel access_gaps_;
  NumberModel objects_;
  BitModel writes_;
  NumberModel further_;
  std::unordered_map<std::uint32_t, std::uint64_t> versions_;  // that the task has left
};

/// By how much the object was ahead, where it was: what a mark would say.
std::int64_t implied(const LamportRecords::Found& found) {
  return std::max<std::int64_t>(found.ahead, 0);
}

/// A mark that follows from who was there before need not be kept.
std::vector<LamportRecords::Mark> marks_kept(const LamportRecords::Task& task) {
  std::vector<LamportRecords::Mark> kept;
  auto found = task.found.begin();
  for (const LamportRecords::Mark& mark : task.marks) {
    while (found != task.found.end() && found->operation < mark.operation) ++found;
    const bool is_known = found != task.found.end() && found->operation == mark.operation &&
                          implied(*found) == mark.ahead;
    if (!is_known) kept.push_back(mark);
  }
  return kept;
}

/// And back: those that were kept come first.
void add_marks(LamportRecords::Task& task) {
  std::vector<LamportRecords::Mark> all;
  auto kept = task.marks.begin();
  for (const LamportRecords::Found& found : task.found) {
    while (kept != task.marks.end() && kept->operation < found.operation) all.push_back(*kept++);
    const bool is_kept = kept != task.marks.end() && kept->operation == found.operation;
    if (!is_kept && found.ahead > 0) all.push_back({found.operation, found.ahead});
  }
  all.insert(all.end(), kept, task.marks.end());
  task.marks = std::move(all);
}

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

std::uint64_t LamportRecords::found_count() const {
  std::uint64_t count = 0;
  for (const Task& task : tasks) count += task.found.size();
  return count;
}

std::uint64_t LamportRecords::repeat_count() const {
  std::uint64_t count = 0;
  for (const Task& task : tasks) {
    for (const Polls& polls : task.polls) count += polls.repeats;
  }
  return count;
}

LamportRecords LamportRecords::without_objects() const {
  LamportRecords rest = *this;
  rest.has_objects = false;
  for (Task& task : rest.tasks) task.found.clear();
  return rest;
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
  const bool has_polls = records.repeat_count() > 0;
  const bool has_more = records.has_objects || records.has_versions || has_polls;
  codec.code_flag(records.is_of_library ? has_more : records.has_objects);
  if (records.is_of_library) {
    codec.code_flag(records.has_atomics);
    if (has_more) {
      codec.code_flag(records.has_objects);
      codec.code_flag(has_polls);
      // Without this one it was not known of polls and of waits whom they came behind.
      codec.code_flag(records.has_versions || records.has_objects);
    }
  }
  codec.code_count(records.tasks.size());
  for (LamportRecords::Task task : records.tasks) {
    codec.code_task(task);
    task.marks = marks_kept(task);
    codec.code_count(task.marks.size());
    for (LamportRecords::Mark& mark : task.marks) codec.code_mark(mark);
    codec.code_count(task.timeouts.size());
    codec.begin_timeouts();
    for (std::uint64_t& timeout : task.timeouts) codec.code_timeout(timeout);
    if (!records.is_of_library) continue;
    codec.code_count(task.onces.size());
    codec.begin_onces();
    for (std::uint64_t& once : task.onces) codec.code_once(once);
    if (records.has_objects) {
      codec.code_count(task.found.size());
      codec.begin_found();
      for (LamportRecords::Found& found : task.found) codec.code_found(found);
    }
    if (records.has_versions) {
      codec.code_count(task.accesses.size());
      codec.begin_accesses();
      for (LamportRecords::Access& access : task.accesses) codec.code_access(access);
    }
    if (!has_polls) continue;
    codec.code_count(task.polls.size());
    codec.begin_polls();
    for (LamportRecords::Polls& polls : task.polls) codec.code_polls(polls);
  }
  return coder.finish();
}

namespace {

/// A block of stamps, read and checked.
class StampDecoder {
 public:
  StampDecoder(std::span<const std::byte> bytes, std::string_view where)
      : where_(where),
        // A record has at least two bits, of which each costs at least a ninetieth of one.
        records_max_((bytes.size() + 8) * 8 * 45),
        coder_(bytes) {}

  LamportRecords read(bool is_of_library) {
    records_.is_of_library = is_of_library;
    records_.has_objects = codec_.code_flag(false);
    if (is_of_library) read_flags_of_library();
    for (std::uint64_t tasks = read_count(); tasks > 0; --tasks) {
      LamportRecords::Task& task = read_task();
      if (is_of_library) read_lists_of_library(task);
    }
    check(coder_.is_at_end(), "more than stamps");
    return is_by_objects_ ? std::move(records_) : records_.without_objects();
  }

 private:
  void check(bool is_good, std::string_view what) { coder_.check(is_good, what, where_); }

  std::uint64_t read_count() {
    const std::uint64_t count = codec_.code_count(0);
    check(!coder_.has_overrun() && count <= records_max_, "the stamps end too early");
    return count;
  }

  void read_flags_of_library() {
    records_.has_atomics = codec_.code_flag(false);
    if (!records_.has_objects) return;
    records_.has_objects = codec_.code_flag(false);
    has_polls_ = codec_.code_flag(false);
    const bool is_new = codec_.code_flag(false);
    records_.has_versions = is_new && !records_.has_objects;
    is_by_objects_ = is_new || !records_.has_objects;
  }

  /// One list of a task; `code` reads one of its records, and gives the operation that it is of.
  template <typename List, typename Code>
  void read_list(const LamportRecords::Task& task, List& list, std::string_view what,
                 const Code& code) {
    for (std::uint64_t count = read_count(); count > 0; --count) {
      const std::uint64_t operation = code(list.emplace_back());
      check(!coder_.has_overrun(), "the stamps end too early");
      check(operation < task.operations, what);
    }
  }

  LamportRecords::Task& read_task() {
    constexpr std::uint32_t tasks_max = 1U << 24U;
    const bool is_first = records_.tasks.empty();
    const std::uint32_t before = is_first ? 0 : records_.tasks.back().task.value;
    LamportRecords::Task& task = records_.tasks.emplace_back();
    codec_.code_task(task);
    check(task.task.value <= tasks_max && (is_first || task.task.value > before),
          "a task that cannot be");
    read_list(task, task.marks, "a stamp of an operation that is not",
              [&](LamportRecords::Mark& mark) {
                codec_.code_mark(mark);
                return mark.operation;
              });
    codec_.begin_timeouts();
    read_list(task, task.timeouts, "a deadline of an operation that is not",
              [&](std::uint64_t& one) {
                codec_.code_timeout(one);
                return one;
              });
    return task;
  }

  void read_lists_of_library(LamportRecords::Task& task) {
    codec_.begin_onces();
    read_list(task, task.onces, "a beginning of an operation that is not", [&](std::uint64_t& one) {
      codec_.code_once(one);
      return one;
    });
    if (records_.has_objects) {
      codec_.begin_found();
      read_list(task, task.found, "an object of an operation that is not",
                [&](LamportRecords::Found& found) {
                  codec_.code_found(found);
                  return found.operation;
                });
      add_marks(task);
    }
    if (records_.has_versions) {
      codec_.begin_accesses();
      read_list(task, task.accesses, "a version of an operation that is not",
                [&](LamportRecords::Access& access) {
                  codec_.code_access(access);
                  return access.operation;
                });
    }
    if (!has_polls_) return;
    codec_.begin_polls();
    read_list(task, task.polls, "polls of an operation that is not",
              [&](LamportRecords::Polls& polls) {
                codec_.code_polls(polls);
                return polls.operation;
              });
  }

  std::string_view where_;
  std::uint64_t records_max_;
  BitDecoder coder_;
  StampCodec<BitDecoder> codec_{coder_};
  bool has_polls_ = false;
  bool is_by_objects_ = true;  // or of a log of before that could be known
  LamportRecords records_;
};

}  // namespace

LamportRecords decode_lamport_records(std::span<const std::byte> bytes, std::string_view where,
                                      bool is_of_library) {
  return StampDecoder(bytes, where).read(is_of_library);
}

}  // namespace orrery
