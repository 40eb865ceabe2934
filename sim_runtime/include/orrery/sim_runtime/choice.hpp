// The seam: everything that could have gone otherwise passes here.
//
// Explorers choose, replays constrain, observers (observer.hpp) watch.  See docs/seam.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <orrery/sim_runtime/ids.hpp>
#include <orrery/sim_runtime/memory_range.hpp>
#include <orrery/sim_runtime/operation.hpp>

namespace orrery {

struct Outcome;

/// What a question is about.  The numbers are part of the log format.
enum class ChoiceKind : std::uint8_t {
  step = 0,  ///< what happens next: a task's operation, a delivery, a deadline
  message,   ///< which of several matching messages a receive or probe takes
  waiter,    ///< which sleeper a notification wakes
  request,   ///< which of several completed requests a select or test reports
  spurious,  ///< does a sleeper wake without being notified?
  fault,     ///< does a fault strike?
  value,     ///< a draw: see `ValueQuestion`
  jitter,    ///< a draw of the network's: how much later is a message?  A run under another network
             ///< may have others, or none, and be the same
  input,     ///< no choice: what was measured outside, low and high; a replay answers what was then
  clock,  ///< no choice: the date that a program reads off a clock, in picoseconds, low and high;
          ///< a replay answers what was read then
};
[[nodiscard]] std::string_view name(ChoiceKind kind);

/// One answer to a question.
struct Alternative {
  OperationId id;     ///< step: the operation (deliver: the send's); message: the send; waiter: the
                      ///< sleeper's wait; request: the operation that started the request
  OperationId asker;  ///< the operation on whose behalf it is asked; for a step the same as `id`
  ObjectId object;    ///< what the operation acts on
  OperationKind kind = OperationKind::none;  ///< the operation, `deliver`, `timeout` or `transfer`
  std::uint32_t weight = 1;                  ///< relative likelihood for random choosers
  bool is_unshared = false;                  ///< step: `Operation::is_unshared`
  friend constexpr bool operator==(const Alternative&, const Alternative&) = default;
};

/// How a task stands, for choosers that look ahead.
enum class TaskState : std::uint8_t { enabled, disabled, polling, sleeping, ended };

struct ChoicePoint;

/// What every parked task is about to do, enabled or not.  A view that is valid during a call.
class PendingOperations {
 public:
  virtual ~PendingOperations() = default;
  [[nodiscard]] virtual std::size_t task_count() const = 0;
  [[nodiscard]] virtual const Operation& operation(TaskId task) const = 0;
  [[nodiscard]] virtual OperationId id(TaskId task) const = 0;
  [[nodiscard]] virtual TaskState state(TaskId task) const = 0;
  /// The date since which, or from which on, the task's operation may run.
  [[nodiscard]] virtual VirtualTime ready_date(TaskId task) const = 0;
  /// See `ChoicePoint::default_index`.
  [[nodiscard]] virtual std::size_t default_index(const ChoicePoint&) const { return 0; }
};

/// A question.
struct ChoicePoint {
  ChoiceKind kind = ChoiceKind::step;
  OperationId asker;  ///< what asks: for a step, the last operation of `current`
  std::span<const Alternative> alternatives;  ///< at least two; order deterministic, not sorted
  TaskId current;                             ///< the task that ran last
  bool current_is_enabled = false;            ///< choosing another task now is a preemption
  bool current_has_yielded = false;  ///< a poll of `current` has just failed: lower its priority
  std::uint64_t step = 0;            ///< steps taken so far in this run
  std::uint64_t question =
      0;  ///< a key for draws: unique in the run, and unmoved by other questions
  VirtualTime now;
  const PendingOperations& pending;

  /// The undisturbed answer: the current task goes on; else the earliest date, then the lowest id;
  /// last, who would wake unnotified.  Messages and waiters: the oldest.  O(alternatives).
  [[nodiscard]] std::size_t default_index() const { return pending.default_index(*this); }
};

/// A draw in [low, high]; `weights`, where not empty, has one entry a value, and an answer without
/// weight counts as `low`.  Never a list of alternatives, so a range of 2^64 costs nothing.
struct ValueQuestion {
  OperationId asker;
  std::uint64_t question = 0;  ///< a key for draws, as in `ChoicePoint`
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::span<const std::uint32_t> weights;
  ChoiceKind kind = ChoiceKind::value;
  bool is_of_run = false;  ///< asked once for the whole run, by whoever comes first
};

/// The key of an `input`: does a program's own wait on a word of memory sleep (1), or does the word
/// hold something else (0)?  Real threads may change it without being seen.
inline constexpr std::uint64_t futex_question = 0x66757465785f7761;

/// Is it none that anybody chooses: what came from outside the run, and comes from the log in a
/// replay?
[[nodiscard]] constexpr bool is_input(ChoiceKind kind) {
  return kind == ChoiceKind::input || kind == ChoiceKind::clock;
}

/// May the question be answered so?  An input is whatever it was when the run was recorded.
[[nodiscard]] constexpr bool admits_answer(const ValueQuestion& question, std::uint64_t answer) {
  const bool is_in_range = answer >= question.low && answer <= question.high;
  return is_in_range || is_input(question.kind);
}

/// How an operation went whose result is open although nothing is asked: a poll that finds
/// something or does not, a wait that reports some of several requests, a cancellation that comes
/// in time or too late, a deadline that wins.  Follows from the order of steps; whoever keeps less
/// than that order keeps these.
struct OpenOutcome {
  bool succeeded = false;  ///< of what has a deadline: it did not win
  /// Of a `select`, and of a `test` for any or some: how many requests it was about, and which of
  /// these it has reported, counted from 0, ascending.
  std::uint32_t among = 0;
  std::span<const std::uint32_t> reported = {};
  /// Of a `cancel`: the operation that began what it is about.
  OperationId about = {};
};

/// An answer: take one alternative, or abandon the run (for searches that know it is redundant).
struct Decision {
  std::size_t index = 0;
  bool abandon_run = false;
  static constexpr Decision take(std::size_t index) { return {index, false}; }
  static constexpr Decision abandon() { return {0, true}; }
};

/// What a chooser learns before the first question.
struct RunInfo {
  std::uint64_t seed = 0;
  std::uint64_t run_index = 0;
  VirtualDuration window;              ///< the reorder window; `max()` for "any order"
  const class Names* names = nullptr;  ///< names of tasks and objects (names.hpp)
  const class PendingOperations* pending = nullptr;  ///< as of any moment of the run
};

/// Who answers: explorers and replays.  Answers may depend on nothing but the strategy, the seed,
/// the run's index and the questions so far.  One chooser serves one run at a time.
///
///     class First final : public orrery::Chooser {
///       orrery::Decision choose(const orrery::ChoicePoint&) override { return Decision::take(0); }
///     };
class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual void begin_run(const RunInfo&) {}
  /// May `admits` ever say no?  Asked once, after `begin_run`; a chooser that answers false costs
  /// nothing where there is no question.
  [[nodiscard]] virtual bool constrains() const { return false; }
  /// "Not yet" is an answer too.  Asked whenever an alternative comes up, even alone; what is
  /// withheld is asked again after each step.  Withheld steps do not hold the clock back.
  virtual bool admits(const Alternative&) { return true; }
  /// A step was taken, asked or not.  Only for choosers that constrain: they must know when to
  /// admit the next one, and a step that is left alone is taken without a question.
  virtual void took(const Alternative&) {}
  /// An operation begins that takes a message or has an open outcome (`receive`, `post_receive`,
  /// `probe`, `try_probe`, `test`, `select`, `cancel`, whatever has a deadline).  Only for choosers
  /// that constrain: they may say how it has to go, and the machine then waits until it can, or has
  /// it fail.  Null: as it comes.  Valid until the next call.
  virtual const OpenOutcome* expects(OperationId, const Operation&) { return nullptr; }
  /// Memory of an unchanged program before whose accesses it wants to be asked, whatever the
  /// machine's `preemption` is.  Such a stop is a step of kind `read` or `write` without a number
  /// of its own: its id is that of the task's last operation.  Asked once, after `begin_run`.
  [[nodiscard]] virtual std::span<const MemoryRange> stops() const { return {}; }
  virtual Decision choose(const ChoicePoint& point) = 0;
  /// Default: the low end.
  virtual std::uint64_t choose_value(const ValueQuestion& question) { return question.low; }
  /// Nothing that is admitted is to come, but for sleepers who must not wake by themselves (below).
  /// True: it has changed its mind, ask again about what is withheld.  Must not say so for ever.
  virtual bool gives_way(const PendingOperations&) { return false; }
  /// Nobody can go on but sleepers who would wake without a notification: may they
  /// (`SimulationOptions::spurious_wakeups`)?  False: not before the next date; without
  /// one that is a deadlock, as where nobody wakes so.  Default: who withholds admits what may be.
  [[nodiscard]] virtual bool lets_sleepers_wake() const { return constrains(); }
  /// Everything is withheld and nothing is to come: what had been expected, for the finding of
  /// kind `divergence`.  `pending` shows what came instead.
  [[nodiscard]] virtual std::string explain_divergence(const PendingOperations&) { return {}; }
  virtual void end_run(const Outcome&) {}
};

}  // namespace orrery
