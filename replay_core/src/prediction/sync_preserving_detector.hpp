// Data races of other runs, predicted from one.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/replay_core/detectors.hpp>
#include <orrery/replay_core/fasttrack.hpp>

#include "race_trials.hpp"

namespace orrery::detail {

/// The class of its findings.
inline constexpr std::string_view other_run_class = "other order";

/// Keeps the trace of a run, predicts the races of the runs that keep the order of each lock
/// (`SyncIdeal`), and does a run of each: what is found has happened in one, or nothing orders it
/// in this run already.
class SyncPreserving final : public Detector {
 public:
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override {
    return run_.interest() | of_this_run_.interest();
  }
  [[nodiscard]] bool is_quiet() const override { return true; }
  void on_event(const Event& event) override {
    run_.on_event(event);
    of_this_run_.on_event(event);
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    run_.on_task(task, predecessors);
    of_this_run_.on_task(task, predecessors);
  }
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override {
    run_.on_accesses(task, accesses);
    of_this_run_.on_accesses(task, accesses);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    run_.on_freed(address, size_bytes);
    of_this_run_.on_freed(address, size_bytes);
  }
  void on_step(const Alternative& taken) override { run_.on_step(taken); }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    run_.on_choice(point, index);
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    run_.on_value(question, answer);
  }
  void end_run(const Outcome& outcome) override;
  void examine(Reruns& reruns) override;
  /// Of a run that has not come to its end, as one that dies: what nothing orders in it.
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::vector<RaceAccesses> races() const override { return accesses_; }
  [[nodiscard]] std::vector<Finding> remarks() const override;
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override;

 private:
  struct Candidate {
    Finding finding;
    RaceAccesses accesses;
    std::vector<PredictedRace> races;  ///< at these lines; until one is shown
  };
  void predict();
  void add(const PredictedRace& race);
  void take_races_of_this_run(const std::vector<const Candidate*>& open);
  void confirm(const Candidate& candidate);

  TracedRun run_;
  FastTrack of_this_run_;  ///< races that take no other order of locks
  const Names* names_ = nullptr;
  std::vector<Candidate> candidates_;
  std::vector<Finding> confirmed_;
  std::vector<Finding> unconfirmed_;
  std::vector<RaceAccesses> accesses_;
  std::uint64_t pairs_ = 0;  ///< looked at
  bool is_whole_ = true;
  bool is_over_ = false;
};

}  // namespace orrery::detail

namespace orrery {

[[nodiscard]] std::unique_ptr<Detector> make_sync_preserving();

}  // namespace orrery
