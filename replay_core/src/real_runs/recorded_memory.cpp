#include "recorded_memory.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/memory_spool.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/thread_spool.hpp>

#include "log/byte_cursor.hpp"
#include "log/whole_file.hpp"
#include "recorded_groups.hpp"
#include "spool_header.hpp"

namespace orrery::detail {
namespace {

using Kept = memory_spool::Record;

/// A thread has taken a variable over from another.
struct Takeover {
  std::uint32_t number = 0;  ///< of the variable
  std::uint64_t accesses_before = 0;
  TaskId before;
  TaskId now;
};

/// What a thread was about to do when the process died.
struct UnderWay {
  TaskId task;
  std::uint64_t accesses_before = 0;
  /// By `global-writes`: a turn that it was about to take, or has taken.
  std::optional<Takeover> turn;
};

/// What all threads have left, by the numbers that the recorder gave to variables.
struct Numbered {
  std::vector<Takeover> turns;
  std::vector<UnderWay> under_way;
  std::vector<std::uint32_t> met_in;  ///< by several threads; some come several times
  /// Names, and their numbers; likewise.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> named;
  std::map<std::uint32_t, AccessRecords::StackWord> stack_words;
  RecordedGroups groups;
};

TaskId task_of_thread(std::uint64_t thread) {
  if (thread == memory_spool::nobody) return AccessRecords::anybody;
  return TaskId{static_cast<std::uint32_t>(thread) + 1};
}

class MemoryReader {
 public:
  MemoryReader(std::span<const std::byte> bytes, std::string_view where,
               const memory_spool::Header& header, Numbered& all)
      : in_(bytes, where), header_(header), all_(all) {
    own_.task = task_of_thread(header.common.rank);
    own_.operations = header.reads + header.others;
  }

  /// First uses have the recorder's numbers.
  AccessRecords::Task read() {
    while (!in_.at_end()) read_record();
    read_fresh(header_.fresh);
    if (header_.whole != 0) note_under_way();
    return std::move(own_);
  }

 private:
  void read_record() {
    const std::uint64_t first = in_.varint();
    const std::uint64_t number = first >> rank_spool::kind_bits;
    switch (static_cast<Kept>(first & ((1U << rank_spool::kind_bits) - 1))) {
      case Kept::batch:
        next_ = static_cast<std::uint32_t>(number);
        end_ = next_ + memory_spool::batch;
        return;
      case Kept::fresh: return read_fresh(number);
      case Kept::use:
        own_.first_uses.push_back(static_cast<std::uint32_t>(number));
        all_.met_in.push_back(own_.first_uses.back());
        return;
      case Kept::stack: return read_stack(static_cast<std::uint32_t>(number));
      case Kept::turn: {
        Takeover& taken = all_.turns.emplace_back();
        taken.number = static_cast<std::uint32_t>(number);
        taken.accesses_before = in_.varint();
        taken.before = task_of_thread(in_.varint());
        taken.now = own_.task;
        return;
      }
      case Kept::bound: own_.bounds.push_back({number, in_.varint()}); return;
      case Kept::wide:
        operation_ += number;
        own_.wide.push_back({operation_++, in_.varint()});
        if (own_.wide.back().words < 2) in_.fail("a wide access to one word");
        return;
      case Kept::named:
        last_name_ += static_cast<std::uint64_t>(in_.zigzag());
        return read_named(static_cast<std::uint32_t>(number));
      default: in_.fail("a record of an unknown kind");
    }
  }

  void read_fresh(std::uint64_t count) {
    if (count > end_ - next_) in_.fail("more variables than it had numbers for");
    for (; count > 0; --count) {
      // Among all writes those to what is one thread's own count, too.
      if (header_.method == memory_spool::Method::global_writes) all_.met_in.push_back(next_);
      own_.first_uses.push_back(next_++);
    }
  }

  void note_under_way() {
    UnderWay& under_way = all_.under_way.emplace_back();
    under_way.task = own_.task;
    under_way.accesses_before = header_.whole - 1;
    if (header_.writes_before == 0) return;
    under_way.turn = {memory_spool::all_variables, header_.writes_before - 1,
                      task_of_thread(header_.writer_before), own_.task};
  }

  void read_named(std::uint32_t number) {
    if (!all_.groups.are_any()) return void(all_.named.emplace_back(last_name_, number));
    const auto first_use = all_.groups.note(own_.task, number, last_name_);
    if (first_use) own_.first_uses.push_back(*first_use);
  }

  void read_stack(std::uint32_t variable) {
    AccessRecords::StackWord& word = all_.stack_words[variable];
    word.task = task_of_thread(in_.varint());
    word.words_below = in_.zigzag();
  }

  ByteReader in_;
  const memory_spool::Header& header_;
  Numbered& all_;
  AccessRecords::Task own_;
  std::uint32_t next_ = 0;
  std::uint32_t end_ = 0;
  std::uint64_t operation_ = 0;
  std::uint64_t last_name_ = 0;
};

/// Has somebody counted writes behind this one?
bool is_seen(const Takeover& begun, const Numbered& all) {
  const auto comes_behind = [&](const Takeover& other) {
    return other.number == begun.number && other.before == begun.now &&
           other.accesses_before > begun.accesses_before;
  };
  return std::ranges::any_of(all.turns, comes_behind) ||
         std::ranges::any_of(all.under_way, [&](const UnderWay& other) {
           return other.turn && comes_behind(*other.turn);
         });
}

/// An access in which its thread was killed is none, unless others have counted theirs behind it:
/// then it may not be written down yet whose turn it was.
void end_where_they_died(std::vector<AccessRecords::Task>& tasks, Numbered& all) {
  for (const UnderWay& access : all.under_way) {
    if (access.turn && is_seen(*access.turn, all)) {
      if (access.turn->before != access.task) all.turns.push_back(*access.turn);
      continue;
    }
    const auto own = std::ranges::find(tasks, access.task, &AccessRecords::Task::task);
    own->operations = std::min(own->operations, access.accesses_before);
  }
  // That it reaches over several words is written down before it is counted.
  for (AccessRecords::Task& task : tasks) {
    std::erase_if(task.wide, [&](const auto& wide) { return wide.operation >= task.operations; });
  }
}

template <typename Value>
void keep_each_once(std::vector<Value>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Numbers the variables that several threads meet in: first those that have names, in their order.
class NewNumbers {
 public:
  explicit NewNumbers(Numbered& all) : in_groups_(all.groups) {
    for (const Takeover& taken : all.turns) note_turn(taken.number, all);
    if (in_groups_.are_any()) {
      all.named = in_groups_.named_words();
      std::ranges::copy(in_groups_.unnamed_words(), std::back_inserter(all.met_in));
    }
    keep_each_once(all.named);
    for (const auto& [name, number] : all.named) give(number, in_groups_.are_any());
    for (const auto& [number, word] : all.stack_words) all.met_in.push_back(number);
    keep_each_once(all.met_in);
    for (const std::uint32_t number : all.met_in) give(number, /*is_group=*/false);
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(groups_.size()); }
  /// Of one that nobody else comes to: there are no more.
  [[nodiscard]] std::uint32_t of(std::uint32_t number) const {
    const bool is_met_in = number < anew_.size() && anew_[number] != none;
    return is_met_in ? anew_[number] : count();
  }
  /// By variable: its group, of which each has a number now.
  [[nodiscard]] const std::vector<std::uint32_t>& groups() const { return groups_; }
  [[nodiscard]] std::uint32_t group_count() const {
    return static_cast<std::uint32_t>(group_numbers_.size());
  }
  [[nodiscard]] std::uint32_t group_of_turn(std::uint32_t number) const {
    return group_numbers_.at(number);
  }

 private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  void note_turn(std::uint32_t number, Numbered& all) {
    all.groups.note_turn(number);
    const bool is_variable = number != memory_spool::all_variables && !all.groups.is_group(number);
    if (is_variable) all.met_in.push_back(number);
  }
  /// `is_group`: that has many variables, of which the number says nothing.
  void give(std::uint32_t number, bool is_group) {
    if (!is_group) {
      if (number >= anew_.size()) anew_.resize(std::size_t{number} + 1, none);
      if (anew_[number] != none) return;
      anew_[number] = count();
    }
    const std::uint32_t group = is_group ? number : in_groups_.of(number);
    groups_.push_back(group_numbers_.try_emplace(group, group_count()).first->second);
  }

  const RecordedGroups& in_groups_;
  std::vector<std::uint32_t> anew_;  // by the recorder's number
  std::vector<std::uint32_t> groups_;
  std::unordered_map<std::uint32_t, std::uint32_t> group_numbers_;  // by the recorder's
};

/// Of one variable, ascending.
std::vector<AccessRecords::Turns> order_of(std::span<const Takeover> turns) {
  std::vector<AccessRecords::Turns> order;
  std::uint64_t before = 0;
  for (const Takeover& next : turns) {
    order.push_back({next.before, next.accesses_before - before});
    before = next.accesses_before;
  }
  order.push_back({turns.back().now, 0});
  // A thread was killed after it had taken its turn, and before it wrote that down.
  std::erase_if(order, [&](const auto& turn) { return turn.count == 0 && &turn != &order.back(); });
  return order;
}

/// All turns of one variable after the other, in their order.
template <typename Function>
void for_each_order(std::vector<Takeover>& turns, const Function& function) {
  std::ranges::sort(turns, {},
                    [](const Takeover& one) { return std::pair(one.number, one.accesses_before); });
  for (auto first = turns.begin(); first != turns.end();) {
    const auto behind = std::find_if(
        first, turns.end(), [first](const Takeover& one) { return one.number != first->number; });
    function(first->number, order_of({first, behind}));
    first = behind;
  }
}

/// Numbers the variables that several threads meet in, and forgets the others.  By `global-writes`
/// none is forgotten, and all are in one group.
AccessRecords numbered_anew(std::vector<AccessRecords::Task> tasks, Numbered& all,
                            memory_spool::Method method) {
  AccessRecords records;
  records.is_of_memory = true;
  const NewNumbers numbers(all);
  records.variables = numbers.count();
  for (const auto& [name, number] : all.named)
    records.addresses.push_back(name * memory_spool::word_bytes);
  records.tasks = std::move(tasks);
  for (AccessRecords::Task& task : records.tasks) {
    for (std::uint32_t& variable : task.first_uses) variable = numbers.of(variable);
  }
  const bool is_one_order = method == memory_spool::Method::global_writes;
  if (is_one_order) records.groups.assign(records.variables, 0);
  if (all.groups.are_any()) records.groups = numbers.groups();
  records.orders.resize(is_one_order ? std::min(records.variables, 1U) : numbers.group_count());
  for_each_order(all.turns, [&](std::uint32_t number, std::vector<AccessRecords::Turns> order) {
    records.orders[is_one_order ? 0 : numbers.group_of_turn(number)] = std::move(order);
  });
  for (auto& [number, word] : all.stack_words) {
    word.variable = numbers.of(number);
    records.stack_words.push_back(word);
  }
  return records;
}

std::string_view name_of(memory_spool::Method method) {
  switch (method) {
    case memory_spool::Method::leap: return leap_method;
    case memory_spool::Method::global_writes: return global_writes_method;
    default: return "stride";
  }
}

/// The sites of the program that have told of nothing, and those whose writes were in no order.
AccessRecords::SwitchedOff read_switched_off(const std::string& directory) {
  const std::string path = directory + "/" + memory_spool::protected_sites_file;
  if (!std::filesystem::exists(path)) return {};
  const std::vector<std::byte> bytes = read_whole_file(path);
  std::size_t at = 0;
  const auto next = [&] {
    std::uint64_t number = 0;
    if (bytes.size() - at < sizeof number) {
      throw UsageError("a list of sites that ends too early", path, "record the program again");
    }
    std::memcpy(&number, bytes.data() + at, sizeof number);
    at += sizeof number;
    return number;
  };
  AccessRecords::SwitchedOff sites;
  for (auto* const list : {&sites.accesses, &sites.orders}) {
    for (std::uint64_t left = next(); left > 0; --left) list->push_back(next());
  }
  return sites;
}

/// Of a thread's file that is there, and whole that far.
std::optional<memory_spool::Header> memory_header_in(std::span<const std::byte> bytes) {
  memory_spool::Header header{};
  if (bytes.size() < rank_spool::header_bytes) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.common.magic_number != rank_spool::magic) return std::nullopt;
  return header;
}

std::vector<std::byte> bytes_of(const std::string& path) {
  return std::filesystem::exists(path) ? read_whole_file(path) : std::vector<std::byte>();
}

}  // namespace

void read_recorded_memory(const std::string& directory, RecordedJob& job) {
  Numbered all;
  std::vector<AccessRecords::Task> tasks;
  auto method = memory_spool::Method::none;
  memory_spool::NamedHeap named{};
  const bool are_kept = (job.thread_gaps & thread_spool::memory_kept) != 0;
  for (const RecordedThread& thread : job.threads) {
    const std::string path =
        directory + "/" + memory_spool::memory_file_prefix + std::to_string(thread.number);
    const std::vector<std::byte> bytes = bytes_of(path);
    const auto header = memory_header_in(bytes);
    if (!header) {
      // Whose process was killed before it began need not have one.
      const bool had_one = are_kept && thread.handle != 0;
      if (had_one) job.thread_gaps |= thread_spool::memory_unrecorded;
      continue;
    }
    method = header->method;
    named = header->named;
    all.groups.begin(header->groups, header->named);
    job.reads += header->reads;
    if (header->common.cut == memory_spool::too_many_variables) {
      job.thread_gaps |= thread_spool::too_many_variables;
    } else if (header->common.cut == memory_spool::too_many_writes) {
      job.thread_gaps |= thread_spool::too_many_writes;
    } else if (header->common.cut != 0) {
      job.thread_gaps |= thread_spool::disk_full;
    }
    tasks.push_back(
        MemoryReader(records_of(header->common, bytes, path), path, *header, all).read());
  }
  if (method == memory_spool::Method::none) return;
  end_where_they_died(tasks, all);
  job.accesses = numbered_anew(std::move(tasks), all, method);
  if (method != memory_spool::Method::leap) {
    job.accesses->reads = AccessRecords::Reads::by_version;
  }
  job.accesses->named = {named.begin, named.bytes};
  job.accesses->switched_off = read_switched_off(directory);
  job.memory_method = name_of(method);
}

}  // namespace orrery::detail
