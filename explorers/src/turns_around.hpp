// The neighbours of a recorded run, as turns that its tasks take.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/choice.hpp>

#include "recorded_answers.hpp"
#include "task_places.hpp"
#include "turns.hpp"

namespace orrery::detail {

/// Gives a run's tasks its turns, or other ones near them: for runs that nobody can have again by
/// answering their questions, since real threads poll on where nothing has happened.
class TurnsAround final : public Chooser {
 public:
  explicit TurnsAround(const Schedule& schedule)
      : recorded_(turns_of(schedule, &cuts_)), answers_(schedule) {}

  /// Run 0 is the recorded one.  In each of the next ones a turn comes sooner, at another place in
  /// the one before it, the last place first; then two changes are drawn at random, three, ...
  void begin(const RunInfo& info, std::uint64_t run);

  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& one) override { return taker_->admits(one); }
  void took(const Alternative& taken) override {
    taker_->took(taken);
    places_.on_step(taken);
  }
  bool gives_way(const PendingOperations& pending) override { return taker_->gives_way(pending); }
  [[nodiscard]] bool lets_sleepers_wake() const override { return taker_->lets_sleepers_wake(); }
  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override;

 private:
  [[nodiscard]] Turns turns_of_run(const RunInfo& info, std::uint64_t run) const;

  std::vector<TurnCut> cuts_;  ///< of the recorded run, which tells them
  TurnsOfRun recorded_;
  RecordedAnswers answers_;  ///< to questions that are not for the next step
  TaskPlaces places_;
  std::unique_ptr<Chooser> taker_;  ///< of this run
};

}  // namespace orrery::detail
