// What the recorders that follow messages share: an observer, and its way into the log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/replay_core/recorders.hpp>

#include "open_outcome_keeper.hpp"
#include "recorded_tasks.hpp"

namespace orrery::detail {

/// One of them: watches by itself, and keeps what the others keep too.
class MessageRecorder : public Recorder, protected Observer {
 public:
  [[nodiscard]] Observer& observer() final { return *this; }
  [[nodiscard]] std::vector<RecordedBlock> blocks() const final;
  [[nodiscard]] std::string blind_spot() const override { return keeper_.blind_spot(); }
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const final;

 protected:
  /// What each of them keeps of its own.
  virtual void begin_records() = 0;
  virtual void on_message(const MatchingStep& step) = 0;
  virtual void add_records(MessageRecords&) const {}
  /// Of a receive, a probe or a send: it is complete, or a message was delivered.
  virtual void on_completion(const Event&) {}
  using Counts = std::vector<std::pair<std::string_view, std::uint64_t>>;
  /// Of what else there was.
  virtual void add_counts(Counts&) const {}
  /// What timestamps would add to the messages; nothing without timestamps.
  [[nodiscard]] virtual std::optional<std::uint64_t> timestamp_bytes() const { return {}; }
  [[nodiscard]] virtual EventMask own_interest() const { return EventMask::none(); }

  [[nodiscard]] OpenOutcomeKeeper& keeper() { return keeper_; }
  [[nodiscard]] const OpenOutcomeKeeper& keeper() const { return keeper_; }
  /// The rank that a task which has sent or received works for; -1: it has done neither.
  [[nodiscard]] std::int32_t rank_of(TaskId task) const { return keeper_.tasks().rank_of(task); }

 private:
  void begin_run(const RunInfo& info) final;
  [[nodiscard]] EventMask interest() const final {
    return keeper_interest_ | own_interest() | EventMask::tasks();
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) final {
    starters_.on_task(task, predecessors);
  }
  void on_matching(const MatchingStep& step) final;
  void on_event(const Event& event) final;
  void on_step(const Alternative& taken) final { keeper_.on_step(taken); }
  void on_value(const ValueQuestion& question, std::uint64_t answer) final {
    keeper_.on_value(question, answer);
  }
  void on_outcome(OperationId id, OperationKind kind, const OpenOutcome& outcome) final {
    keeper_.on_outcome(id, kind, outcome);
  }

  const EventMask keeper_interest_ = OpenOutcomeKeeper::interest();
  OpenOutcomeKeeper keeper_;
  TaskStarters starters_;
  std::uint64_t messages_ = 0;
  std::uint64_t receives_ = 0;
};

}  // namespace orrery::detail
