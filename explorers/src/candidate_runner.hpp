// Runs one candidate after the other for the shrinker, in a process of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "child_process.hpp"
#include "delays.hpp"
#include "deviations.hpp"
#include "run_session.hpp"
#include "shared_mapping.hpp"
#include "strategy.hpp"
#include "turns.hpp"

namespace orrery::detail {

/// How a candidate's questions are to be answered.
struct CandidateRequest {
  enum class Kind : std::uint8_t {
    schedule,
    shared_schedule,
    replay,
    deviations,
    exhaustive,
    bounded_random,
    turns,
    polling_turns,
    delays
  };
  Kind kind = Kind::deviations;
  Deviations deviations;  ///< for `deviations`; for turns: to other questions
  TurnsOfRun turns;       ///< for `turns` and `polling_turns`
  Delays delays;          ///< for `delays`
  /// For `schedule` (followed), `shared_schedule` (followed where tasks may stop at more accesses)
  /// and `replay` (strict).
  const Schedule* schedule = nullptr;
  std::uint64_t preemptions = 0;  ///< the bound of the searches
  std::uint64_t steps = 0;        ///< how long runs are about, for `bounded_random`
  std::uint64_t index = 0;        ///< which run of the search, for `bounded_random`
  bool wants_timeline = false;
  /// Nobody will take a run that does not cost less: observers do no further runs for it, and may
  /// tell less of what they have found.
  std::optional<RunCost> below;
};

/// What came of it.
struct CandidateResult {
  std::vector<Finding> findings;
  std::string output;
  std::string timeline;  ///< where asked for; as far as it got if the run died
  /// With a timeline, of a run that came to its end: what `TimersAhead` tells of it.
  std::string timers_ahead;
  Deviations deviations;
  RunCost cost;
  std::optional<Schedule> other_run;
};

/// Answers requests one after the other.  Isolated, it forks a worker when one is first needed and
/// again when that has died or hangs.
class CandidateRunner {
 public:
  /// All runs have this seed and index, so that bulk data stays what it was.
  CandidateRunner(RunSetup setup, const Program& program, std::uint64_t seed,
                  std::uint64_t run_index, bool isolate);
  ~CandidateRunner();
  CandidateRunner(const CandidateRunner&) = delete;
  CandidateRunner& operator=(const CandidateRunner&) = delete;

  CandidateResult run(const CandidateRequest& request);
  /// Of all further runs.
  void set_step_limit(std::uint64_t steps);
  /// The choices of the last run.
  [[nodiscard]] Schedule schedule() const;
  /// Begins an exhaustive search with at most so many preemptions, whose runs are asked for one by
  /// one.
  void begin_exhaustive(std::uint64_t preemptions);
  /// Moves it on after a run; false at its end.
  bool next_exhaustive();

 private:
  class Loop;

  void start();
  void stop();
  /// Nothing if the worker died over it.
  std::optional<Message> ask(const Message& request);

  RunSetup setup_;
  const Program& program_;
  std::uint64_t seed_;
  std::uint64_t run_index_;
  bool isolate_;
  SharedMapping crash_;
  SharedMapping recording_;
  SharedMapping tally_;
  SharedMapping timeline_;
  SharedMapping walk_;
  std::unique_ptr<Strategy> exhaustive_;
  std::unique_ptr<ChildProcess> process_;
  int request_fd_ = -1;
  bool is_hung_ = false;
  std::unique_ptr<Loop> here_;  // without isolation
};

}  // namespace orrery::detail
