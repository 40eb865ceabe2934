// Message races, and whether they matter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "detectors.hpp"
#include "messages/message_history.hpp"
#include "messages/message_races.hpp"
#include "run_plan.hpp"
#include "schedules/run_trace.hpp"

namespace orrery::detail {

/// How far people want to see.
struct RaceOptions {
  std::uint64_t reruns_max = 40;
  bool compares_messages = true;  ///< else only what is seen from outside
};

/// What came of running a race the other way.
struct RaceTrial {
  enum class Verdict : std::uint8_t {
    not_run,
    not_shown,  ///< the receive got something else after all
    undecided,  ///< the other run was stopped at a limit
    benign,
    other_values,  ///< other messages were sent, and nothing came of it that is seen from outside
    harmful
  };
  Verdict verdict = Verdict::not_run;
  std::string difference;  ///< of these two
  FindingPlace where;
  std::string schedule;  ///< of these two: the other run, encoded
  [[nodiscard]] bool makes_difference() const { return verdict >= Verdict::other_values; }
};

/// The races of a run with the same three lines: the receive's and the sends'.
struct RaceGroup {
  std::uint64_t count = 0;
  std::vector<MessageRace> kept;    ///< some of them, evenly spread; all if there are few
  std::uint64_t stride = 1;         ///< every so many-th is kept
  std::vector<MessageRace> chosen;  ///< those that are to be run the other way
  std::vector<RaceTrial> trials;    ///< of the first of these
  void add(const MessageRace& race);
  /// The trial that speaks for the group: a harmful one, or else one with other values, or else the
  /// first that shows a race.
  [[nodiscard]] const RaceTrial* telling() const;
};

/// Finds the races of a run by happens-before (`find_message_races`), and then runs some of each
/// group the other way: what the receive depends on, in its order, then the receive with the other
/// message, then all the rest in its order as far as there still is such a rest.  What the program
/// does with what it got is compared (`RunTrace`).
class MessageRaceDetector final : public Detector {
 public:
  explicit MessageRaceDetector(RaceOptions options) : options_(options) {}

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_matching(const MatchingStep& step) override;
  void on_event(const Event& event) override;
  void on_step(const Alternative& taken) override;
  void on_choice(const ChoicePoint& point, std::size_t index) override;
  void on_value(const ValueQuestion& question, std::uint64_t answer) override;
  void end_run(const Outcome& outcome) override;

  void examine(Reruns& reruns) override;
  [[nodiscard]] std::vector<Finding> findings() const override;
  [[nodiscard]] std::vector<Finding> remarks() const override;
  [[nodiscard]] std::optional<Schedule> other_run() const override;

 private:
  struct Step {
    PlannedStep step;
    Epoch when;  ///< of a task's own
  };
  struct Trial {
    std::size_t group = 0;  ///< its number
    MessageRace race;
  };

  void make_groups();
  /// The first of each group, then the second of each, and so on.
  [[nodiscard]] std::vector<Trial> all_trials() const;
  [[nodiscard]] static std::size_t next_trial(const std::vector<Trial>& trials, std::size_t from,
                                              const std::set<std::size_t>& decided);
  [[nodiscard]] RaceTrial try_race(const MessageRace& race, const Reruns::Run& run,
                                   const std::function<void()>& tell_shown) const;
  [[nodiscard]] bool is_in_past(const Step& step, const VectorClock& past) const;
  [[nodiscard]] std::vector<PlannedStep> plan(const MessageRace& race) const;
  [[nodiscard]] PlannedAnswers answers(const MessageRace& race) const;
  [[nodiscard]] Finding describe(const RaceGroup& group, const RaceTrial& trial) const;
  [[nodiscard]] FindingPlace place_of(PlaceNumber place, TaskId task, std::string role) const;
  [[nodiscard]] FindingPlace send_place(const SentMessage& message, const char* role) const;
  [[nodiscard]] const SentMessage& message(std::uint32_t number) const {
    return history_.messages()[number];
  }

  RaceOptions options_;
  const Names* names_ = nullptr;
  MessageHistory history_;
  RunTrace trace_;
  std::vector<Step> steps_;
  PlannedAnswers answers_;
  std::vector<RaceGroup> groups_;
  std::string failure_;  ///< why races could not be run the other way; empty: they could
  bool has_ended_ = false;
};

}  // namespace orrery::detail

namespace orrery {
[[nodiscard]] std::unique_ptr<Detector> make_message_race_detector(const NameWithOptions& options);
}  // namespace orrery
