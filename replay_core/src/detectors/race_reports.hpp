// A detector of data races whose reports say all that people ask of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/replay_core/detectors.hpp>

#include "schedules/packed_schedule.hpp"

namespace orrery::detail {

/// Lets another detector find, and does the run again where that is to be reported.  What it adds
/// is no part of what a finding is: a search never needs it.
class RaceReports final : public Detector {
 public:
  /// Of so many races of a run it is tried whether the order matters: that takes two runs each.
  static constexpr std::uint64_t tried_usually = 10;
  /// `name`: the finder's.
  RaceReports(std::unique_ptr<Detector> finder, std::string_view name,
              std::uint64_t tried = tried_usually)
      : finder_(std::move(finder)), name_(name), tried_max_(tried) {}

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override {
    return finder_->interest() | PackedSchedule::interest();
  }
  [[nodiscard]] bool is_quiet() const override { return finder_->is_quiet(); }
  void on_event(const Event& event) override { finder_->on_event(event); }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    finder_->on_task(task, predecessors);
  }
  void on_step(const Alternative& taken) override {
    schedule_.on_step(taken);
    if (finder_wants_schedule_) finder_->on_step(taken);
  }
  void on_choice(const ChoicePoint& point, std::size_t index) override {
    schedule_.on_choice(point, index);
    if (finder_wants_schedule_) finder_->on_choice(point, index);
  }
  void on_value(const ValueQuestion& question, std::uint64_t answer) override {
    schedule_.on_value(question, answer);
    finder_->on_value(question, answer);
  }
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override {
    finder_->on_accesses(task, accesses);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    finder_->on_freed(address, size_bytes);
  }
  void end_run(const Outcome& outcome) override;

  [[nodiscard]] std::vector<Finding> findings() const override;
  void examine(Reruns& reruns) override { finder_->examine(reruns); }
  void explain(Reruns& reruns) override;
  [[nodiscard]] std::vector<RaceAccesses> races() const override { return finder_->races(); }
  [[nodiscard]] std::vector<Finding> remarks() const override { return finder_->remarks(); }
  [[nodiscard]] std::vector<std::pair<std::string_view, std::uint64_t>> counts() const override {
    return finder_->counts();
  }
  [[nodiscard]] std::optional<Schedule> other_run() const override { return finder_->other_run(); }

 private:
  void tell_story(Reruns& reruns, std::size_t count);
  /// Has both accesses of each race be next at the same time, and go both ways.
  void try_both_ways(Reruns& reruns, std::size_t count);

  /// The others.
  void mark_untried(std::size_t tried);

  std::unique_ptr<Detector> finder_;
  std::string_view name_;
  std::size_t tried_max_;
  PackedSchedule schedule_;
  const Names* names_ = nullptr;
  std::vector<Finding> explained_;
  bool finder_wants_schedule_ = false;
  bool is_over_ = false;
};

}  // namespace orrery::detail
