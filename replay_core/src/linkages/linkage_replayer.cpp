#include "linkage_replayer.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "access_replayer.hpp"
#include "linkage_inference.hpp"
#include "memory_replayer.hpp"
#include "reader_memory.hpp"

namespace orrery::detail {
namespace {

/// Where a task is among what it has read, and what it remembers of variables.
class ReadCursor {
 public:
  void begin(const AccessRecords::Task& records) { records_ = &records; }
  ReaderMemory& memory() { return memory_; }

  /// The bound of a read of this group that comes so many reads behind the next one, of which those
  /// since the first have been asked for: one operation may read several words of a group.
  [[nodiscard]] std::uint64_t bound_ahead(std::uint32_t group, std::size_t skipped) {
    if (skipped <= asked_) ahead_.clear();
    asked_ = skipped;
    std::uint64_t known = known_bounds_ + skipped;
    for (std::size_t i = bound_; records_ != nullptr && i < records_->bounds.size(); ++i) {
      if (known < records_->bounds[i].foretold) break;
      if (known == records_->bounds[i].foretold) {
        ahead_.emplace_back(group, records_->bounds[i].ahead);
        break;
      }
      known -= records_->bounds[i].foretold + 1;
    }
    std::uint64_t bound = memory_.known(group);
    for (const auto& [other, ahead] : ahead_) bound += other == group ? ahead : 0;
    return bound;
  }
  /// A read whose bound is known.
  void take_known_bound() { ++known_bounds_; }
  std::uint64_t take_bound(std::uint32_t group) {
    const bool is_kept = records_ != nullptr && bound_ < records_->bounds.size() &&
                         records_->bounds[bound_].foretold == known_bounds_;
    if (!is_kept) {
      ++known_bounds_;
      return memory_.known(group);
    }
    known_bounds_ = 0;
    return memory_.known(group) + records_->bounds[bound_++].ahead;
  }
  /// What the next read that needs a value has read, at a variable with this slot.
  [[nodiscard]] std::uint64_t next_value(std::uint64_t slot) const {
    return is_kept() ? records_->values[value_].value : memory_.foretold(slot);
  }
  /// The same of several reads, at variables with these slots.
  [[nodiscard]] std::vector<std::uint64_t> next_values(std::span<const std::uint64_t> slots) const {
    std::vector<std::uint64_t> values;
    std::size_t kept = value_;
    std::uint64_t foretold = foretold_;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const bool is_next_kept = records_ != nullptr && kept < records_->values.size() &&
                                records_->values[kept].foretold == foretold;
      foretold = is_next_kept ? 0 : foretold + 1;
      std::uint64_t value = memory_.foretold(slots[i]);
      for (std::size_t before = 0; before < i; ++before) {
        if (slots[before] == slots[i]) value = values[before];
      }
      values.push_back(is_next_kept ? records_->values[kept++].value : value);
    }
    return values;
  }
  std::uint64_t take_value(std::uint64_t slot) {
    const std::uint64_t value = next_value(slot);
    if (is_kept()) {
      foretold_ = 0;
      ++value_;
    } else {
      ++foretold_;
    }
    return value;
  }

 private:
  [[nodiscard]] bool is_kept() const {
    return records_ != nullptr && value_ < records_->values.size() &&
           records_->values[value_].foretold == foretold_;
  }

  const AccessRecords::Task* records_ = nullptr;
  ReaderMemory memory_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> ahead_;  // of the reads that were asked for
  std::size_t asked_ = 0;                                       // the last of them
  std::size_t bound_ = 0;
  std::uint64_t known_bounds_ = 0;
  std::size_t value_ = 0;
  std::uint64_t foretold_ = 0;
};

/// Does the run once as Stride does, each task by itself as far as that goes: writes come in their
/// orders, and a read does not wait until it could read what it has read, it is shown that.  So
/// afterwards it is known what was written when, and hence what each read has read from; and the
/// run can be done again in an order in which nobody has to be shown anything.
class LinkageReplayer final : public AccessReplayer {
 public:
  using AccessReplayer::AccessReplayer;

  [[nodiscard]] Recorder* inference() override { return &found_; }

 private:
  /// What was found out, as a recorder of `leap`, which has nothing to watch.
  class Found final : public Recorder, private orrery::Observer {
   public:
    explicit Found(const LinkageReplayer& replayer) : replayer_(replayer) {}
    [[nodiscard]] orrery::Observer& observer() override { return *this; }
    [[nodiscard]] std::vector<RecordedBlock> blocks() const override {
      return {{BlockKind::shared_accesses, encode_access_records(replayer_.found_orders())}};
    }
    [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override {
      return {{"reads", replayer_.inference_.read_count()},
              {"comparisons", replayer_.inference_.comparisons()},
              {"unseen_writes", replayer_.unseen_}};
    }

   private:
    [[nodiscard]] EventMask interest() const override { return EventMask::none(); }
    const LinkageReplayer& replayer_;
  };

  /// What a variable holds in place of what it should, until the reader has seen it.
  struct Shown {
    VariablePlace place;
    std::uint64_t really = 0;
  };
  struct Written {
    TaskId task;
    std::uint32_t variable = 0;
    VariablePlace place;
  };

  // Of the replay
  void begin() override;
  [[nodiscard]] bool admits_read(TaskId task, std::uint32_t variable, const VariablePlace& place,
                                 std::size_t number) override;
  [[nodiscard]] bool admits_at_once(TaskId task, const Words& words) override {
    return records().reads != AccessRecords::Reads::by_value || reads_unseen_ == task ||
           moment_of(task, words).has_value();
  }
  void reads_at_once(TaskId task, const Words& words) override;
  void step_begins() override;
  bool reads(const Access& access) override;
  void writes(const Access& access) override;
  void reads_own(TaskId task) override;
  void writes_own(const Access& access) override;
  void task_begins(TaskId task, std::optional<TaskId> starter) override {
    if (starter) inference_.come_behind_task(task, *starter);
  }
  /// Stamps say in which order these come: as in this run.
  void synchronises(TaskId task, bool is_access) override {
    const std::uint32_t all = LinkageInference::synchronisation(records());
    if (is_access) {
      inference_.also_write(all);
    } else {
      inference_.write({task, 0, all});
    }
  }
  void has_done_once(TaskId task, ObjectId flag) override {
    done_once_[flag.packed()] = inference_.last_of(task);
  }
  bool passes_once(TaskId task, ObjectId flag) override {
    const auto done = done_once_.find(flag.packed());
    if (done == done_once_.end()) return false;
    inference_.come_behind(task, done->second);
    return true;
  }
  void has_joined(TaskId task, TaskId ended) override { inference_.come_behind_task(task, ended); }
  [[nodiscard]] std::string describe_read(TaskId task, std::uint32_t variable) override;
  void end(bool is_whole) override;
  [[nodiscard]] AccessRecords found_orders() const;

  [[nodiscard]] static LinkageInference::Access named(const Access& access) {
    return {access.task, access.operation, access.variable, access.is_further};
  }
  ReadCursor& cursor(TaskId task);
  void count_write(const Access& access, std::uint32_t group);
  void settle_write();
  void look_at(std::uint32_t variable, const VariablePlace& place);
  void show(const VariablePlace& place, std::uint64_t value);
  std::uint64_t read_by_value(const Access& access, ReadCursor& own);
  bool read_by_bound(const Access& access, ReadCursor& own, std::uint64_t& value);
  std::uint64_t read_within(const Access& access, std::uint64_t writes);
  [[nodiscard]] bool lets_read(TaskId task, const Words& words) override;
  [[nodiscard]] std::optional<std::uint64_t> moment_of(TaskId task, const Words& words);
  /// Memory of an unchanged program may be written by who makes no steps (libraries, or one access
  /// to several words), and hold addresses that are others in each process: then what a read has
  /// read need not be what any step here has left.
  [[nodiscard]] static bool may_be_unseen(const VariablePlace& place) {
    return place.program_address != 0;
  }

  LinkageInference inference_;
  std::vector<ReadCursor> cursors_;  // by task
  std::vector<Shown> shown_;
  std::vector<Written> written_;
  std::map<std::uint64_t, std::uint32_t> done_once_;  // by packed flag: its place
  std::optional<TaskId> reads_unseen_;                // what nobody has left there
  std::uint64_t unseen_ = 0;
  Found found_{*this};
};

void LinkageReplayer::begin() {
  inference_.begin(records());
  cursors_.clear();
  for (const AccessRecords::Task& task : records().tasks) {
    cursors_.resize(std::size_t{task.task.value} + 1);
    cursors_.back().begin(task);
  }
  shown_.clear();
  written_.clear();
  done_once_.clear();
  reads_unseen_.reset();
  unseen_ = 0;
}

ReadCursor& LinkageReplayer::cursor(TaskId task) {
  if (task.value >= cursors_.size()) cursors_.resize(std::size_t{task.value} + 1);
  return cursors_[task.value];
}

bool LinkageReplayer::admits_read(TaskId task, std::uint32_t variable, const VariablePlace& place,
                                  std::size_t number) {
  step_begins();  // what was done is done: the task that did it has come to its next step
  look_at(variable, place);
  if (records().reads == AccessRecords::Reads::by_value) {
    if (number > 0) return true;  // all at once
    const std::uint64_t value = cursor(task).next_value(slot_of(records(), variable));
    return reads_unseen_ == task || inference_.can_read(task, variable, value);
  }
  const std::uint32_t group = records().group_of(variable);
  const std::uint64_t writes = writes_within(cursor(task).bound_ahead(group, number));
  // What was there before an assignment can be read until that is done, and after that.
  return writes <= half_assigned(task, variable).value_or(orders().taken(group));
}

/// Nobody else has done anything since the last step: what is to be seen of it is still there.
void LinkageReplayer::step_begins() {
  for (const Shown& shown : shown_) put_value(shown.place, shown.really);
  shown_.clear();
  settle_write();
}

void LinkageReplayer::settle_write() {
  for (const Written& written : written_) {
    if (written.place.value_bytes == 0) continue;
    const std::uint64_t value = value_at(written.place);
    inference_.set_written(written.variable, value);
    cursor(written.task).memory().keep(slot_of(records(), written.variable), value);
  }
  written_.clear();
}

void LinkageReplayer::look_at(std::uint32_t variable, const VariablePlace& place) {
  const std::uint64_t value = value_at(place);
  if (!inference_.knows(variable)) {
    inference_.set_initial(variable, value);
  } else if (may_be_unseen(place)) {
    // A function of the C library tells of all that it accesses before it does any of it.
    inference_.set_written(variable, value);
  }
}

void LinkageReplayer::show(const VariablePlace& place, std::uint64_t value) {
  const std::uint64_t really = value_at(place);
  if (really == value) return;
  shown_.push_back({place, really});
  put_value(place, value);
}

bool LinkageReplayer::reads(const Access& access) {
  look_at(access.variable, access.place);
  ReadCursor& own = cursor(access.task);
  std::uint64_t value = 0;
  if (records().reads == AccessRecords::Reads::by_value) {
    value = read_by_value(access, own);
  } else if (!read_by_bound(access, own, value)) {
    return false;
  }
  show(access.place, value);
  own.memory().keep(slot_of(records(), access.variable), value);
  return false;
}

/// When all of the words had, for the first time, what the task has read there.
std::optional<std::uint64_t> LinkageReplayer::moment_of(TaskId task, const Words& words) {
  std::vector<std::uint64_t> slots;
  for (const auto& word : words) {
    look_at(word.variable, word.place);
    slots.push_back(slot_of(records(), word.variable));
  }
  const std::vector<std::uint64_t> values = cursor(task).next_values(slots);
  std::vector<LinkageInference::ValueRead> reads;
  for (std::size_t i = 0; i < words.size(); ++i) reads.push_back({words[i].variable, values[i]});
  return inference_.moment_of(task, reads);
}

/// Each word alone might have had its value before.
void LinkageReplayer::reads_at_once(TaskId task, const Words& words) {
  if (records().reads != AccessRecords::Reads::by_value) return;
  if (const auto moment = moment_of(task, words)) inference_.come_behind_moment(task, *moment);
}

std::uint64_t LinkageReplayer::read_by_value(const Access& access, ReadCursor& own) {
  const std::uint64_t value = own.take_value(slot_of(records(), access.variable));
  reads_unseen_.reset();
  if (inference_.can_read(access.task, access.variable, value)) {
    inference_.read_first(named(access), value);
    return value;
  }
  ++unseen_;
  inference_.read_last(named(access));
  return value_at(access.place);
}

bool LinkageReplayer::read_by_bound(const Access& access, ReadCursor& own, std::uint64_t& value) {
  const std::uint32_t group = records().group_of(access.variable);
  if (!access.is_further) own.memory().begin_operation();
  const std::uint64_t bound = own.take_bound(group);
  const std::uint64_t writes = writes_within(bound);
  const bool is_exact = records().reads == AccessRecords::Reads::by_version;
  if (is_exact || own.memory().is_exact(group, bound)) {
    value = read_within(access, writes);
  } else {
    value = own.take_value(slot_of(records(), access.variable));
    const bool is_found = inference_.read(named(access), writes, value).has_value();
    if (!is_found && !may_be_unseen(access.place)) {
      part(access.task,
           fmt::format("operation {} to read {:#x}, as one of the first {} writes left it",
                       access.operation + 1, value, writes),
           "none of these");
      return false;
    }
    if (!is_found) {
      ++unseen_;
      value = read_within(access, writes);
    }
  }
  own.memory().know_by_read(group, bound);
  return true;
}

std::uint64_t LinkageReplayer::read_within(const Access& access, std::uint64_t writes) {
  const LinkageInference::Found found = inference_.read_exact(named(access), writes);
  // What came there unseen is there still.
  return found.is_last ? value_at(access.place) : found.value;
}

/// Nothing else is to come: so be it what is there.
bool LinkageReplayer::lets_read(TaskId task, const Words& words) {
  const auto& first = words.front();
  const bool is_by_value = records().reads == AccessRecords::Reads::by_value;
  if (!is_by_value || !may_be_unseen(first.place)) return false;
  if (admits_read(task, first.variable, first.place, 0) &&
      (words.size() == 1 || admits_at_once(task, words))) {
    return false;
  }
  reads_unseen_ = task;
  return true;
}

void LinkageReplayer::reads_own(TaskId task) {
  ReadCursor& own = cursor(task);
  if (!is_one_order()) return own.take_known_bound();
  own.memory().know(0, own.take_bound(0));
}

void LinkageReplayer::writes_own(const Access& access) {
  Access own = access;
  own.variable = LinkageInference::elsewhere(records());
  count_write(own, 0);
}

void LinkageReplayer::writes(const Access& access) {
  look_at(access.variable, access.place);
  count_write(access, records().group_of(access.variable));
  written_.push_back({access.task, access.variable, access.place});
}

/// The turn itself is taken only afterwards.
void LinkageReplayer::count_write(const Access& access, std::uint32_t group) {
  if (access.is_further) {
    inference_.also_write(access.variable);
  } else {
    inference_.write(named(access));
  }
  if (access.gives_up) inference_.also_write(*access.gives_up);
  cursor(access.task).memory().know(group, version_after(orders().taken(group) + 1));
}

std::string LinkageReplayer::describe_read(TaskId task, std::uint32_t variable) {
  if (records().reads == AccessRecords::Reads::by_value) {
    return fmt::format("which has read {:#x}, and nobody has left that there",
                       cursor(task).next_value(slot_of(records(), variable)));
  }
  const std::uint32_t group = records().group_of(variable);
  return fmt::format("which may have seen {} writes, and {} have come; {}",
                     writes_within(cursor(task).bound_ahead(group, 0)), orders().taken(group),
                     describe_turn(task, variable));
}

void LinkageReplayer::end(bool is_whole) {
  if (!is_whole) return;
  std::string contradiction = LinkageInference(inference_).finish().contradiction;
  if (!contradiction.empty() && records().is_of_memory && !cut_short().empty()) {
    // A real thread that was ended in the midst of a read has counted it, and not said of what.
    for (const TaskId task : cut_short()) inference_.forget_last_read(task);
    contradiction = LinkageInference(inference_).finish().contradiction;
  }
  if (contradiction.empty()) return;
  part(TaskId{0}, "one order of all accesses",
       fmt::format("none that fits (the log is damaged, or the run was not sequentially "
                   "consistent): {}",
                   contradiction));
}

AccessRecords LinkageReplayer::found_orders() const {
  const LinkageInference::Result result = LinkageInference(inference_).finish();
  AccessRecords exact = records();
  exact.reads = AccessRecords::Reads::in_order;
  exact.predictor_slots = 0;
  exact.groups.clear();
  exact.orders = result.orders;
  exact.orders.resize(exact.variables);
  for (AccessRecords::Task& task : exact.tasks) {
    task.values.clear();
    task.bounds.clear();
  }
  stop_where_it_stopped(exact);
  return exact;
}

}  // namespace

std::unique_ptr<Replayer> make_linkage_replayer(const SavedRun& run, Chooser& fallback,
                                                ReplayMode mode) {
  constexpr auto make = [](const SavedRun& log, Chooser& other,
                           ReplayMode how) -> std::unique_ptr<Replayer> {
    return std::make_unique<LinkageReplayer>(log, other, how);
  };
  if (run.accesses.is_of_memory) return make_memory_replayer(run, fallback, mode, make);
  return make(run, fallback, mode);
}

}  // namespace orrery::detail
