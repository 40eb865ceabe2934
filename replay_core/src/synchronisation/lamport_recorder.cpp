#include "lamport_recorder.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <orrery/replay_core/kinds_hash.hpp>
#include <orrery/replay_core/lamport_records.hpp>
#include <orrery/replay_core/message_records.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "lamport_clocks.hpp"
#include "messages/answer_keeper.hpp"
#include "messages/recorded_tasks.hpp"
#include "process_ends.hpp"
#include "yes_or_no.hpp"

namespace orrery::detail {
namespace {

class LamportRecorder final : public Recorder, private Observer {
 public:
  explicit LamportRecorder(bool has_objects) : has_objects_(has_objects) {}

  [[nodiscard]] Observer& observer() override { return *this; }
  [[nodiscard]] std::vector<RecordedBlock> blocks() const override;
  [[nodiscard]] std::string blind_spot() const override { return blind_spot_; }
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override;

 private:
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override {
    return EventMask::steps() | EventMask::choices() | EventMask::tasks() | LamportClocks::events();
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    clocks_.begin_task(task, predecessors);
    starters_.on_task(task, predecessors);
  }
  void on_step(const Alternative& taken) override;
  void on_allocated(TaskId /*task*/, Address address, std::uint64_t size_bytes) override {
    clocks_.forget(address, size_bytes);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    clocks_.forget(address, size_bytes);
  }
  void on_event(const Event& event) override;
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    if (point.kind != ChoiceKind::step) answers_.on_choice(point, index);
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    answers_.on_value(question, answer);
  }
  void give_up(const Event& event);
  void keep(TaskId task, OperationKind kind, std::int64_t ahead, bool is_marked);
  [[nodiscard]] LamportRecords::Task& records_of(TaskId task);
  [[nodiscard]] LamportRecords records() const;

  bool has_objects_;
  const Names* names_ = nullptr;
  LamportClocks clocks_;
  ProcessEnds process_ends_;
  std::uint64_t before_ = 0;                 // what the clock of the last step's task was
  std::vector<LamportRecords::Task> tasks_;  // by task
  std::vector<KindsHash> kinds_;             // by task
  AnswerKeeper answers_;
  TaskStarters starters_;
  std::string blind_spot_;
};

void LamportRecorder::begin_run(const RunInfo& info) {
  names_ = info.names;
  process_ends_.begin(info);
  clocks_.begin(info.pending);
  tasks_.clear();
  kinds_.clear();
  answers_.clear();
  starters_.clear();
  blind_spot_.clear();
}

LamportRecords::Task& LamportRecorder::records_of(TaskId task) {
  if (task.value >= tasks_.size()) {
    tasks_.resize(std::size_t{task.value} + 1);
    kinds_.resize(tasks_.size());
  }
  tasks_[task.value].task = task;
  return tasks_[task.value];
}

void LamportRecorder::on_step(const Alternative& taken) {
  if (is_message_operation(taken.kind)) {
    if (blind_spot_.empty()) {
      blind_spot_ = fmt::format("{} passes messages", names_->task(taken.id.task));
    }
    return;
  }
  if (ends_process(taken.kind)) {
    return clocks_.end_process(process_ends_.ended_by(taken.id.task, std::identity{}));
  }
  // Whose end it was is told afterwards.
  if (!has_stamp(taken.kind) || taken.kind == OperationKind::join) return;
  const TaskId task = taken.id.task;
  const LamportClocks::Reach reach = clocks_.reach_of(taken);
  const LamportClocks::Touch last = clocks_.before(task, reach);
  const auto ahead = static_cast<std::int64_t>(last.stamp - clocks_.clock(task));
  const bool is_of_another = last.stamp != 0 && last.task != task;
  keep(task, taken.kind, ahead, is_of_another && (has_objects_ || ahead > 0));
  before_ = clocks_.clock(task);
  clocks_.step(task, reach);
  if (taken.kind == OperationKind::condition_wait) clocks_.wait(task, reach);
}

void LamportRecorder::on_event(const Event& event) {
  const TaskId task = event.id.task;
  if (event.kind == OperationKind::condition_wait) return give_up(event);
  if (event.kind != OperationKind::join || event.timed_out) return;
  const TaskId ended = event.matched.task;
  const std::uint64_t last = clocks_.before_join(task, ended).stamp;
  const auto ahead = static_cast<std::int64_t>(last - clocks_.clock(task));
  keep(task, event.kind, ahead, ahead > 0);
  clocks_.join(task, ended);
}

/// Where a wait begins it acts on its mutex, too: those who tried to lock it meanwhile came before.
void LamportRecorder::give_up(const Event& event) {
  if (event.gives_up == ObjectId{}) return;
  const TaskId task = event.id.task;
  const LamportClocks::Reach mutex = clocks_.reach_of(event.gives_up);
  const std::uint64_t last = clocks_.last(mutex).stamp;
  if (last >= clocks_.clock(task)) {
    LamportRecords::Task& own = records_of(task);
    const LamportRecords::Mark mark{own.operations - 1, static_cast<std::int64_t>(last - before_)};
    if (!own.marks.empty() && own.marks.back().operation == mark.operation) own.marks.pop_back();
    own.marks.push_back(mark);
    clocks_.clock(task) = last + 1;
    clocks_.touch(task, clocks_.reach_of(event.object));
  }
  clocks_.touch(task, mutex);
}

void LamportRecorder::keep(TaskId task, OperationKind kind, std::int64_t ahead, bool is_marked) {
  LamportRecords::Task& own = records_of(task);
  if (is_marked) own.marks.push_back({own.operations, ahead});
  if (kind == OperationKind::timeout) own.timeouts.push_back(own.operations);
  ++own.operations;
  kinds_[task.value].add(kind);
}

LamportRecords LamportRecorder::records() const {
  LamportRecords records;
  records.has_objects = has_objects_;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].operations == 0) continue;
    records.tasks.push_back(tasks_[i]);
    records.tasks.back().kinds_hash = kinds_[i].value();
  }
  return records;
}

std::vector<RecordedBlock> LamportRecorder::blocks() const {
  MessageRecords answers;
  answers_.add_to(answers);
  starters_.add_to(answers);
  std::vector<RecordedBlock> blocks{{BlockKind::lamport_stamps, encode_lamport_records(records())}};
  if (!answers.answers.empty() || !answers.run_answers.empty() || !answers.starters.empty()) {
    blocks.push_back({BlockKind::answers, encode_answers(answers)});
  }
  return blocks;
}

std::vector<std::pair<std::string_view, std::uint64_t>> LamportRecorder::counts() const {
  const LamportRecords all = records();
  MessageRecords answers;
  answers_.add_to(answers);
  return {{"stamped", all.operation_count()},
          {"kept", all.mark_count()},
          {"stamp_bytes", encode_lamport_records(all).size()},
          {"other_outcomes", answers.other_count()}};
}

}  // namespace

std::unique_ptr<Recorder> make_lamport_recorder(const NameWithOptions& given) {
  return std::make_unique<LamportRecorder>(yes_or_no(given, "objects"));
}

}  // namespace orrery::detail
