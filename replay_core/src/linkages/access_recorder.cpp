#include "access_recorder.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/replay_core/access_records.hpp>
#include <orrery/replay_core/kinds_hash.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "messages/answer_keeper.hpp"
#include "messages/recorded_tasks.hpp"
#include "read_log.hpp"
#include "shared_operations.hpp"
#include "synchronisation/lamport_clocks.hpp"
#include "synchronisation/wide_accesses.hpp"
#include "variable_groups.hpp"

namespace orrery::detail {
namespace {

/// What a method keeps.
struct Keeping {
  AccessRecords::Reads reads = AccessRecords::Reads::in_order;
  Grouping grouping = {};
  std::uint64_t predictor_slots = 0;
  std::uint64_t lag_steps = 0;  ///< how much later than the read its bound is taken
};

class AccessRecorder final : public Recorder, private Observer {
 public:
  explicit AccessRecorder(const Keeping& keeping) : keeping_(keeping) {}

  [[nodiscard]] Observer& observer() override { return *this; }
  [[nodiscard]] std::vector<RecordedBlock> blocks() const override;
  [[nodiscard]] std::string blind_spot() const override { return blind_spot_; }
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override;

 private:
  struct Task {
    AccessRecords::Task records;
    KindsHash kinds;
    ReadLog reads;
  };
  /// A read whose bound is still to be taken.
  struct OpenRead {
    TaskId task;
    std::uint32_t group = 0;
    std::uint64_t slot = 0;
    std::uint64_t value = 0;
    std::uint64_t steps_left = 0;
  };
  /// A write, until it is done.
  struct Writing {
    TaskId task;
    std::uint64_t slot = 0;
    VariablePlace place;
  };

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override {
    return EventMask::steps() | EventMask::choices() | EventMask::tasks() |
           EventMask::allocations() | EventMask::of(OperationKind::condition_wait) |
           EventMask::of(OperationKind::task_end);
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    starters_.on_task(task, predecessors);
  }
  void on_step(const Alternative& taken) override;
  void on_event(const Event& event) override;
  void on_allocated(TaskId /*task*/, Address address, std::uint64_t size_bytes) override {
    variables_.forget(address, size_bytes);
    if (!keeping_.grouping.is_by(MemoryGroups::By::allocation)) return;
    groups_.note_allocated(address, size_bytes, names_->place_here({}));
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    variables_.forget(address, size_bytes);
  }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    if (point.kind != ChoiceKind::step) answers_.on_choice(point, index);
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    answers_.on_value(question, answer);
  }
  /// Of reads that stand in no order.
  [[nodiscard]] bool logs_reads() const { return keeping_.reads != AccessRecords::Reads::in_order; }
  [[nodiscard]] bool keeps_values() const {
    return logs_reads() && keeping_.reads != AccessRecords::Reads::by_version;
  }
  /// So many have come to the group.
  [[nodiscard]] std::uint64_t writes_to(std::uint32_t group) const {
    return group < writes_.size() ? writes_[group] : 0;
  }
  void note_blind_spot(const std::string& why) {
    if (blind_spot_.empty()) blind_spot_ = why;
  }
  Task& own(TaskId task);
  void finish_writing();
  void close_reads(std::optional<TaskId> next);
  void close(const OpenRead& read);
  void come(TaskId task, const Alternative& step);
  void come_further(TaskId task, const WideAccess& access);
  void write(TaskId task, std::uint32_t variable, std::uint32_t group, const VariablePlace& place);
  void read(TaskId task, std::uint32_t variable, std::uint32_t group, const VariablePlace& place);
  void read_at_once(TaskId task, std::uint32_t variable, std::uint32_t group,
                    const VariablePlace& place, bool is_further);
  void take_turn(TaskId task, std::uint32_t group);
  /// Where in the program the task comes to a variable, as far as somebody asks.
  [[nodiscard]] std::uintptr_t site_of(TaskId task) const {
    return keeping_.grouping.is_by(MemoryGroups::By::site) ? program_counter_of(task) : 0;
  }
  [[nodiscard]] std::uint64_t slot(std::uint32_t variable) const {
    return variable % keeping_.predictor_slots;
  }
  [[nodiscard]] AccessRecords records() const;

  Keeping keeping_;
  const Names* names_ = nullptr;
  VariableNumbers variables_;
  VariableGroups groups_;
  std::vector<Task> tasks_;  // by task
  std::vector<std::vector<AccessRecords::Turns>> orders_;
  std::vector<std::uint64_t> writes_;  // by group
  std::vector<OpenRead> open_reads_;
  std::vector<Writing> writing_;
  AnswerKeeper answers_;
  TaskStarters starters_;
  std::string blind_spot_;
};

void AccessRecorder::begin_run(const RunInfo& info) {
  *this = AccessRecorder(keeping_);
  names_ = info.names;
  groups_.begin(keeping_.grouping);
}

AccessRecorder::Task& AccessRecorder::own(TaskId task) {
  if (task.value >= tasks_.size()) tasks_.resize(std::size_t{task.value} + 1);
  tasks_[task.value].records.task = task;
  return tasks_[task.value];
}

void AccessRecorder::on_step(const Alternative& taken) {
  finish_writing();
  close_reads(taken.id.task);
  if (is_message_operation(taken.kind)) {
    note_blind_spot(fmt::format("{} passes messages", names_->task(taken.id.task)));
    return;
  }
  if (!has_stamp(taken.kind)) return;
  Task& task = own(taken.id.task);
  if (taken.kind == OperationKind::timeout) {
    task.records.timeouts.push_back(task.records.operations);
  }
  if (taken.kind == OperationKind::condition_wait) task.records.given_up.push_back(0);
  ++task.records.operations;
  task.kinds.add(taken.kind);
  if (acts_on_variable(taken.kind)) come(taken.id.task, taken);
}

void AccessRecorder::come(TaskId task, const Alternative& step) {
  const ObjectId object = stamped_object(step);
  const std::uint32_t variable = variables_.come_to(task, object, step.kind);
  const VariablePlace& place = variables_.place(object);
  const std::uint32_t group = groups_.of(variable, object, place, site_of(task));
  const auto wide = wide_access(task, step.kind, place);
  if (logs_reads() && only_reads(step.kind)) {
    if (place.value_bytes == 0) {
      note_blind_spot(fmt::format("{} holds more than eight bytes", names_->object(object)));
    }
    if (wide) {
      read_at_once(task, variable, group, place, /*is_further=*/false);
    } else {
      read(task, variable, group, place);
    }
  } else {
    write(task, variable, group, place);
  }
  if (wide) come_further(task, *wide);
}

void AccessRecorder::write(TaskId task, std::uint32_t variable, std::uint32_t group,
                           const VariablePlace& place) {
  take_turn(task, group);
  if (!logs_reads()) return;
  own(task).reads.wrote(group, version_after(writes_[group]));
  if (keeps_values() && place.value_bytes != 0) writing_.push_back({task, slot(variable), place});
}

void AccessRecorder::come_further(TaskId task, const WideAccess& access) {
  AccessRecords::Task& records = own(task).records;
  records.wide.push_back({records.operations - 1, access.words});
  for (std::uint64_t i = 1; i < access.words; ++i) {
    const VariableKeys::Known word = VariableKeys::word_behind(access.place, i);
    const std::uint32_t variable = variables_.come_to(task, word);
    const std::uint32_t group = groups_.of(variable, ObjectId{}, word.place, site_of(task));
    if (logs_reads() && access.is_read) {
      read_at_once(task, variable, group, word.place, /*is_further=*/true);
    } else {
      write(task, variable, group, word.place);
    }
  }
}

/// Where a wait begins it acts on its mutex, too.  An end is no step, but others wait for it.
void AccessRecorder::on_event(const Event& event) {
  if (event.kind == OperationKind::task_end) close_reads(event.id.task);
  if (event.gives_up == ObjectId{}) return;
  const TaskId task = event.id.task;
  const std::uint32_t mutex = variables_.come_to(task, event.gives_up, event.kind);
  own(task).records.given_up.back() = mutex + 1;
  take_turn(task, groups_.of(mutex, event.gives_up, variables_.place(event.gives_up), 0));
}

void AccessRecorder::take_turn(TaskId task, std::uint32_t group) {
  if (group >= orders_.size()) {
    orders_.resize(std::size_t{group} + 1);
    writes_.resize(orders_.size());
  }
  std::vector<AccessRecords::Turns>& order = orders_[group];
  if (order.empty() || order.back().task != task) order.push_back({task, 0});
  ++order.back().count;
  ++writes_[group];
}

// --- reads --------------------------------------------------------------------------------------

/// Memory still holds what the read is about to get.
void AccessRecorder::read(TaskId task, std::uint32_t variable, std::uint32_t group,
                          const VariablePlace& place) {
  if (keeping_.reads != AccessRecords::Reads::by_bound) {
    return read_at_once(task, variable, group, place, /*is_further=*/false);
  }
  open_reads_.push_back({task, group, slot(variable), value_at(place), keeping_.lag_steps});
}

/// A read by itself may be put off until its bound is taken: what it has found is there again.  Of
/// several words each may be there again at another time, so that no moment is known at which all
/// were: then bounds are not late.
void AccessRecorder::read_at_once(TaskId task, std::uint32_t variable, std::uint32_t group,
                                  const VariablePlace& place, bool is_further) {
  ReadLog& reads = own(task).reads;
  const std::uint64_t bound = version_after(writes_to(group));
  switch (keeping_.reads) {
    case AccessRecords::Reads::in_order: return;
    case AccessRecords::Reads::by_version: return reads.read_version(group, bound);
    case AccessRecords::Reads::by_value: return reads.read(slot(variable), value_at(place));
    case AccessRecords::Reads::by_bound:
      reads.read_within(group, bound, slot(variable), value_at(place), is_further);
  }
}

/// A bound is taken when as many steps of others have come behind the read as the lag says, but
/// before its task's next one, which is this, or nobody's.
void AccessRecorder::close_reads(std::optional<TaskId> next) {
  std::erase_if(open_reads_, [&](OpenRead& read) {
    const bool is_late = !next || read.task == *next || read.steps_left == 0;
    if (is_late) {
      close(read);
    } else {
      --read.steps_left;
    }
    return is_late;
  });
}

void AccessRecorder::close(const OpenRead& read) {
  own(read.task).reads.read_within(read.group, version_after(writes_to(read.group)), read.slot,
                                   read.value);
}

/// Nothing has been done since but the write itself.
void AccessRecorder::finish_writing() {
  for (const Writing& one : writing_) own(one.task).reads.left(one.slot, value_at(one.place));
  writing_.clear();
}

// --- what is kept -------------------------------------------------------------------------------

AccessRecords AccessRecorder::records() const {
  AccessRecorder finished = *this;
  finished.close_reads(std::nullopt);
  AccessRecords records;
  records.reads = keeping_.reads;
  records.predictor_slots = keeping_.predictor_slots;
  for (Task& task : finished.tasks_) {
    if (task.records.operations == 0) continue;
    AccessRecords::Task& kept = records.tasks.emplace_back(task.records);
    kept.kinds_hash = task.kinds.value();
    kept.first_uses = variables_.first_uses(kept.task);
    task.reads.add_to(kept);
  }
  records.variables = variables_.count();
  records.groups = groups_.groups();
  records.orders = orders_;
  std::size_t groups = records.variables;
  if (!records.groups.empty()) {
    groups = std::size_t{*std::ranges::max_element(records.groups)} + 1;
  }
  records.orders.resize(groups);  // some are only read
  return records;
}

std::vector<RecordedBlock> AccessRecorder::blocks() const {
  MessageRecords answers;
  answers_.add_to(answers);
  starters_.add_to(answers);
  std::vector<RecordedBlock> blocks{{BlockKind::shared_accesses, encode_access_records(records())}};
  if (!answers.answers.empty() || !answers.run_answers.empty() || !answers.starters.empty()) {
    blocks.push_back({BlockKind::answers, encode_answers(answers)});
  }
  return blocks;
}

std::vector<std::pair<std::string_view, std::uint64_t>> AccessRecorder::counts() const {
  const AccessRecords all = records();
  std::vector<std::pair<std::string_view, std::uint64_t>> counts{
      {"accesses_in_order", all.ordered_count()},
      {"turns", all.turn_count()},
      {"variables", all.variables},
      {"access_bytes", encode_access_records(all).size()}};
  if (logs_reads()) counts.emplace_back("values", all.value_count());
  if (keeping_.reads == AccessRecords::Reads::by_bound ||
      keeping_.reads == AccessRecords::Reads::by_version) {
    std::uint64_t exact = 0;
    for (const Task& task : tasks_) exact += task.reads.exact_count();
    counts.emplace_back("exact_reads", exact);
    counts.emplace_back("bounds", all.bound_count());
  }
  return counts;
}

/// Ten megabytes of each task, as the paper has it.
constexpr std::uint64_t slots_default = 10 * 1024 * 1024 / 8;

}  // namespace

std::unique_ptr<Recorder> make_leap_recorder() {
  return std::make_unique<AccessRecorder>(Keeping{});
}

std::unique_ptr<Recorder> make_global_writes_recorder(const NameWithOptions& given) {
  return std::make_unique<AccessRecorder>(
      Keeping{.reads = AccessRecords::Reads::by_value,
              .grouping = {.are_all_one = true},
              .predictor_slots = given.whole_number("slots", slots_default, 1, 1U << 30U)});
}

std::unique_ptr<Recorder> make_stride_recorder(const NameWithOptions& given) {
  const std::uint64_t lag_steps = given.whole_number("lag", 0);
  // What is taken before anybody else does anything is exact.
  const auto reads =
      lag_steps == 0 ? AccessRecords::Reads::by_version : AccessRecords::Reads::by_bound;
  return std::make_unique<AccessRecorder>(
      Keeping{.reads = reads,
              .grouping = {.which = MemoryGroups::asked_for(given)},
              .predictor_slots = given.whole_number("slots", slots_default, 1, 1U << 30U),
              .lag_steps = lag_steps});
}

}  // namespace orrery::detail
