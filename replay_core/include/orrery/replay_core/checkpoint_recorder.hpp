// Divides a run into intervals of its ranks while it goes, and keeps what it takes to replay one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/network_model/virtual_time.hpp>
#include <orrery/replay_core/interval_events.hpp>
#include <orrery/replay_core/intervals.hpp>
#include <orrery/replay_core/process_image.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/sim_runtime/checkpointer.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// When a rank's next interval begins.  Besides, where the program asks for it.
struct CheckpointSchedule {
  std::uint64_t operations = 0;  ///< after so many sends, receives and waits of it; 0: never
  VirtualDuration period{};      ///< after so much time; zero: never
};
/// `8` operations, a period (`20ms`), or `asked`: only where the program asks.  Throws
/// `UsageError`, which names `where`.
[[nodiscard]] CheckpointSchedule checkpoint_schedule(std::string_view text,
                                                     const std::string& where);

/// What the recorder has others do.  All have to be there.
struct CheckpointActions {
  /// Saves an image of the process: `ImageWriter::save`; `lost` where there are to be none.
  std::function<SavedImage(const IntervalId&)> save;
  /// Of a rank that is about to begin an operation, or has ended.
  std::function<std::uint64_t(std::int32_t rank)> hash_memory;
  /// Adds a block to the log, at once.
  std::function<void(const RecordedBlock&)> keep;
  /// In a process that was restored from an image of that interval's beginning: called instead of
  /// going on with the recording.  When it returns the rank begins the operation.
  std::function<void(const IntervalId&, int descriptor)> go_on;
  /// What ranks have done without messages that only their host can see, in words; empty: nothing.
  std::function<std::string()> unseen;
  /// Throws: no part of the run could be replayed, for that reason.
  std::function<void(const std::string& why)> refuse;
};

/// Watches a run beside the recorder of its method, and is its `Checkpointer`.  Whatever is known
/// of a run is in its log when an interval begins; `load_run` makes a `CheckpointedRun` of it, also
/// of a log that was cut.
///
///     orrery::CheckpointRecorder recorder(schedule, orrery::MessageLogging::dominoes, actions);
///     simulation.set_checkpointer(&recorder);
///     simulation.start(program, chooser, {&method.observer(), &recorder});
class CheckpointRecorder final : public Observer, public Checkpointer {
 public:
  CheckpointRecorder(CheckpointSchedule schedule, MessageLogging logging,
                     CheckpointActions actions);
  ~CheckpointRecorder() override;

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_matching(const MatchingStep& step) override;
  void on_event(const Event& event) override;
  void on_step(const Alternative& taken) override;
  void on_value(const ValueQuestion& question, std::uint64_t answer) override;
  void on_outcome(OperationId id, OperationKind kind, const OpenOutcome& outcome) override;
  void end_run(const Outcome& outcome) override;
  /// Writes down what there is of intervals that have not ended: for a run that dies.  Once.
  void conclude();

  void before_operation(const ComingOperation& coming) override;
  void rank_ended(std::int32_t rank, OperationId last) override;
  void checkpoint_asked(std::int32_t rank) override;
  void goes_beyond_messages(std::int32_t rank, const std::string& what) override;
  void sent(const CarriedMessage& message) override;
  void reached(const CarriedMessage& message, OperationId receiver) override;

  // What a restored process goes on with.
  /// As the method `wildcards` keeps them, so far.
  [[nodiscard]] MessageRecords records() const;
  [[nodiscard]] std::vector<OpenReceive> open_receives() const;
  [[nodiscard]] IntervalEvents& events(std::int32_t rank);

  /// What the run has done that no interval can be replayed with, in words; empty: nothing.
  [[nodiscard]] std::string blind_spot() const;
  /// How much there was, by name.
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace orrery
