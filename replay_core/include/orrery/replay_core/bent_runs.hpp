// Recorded runs that are made to go another way: what if these two messages had come the other way
// round?
//
// The idea is event manipulation: a user exchanges events of a recorded run, and the replay follows
// the record up to there and is left to itself from there on (Kranzlmueller, "Event graph analysis
// for debugging massively parallel programs", PhD thesis, Linz 2000, which the paper 004 builds on
// and names as its own next step).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/message_records.hpp>
#include <orrery/replay_core/schedule.hpp>
#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// A wish: how a recorded run is to go otherwise.
struct Bend {
  enum class Kind : std::uint8_t {
    takes,  ///< the receive or probe `first` gets the message that the operation `second` sends
    before  ///< the operation `first` comes before the operation `second`
  };
  Kind kind = Kind::takes;
  OperationId first;
  OperationId second;
  std::string where;  ///< who says so, for errors: `order.txt:3`
  friend bool operator==(const Bend&, const Bend&) = default;
};

/// `receive 1.5 takes 3.2` or `1.4 before 2.8`: a line of a file of bends.
[[nodiscard]] std::string text(const Bend& bend);
/// A file of bends: such lines; empty ones, and what follows a `#`, say nothing.  Throws
/// `UsageError` with the line for anything else, and for a file that says nothing at all.
[[nodiscard]] std::vector<Bend> parse_bends(std::string_view content, const std::string& path);

/// In which order the steps of a recorded run are to be taken so that it is bent.
struct BendPlan {
  struct Range {  ///< of the recorded run's steps; from `steps_recorded` on those of `added`
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  std::vector<Range> order;
  std::uint64_t steps_recorded = 0;
  /// Deliveries that the recorded run did not come to: the sends.
  std::vector<OperationId> added;
  /// So many steps at the beginning are the recorded run's: they are taken before anything is bent.
  std::uint64_t steps_followed = 0;
  std::vector<Bend> bends;
  /// Who started the recorded run's tasks 1, 2, ...: numbers follow the order in which tasks start,
  /// which bending changes.
  std::vector<TaskId> starters;
  std::vector<RunAnswer> run_answers;  ///< to questions that are asked once for the whole run
  /// A call that reported some of several requests, by their places among these.
  struct Selection {
    OperationId call;
    std::uint32_t among = 0;
    std::vector<std::uint32_t> reported;
    friend bool operator==(const Selection&, const Selection&) = default;
  };
  /// By call, of the steps followed: what others of their requests had come to by then may come
  /// later now, and answers about what is left out count those as well.
  std::vector<Selection> selections;
};

/// Watches a recorded run, and then says how it can be bent.
///
///     orrery::BendPlanner planner;
///     simulation.run(program, replayer, {&planner});
///     const orrery::BendPlan plan = planner.plan({planner.swap(1, "--swap")});
class BendPlanner final : public Observer {
 public:
  BendPlanner();
  ~BendPlanner() override;
  BendPlanner(const BendPlanner&) = delete;
  BendPlanner& operator=(const BendPlanner&) = delete;

  /// The run goes no further; called by `end_run`, or by whoever leaves it, while its names are
  /// still valid.
  void leave();
  /// How many pairs of messages race: numbers of `EventGraph::races`, from 1 to this one.
  [[nodiscard]] std::size_t race_count() const;
  /// The receive of race `number`, from 1 on, gets the other message.  Throws `UsageError`.
  [[nodiscard]] Bend swap(std::uint64_t number, const std::string& where) const;
  /// Throws `UsageError` for what is not in the run or cannot be: what it takes to get there is
  /// then shown operation by operation, each with its line.  Bends count in their order.
  [[nodiscard]] BendPlan plan(const std::vector<Bend>& bends) const;
  /// The send whose message the receive or probe got; nothing: it is none, or got none.
  [[nodiscard]] std::optional<OperationId> message_of(OperationId receive) const;
  /// `rank 0 (MPI_Recv, app.c:12)`; only the task of one that nothing more is known of.
  [[nodiscard]] std::string describe(OperationId operation) const;

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override;
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_step(const Alternative& taken) override;
  void on_matching(const MatchingStep& step) override;
  void on_event(const Event& event) override;
  void on_outcome(OperationId operation, OperationKind kind, const OpenOutcome& outcome) override;
  void on_value(const ValueQuestion& question, std::uint64_t answer) override;
  void end_run(const Outcome& outcome) override;

 private:
  class Maker;
  std::unique_ptr<Maker> maker_;
};

/// Makes a run go as planned.  Up to where it is bent it admits only the recorded steps.  From
/// there on it prefers what is left of the record, in its order: a step that cannot come is left
/// out, and taken when it can; what the record does not have comes as it comes.  Questions get the
/// answers that the record has for the operations that ask them.  A bend holds all the time.
///
///     orrery::BentChooser chooser(schedule, plan);
///     simulation.run(program, chooser, {&chooser});
///     if (chooser.unmet()) print(*chooser.unmet());
class BentChooser final : public Chooser, public Observer {
 public:
  /// Both must outlive it; `schedule` is the recorded run's.
  BentChooser(const Schedule& schedule, const BendPlan& plan);
  ~BentChooser() override;
  BentChooser(const BentChooser&) = delete;
  BentChooser& operator=(const BentChooser&) = delete;

  /// After a run: which bend did not come about, and why; nothing: all did.
  struct Unmet {
    std::size_t bend = 0;  ///< its place in the plan
    std::string why;
  };
  [[nodiscard]] std::optional<Unmet> unmet() const;
  /// So many steps were those of the record, and as many of the record could not come.
  [[nodiscard]] std::uint64_t steps_kept() const;
  [[nodiscard]] std::uint64_t steps_left_out() const;

  // Chooser
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& alternative) override;
  void took(const Alternative& alternative) override;
  const OpenOutcome* expects(OperationId id, const Operation& operation) override;
  Decision choose(const ChoicePoint& point) override;
  std::uint64_t choose_value(const ValueQuestion& question) override;
  bool gives_way(const PendingOperations& pending) override;
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) override;
  // Observer
  [[nodiscard]] EventMask interest() const override {
    return EventMask::matching() | EventMask::tasks();
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override;
  void on_matching(const MatchingStep& step) override;
  /// Both.
  void end_run(const Outcome& outcome) override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace orrery
