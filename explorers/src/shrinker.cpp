#include "shrinker.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "candidate_runner.hpp"
#include "keyed_draw.hpp"
#include "progress.hpp"
#include "shrink_budget.hpp"
#include "turns.hpp"

namespace orrery {
namespace {

using detail::CandidateRequest;
using detail::CandidateResult;
using detail::Deviation;
using detail::Deviations;
using detail::ShrinkBudget;
using detail::TurnOrder;
using detail::Turns;
using detail::TurnsOfRun;

/// Runs that one bound on preemptions may cost, each for the systematic and the random search.
constexpr std::uint64_t runs_per_bound = 300;

/// A run with more than these is taken as turns first, and looked for with less than those.
constexpr std::uint64_t few_preemptions = 32;
constexpr std::uint64_t bounds_tried_first = 4;

/// A run whose tasks stop at all accesses may have so many times the steps, and more is too many.
constexpr std::uint64_t all_accesses_max = 10;

class Shrinking {
 public:
  Shrinking(const Schedule& schedule, const Finding& finding, const Program& program,
            const ShrinkOptions& options)
      : options_(options),
        finding_(finding),
        program_(program),
        runner_(runner_with(options.simulation.preemption)),
        budget_(options),
        progress_(options) {
    result_.schedule = schedule;
    result_.preemption = options.simulation.preemption;
  }

  ShrinkResult run() {
    make_small();
    if (polls_are_cheaper()) {
      polling_->runs = result_.runs;
      result_ = *polling_;
    }
    result_.was_cut_short = result_.reproduced && !has_budget();
    return result_;
  }

 private:
  void make_small() {
    if (!reproduce() || !may_deviate_) return;
    const bool has_many = polls_on_ || result_.after.preemptions > few_preemptions;
    if (has_many) {
      stop_at_all_accesses();
      take_turns_together();
      delay_tasks();
      walk_turns(budget_.half());
    }
    // To take hundreds away one by one is all that there would be time for.
    if (result_.after.preemptions > few_preemptions) lower_preemptions(bounds_tried_first);
    drop_deviations();
    // Of several that none can go alone, one may be there for what another has done.
    constexpr std::uint64_t hardly_any_preemptions = 2;
    const bool is_taken_together = !has_many && result_.after.preemptions > hardly_any_preemptions;
    if (is_taken_together) take_turns_together();
    lower_preemptions(result_.after.preemptions);
    // Turns that were taken together begin with whoever came first in the run as it was.
    if (is_taken_together && !polls_on_) search_systematically(result_.after.preemptions);
    // Fewer are looked for in the run as it is first: that keeps what else it has.
    if (!has_many) delay_tasks();
    if (result_.after.preemptions > (has_many ? 0 : hardly_any_preemptions)) {
      walk_turns(budget_.all());
      drop_deviations();
    }
    lower_values();
  }
  [[nodiscard]] std::unique_ptr<detail::CandidateRunner> runner_with(Preemption preemption) const {
    SimulationOptions machine = options_.simulation;
    machine.preemption = preemption;
    detail::RunSetup setup{machine,         options_.observers, options_.observer_findings,
                           false,           options_.examine,   {},
                           options_.isolate};
    return std::make_unique<detail::CandidateRunner>(std::move(setup), program_, machine.seed,
                                                     machine.run_index, options_.isolate);
  }

  [[nodiscard]] bool has_budget() const { return budget_.all().has_some(); }

  /// Does it take hardly more steps than a run?
  [[nodiscard]] static bool is_in_reach(const CandidateResult& candidate, const RunCost& of) {
    constexpr std::uint64_t longer_max = 2;
    return candidate.cost.steps <= longer_max * of.steps;
  }

  CandidateResult attempt(const CandidateRequest& request) {
    progress_.show(result_);
    budget_.note_run();
    result_.runs = budget_.runs();
    return runner_->run(request);
  }
  CandidateResult attempt(const Deviations& deviations, std::optional<RunCost> below = {}) {
    CandidateRequest request;
    request.deviations = deviations;
    request.below = below;
    return attempt(request);
  }
  [[nodiscard]] bool fails_as_before(const CandidateResult& candidate) const {
    return std::any_of(candidate.findings.begin(), candidate.findings.end(),
                       [this](const Finding& one) { return one.is_same_as(finding_); });
  }

  /// Takes the candidate if it fails in the same way and is no worse.
  bool accept(const CandidateResult& candidate, bool may_be_equal = false) {
    if (!fails_as_before(candidate)) return false;
    if (result_.after < candidate.cost) return false;
    if (!may_be_equal && !(candidate.cost < result_.after)) return false;
    keep(candidate);
    return true;
  }
  void keep(const CandidateResult& candidate) { keep(candidate, runner_->schedule()); }
  void keep(const CandidateResult& candidate, Schedule schedule) {
    best_ = candidate.deviations;
    result_.after = candidate.cost;
    result_.schedule = std::move(schedule);
    result_.output = candidate.output;
    result_.others.clear();
    bool is_taken = false;
    for (const Finding& one : candidate.findings) {
      if (!is_taken && one.is_same_as(finding_)) {
        result_.finding = one;
        is_taken = true;
      } else {
        result_.others.push_back(one);
      }
    }
    if (options_.on_better && !polls_are_cheaper()) options_.on_better(result_);
  }

  /// Runs what was given, then the same as a set of deviations, or as turns.
  bool reproduce() {
    bound_steps(result_.schedule.steps() + result_.schedule.entries_lost);
    CandidateRequest request;
    request.kind = CandidateRequest::Kind::schedule;
    const Schedule given = result_.schedule;
    request.schedule = &given;
    const CandidateResult again = attempt(request);
    if (!fails_as_before(again)) return reproduce_strictly(given);
    result_.reproduced = true;
    result_.before = reach_ = again.cost;
    keep(again);
    // A program that depends on more than its choices may not fail as a set of deviations.
    may_deviate_ = fails_as_before(attempt(again.deviations));
    return true;
  }

  /// Which accesses are shared, and so how many operations a task has done where, another order of
  /// turns changes, and none could be moved.
  void stop_at_all_accesses() {
    if (result_.preemption != Preemption::shared) return;
    auto stops_at_fewer = std::exchange(runner_, runner_with(Preemption::all));
    bound_steps(all_accesses_max * result_.schedule.steps());
    CandidateRequest request;
    request.kind = CandidateRequest::Kind::shared_schedule;
    const Schedule given = result_.schedule;
    request.schedule = &given;
    const CandidateResult again = attempt(request);
    const Schedule schedule = runner_->schedule();
    const bool is_that_run =
        fails_as_before(again) && again.cost.preemptions <= result_.after.preemptions;
    const CandidateResult by_deviations = is_that_run ? attempt(again.deviations) : again;
    if (!is_that_run || !fails_as_before(by_deviations)) {
      runner_ = std::move(stops_at_fewer);
      return;
    }
    result_.preemption = Preemption::all;
    reach_ = again.cost;
    const Schedule deviating = runner_->schedule();
    keep(again, schedule);
    if (by_deviations.cost < result_.after) keep(by_deviations, deviating);
  }

  /// Real threads poll again although nothing has happened, which a run that is left to itself does
  /// not; a strict replay has them do so.
  bool reproduce_strictly(const Schedule& given) {
    CandidateRequest request;
    request.kind = CandidateRequest::Kind::replay;
    request.schedule = &given;
    CandidateResult again = attempt(request);
    if (!fails_as_before(again)) return false;
    again.cost = with_switches(again.cost, given);
    result_.reproduced = true;
    result_.before = reach_ = again.cost;
    keep(again);
    may_deviate_ = true;
    polls_on_ = true;
    leave_polls_if_possible();
    return true;
  }
  /// Who is withheld is not asked about, so a run with all its polls deviates as often as it
  /// switches.
  [[nodiscard]] static RunCost with_switches(const RunCost& cost, const Schedule& schedule) {
    const std::size_t turns = detail::turns_of(schedule).turns.size();
    return {cost.preemptions, turns == 0 ? 0 : turns - 1, cost.reordered, cost.steps};
  }
  /// From a run that fails as before without polls in vain one can go on by deviations.  It may
  /// cost more, but many of the switches of the other one cannot be taken away: one waits for the
  /// other.
  void leave_polls_if_possible() {
    if (!polls_on_) return;
    polls_on_ = false;
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    const CandidateResult candidate =
        attempt(detail::turns_of(result_.schedule), RunCost{any, any, any, any});
    polls_on_ = !fails_as_before(candidate) || !is_in_reach_of_first(candidate);
    if (polls_on_) return;
    polling_ = result_;
    keep(candidate);
  }
  [[nodiscard]] bool polls_are_cheaper() const {
    return polling_ && polling_->after < result_.after;
  }

  /// A candidate that takes many times the steps of the run spins, and each would do so for as long
  /// as a run may.
  void bound_steps(std::uint64_t steps) {
    constexpr std::uint64_t longer_max = 20;
    constexpr std::uint64_t steps_min = 2000;
    const std::uint64_t bound = std::max(longer_max * steps, steps_min);
    if (bound < options_.simulation.step_limit) runner_->set_step_limit(bound);
  }

  /// Delta debugging: takes away ever smaller parts of the deviations while the run still fails.
  void drop_deviations() {
    if (best_.empty() || !has_budget() || accept(attempt(Deviations{}, result_.after))) return;
    std::size_t parts = 2;
    while (best_.size() >= 2 && has_budget()) {
      parts = std::min(parts, best_.size());
      if (drop_one_part(parts)) {
        parts = std::max<std::size_t>(parts - 1, 2);
      } else if (parts == best_.size()) {
        return;
      } else {
        parts *= 2;
      }
    }
  }
  /// Tries the run without each of the parts; the latest deviations first, since those that come
  /// after the bug are the cheapest to lose.
  bool drop_one_part(std::size_t parts) {
    const Deviations whole = best_;
    for (std::size_t part = parts; part-- > 0 && has_budget();) {
      const std::size_t from = whole.size() * part / parts;
      const std::size_t to = whole.size() * (part + 1) / parts;
      Deviations rest(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(from));
      rest.insert(rest.end(), whole.begin() + static_cast<std::ptrdiff_t>(to), whole.end());
      if (accept(attempt(rest, result_.after))) return true;
    }
    return false;
  }

  // A run as turns: who ran, and until which operation of its own (Jalbert and Sen, "A trace
  // simplification technique for effective debugging of concurrent programs", FSE 2010).  A
  // deviation less, and all tasks are elsewhere where the later ones come; a loop that tries again
  // is then at another operation.  Here each has done as much of its own as before.  They move one
  // turn up or down beside another of the same task; here all turns of a window are taken together,
  // ever smaller windows, since most of hundreds of switches do not matter.  A candidate is
  // followed as far as it goes, and what was run is the next to be made smaller.  Their search ends
  // where no move is a gain; a walk over runs that are no worse leads on from there.

  CandidateResult attempt(TurnsOfRun run, const RunCost& below) {
    CandidateRequest request;
    request.kind =
        polls_on_ ? CandidateRequest::Kind::polling_turns : CandidateRequest::Kind::turns;
    if (!polls_on_) request.below = below;
    request.turns = std::move(run);
    std::copy_if(best_.begin(), best_.end(), std::back_inserter(request.deviations),
                 [](const Deviation& one) { return one.kind != ChoiceKind::step; });
    CandidateResult candidate = attempt(request);
    if (polls_on_) candidate.cost = with_switches(candidate.cost, runner_->schedule());
    return candidate;
  }
  /// However many turns are changed.
  [[nodiscard]] bool is_in_reach_of_first(const CandidateResult& candidate) const {
    return is_in_reach(candidate, reach_);
  }
  bool take_together(std::size_t from, std::size_t size) {
    TurnsOfRun run = detail::turns_of(result_.schedule);
    if (from >= run.turns.size()) return false;
    const Turns turns = std::move(run.turns);
    for (const TurnOrder order : {TurnOrder::last, TurnOrder::first}) {
      run.turns = detail::taken_together(turns, from, size, order);
      if (run.turns == turns || !has_budget()) continue;
      const CandidateResult candidate = attempt(run, result_.after);
      if (!is_in_reach_of_first(candidate) || !accept(candidate)) continue;
      leave_polls_if_possible();
      return true;
    }
    return false;
  }
  /// How many tasks must be held back, in a run where nothing else is unusual?
  void delay_tasks() {
    constexpr std::size_t delays_max = 3;
    if (fewer_preemptions() == 0) return;
    CandidateRequest request;
    request.kind = CandidateRequest::Kind::delays;
    if (accept(attempt(request))) return;
    detail::DelaySearch search(result_.schedule, runner_->schedule());
    const KeyedDraw draw(options_.simulation.seed, result_.runs);
    for (std::size_t count = 1; count <= std::min(delays_max, fewer_preemptions()); ++count) {
      const auto part = budget_.part(2 * delays_max);
      for (std::uint64_t i = 0; part.has_some(); ++i) {
        const auto delays = count == 1 ? search.next_single() : search.draw(count, draw, i);
        if (!delays) break;
        request.delays = *delays;
        const CandidateResult candidate = attempt(request);
        if (is_in_reach_of_first(candidate) && accept(candidate)) break;
      }
    }
  }
  [[nodiscard]] std::size_t fewer_preemptions() const {
    return result_.after.preemptions == 0 ? 0 : result_.after.preemptions - 1;
  }
  [[nodiscard]] std::size_t turn_count() const {
    return detail::turns_of(result_.schedule).turns.size();
  }
  void take_turns_together() {
    // Mostly only the last turns matter.
    for (std::size_t kept = 1; kept < turn_count() && has_budget(); kept *= 2) {
      if (take_together(0, turn_count() - kept)) break;
    }
    constexpr std::size_t size_min = 3;  // A B A
    std::size_t size = turn_count();
    while (size >= size_min && has_budget()) {
      bool was_better = false;
      for (std::size_t from = turn_count(); from > 0 && has_budget();) {
        from -= std::min(from, size / 2);
        was_better = take_together(from, size) || was_better;
      }
      if (size > turn_count()) {
        size = turn_count();
      } else if (!was_better) {
        if (size == size_min) return;
        size = std::max(size * 2 / 3, size_min);
      }
    }
  }
  /// Goes from neighbour to neighbour that fails and has at most one preemption more than the best.
  void walk_turns(const ShrinkBudget::Part& part) {
    const KeyedDraw draw(options_.simulation.seed, result_.runs);
    TurnsOfRun here = detail::turns_of(result_.schedule);
    for (std::uint64_t i = 0; part.has_some() && here.turns.size() > 1; ++i) {
      if (result_.after.preemptions == 0) return;
      TurnsOfRun near = here;
      near.turns = detail::neighbour_of(here.turns, draw, i);
      const CandidateResult candidate =
          attempt(std::move(near), {result_.after.preemptions + 2, 0, 0, 0});
      if (!fails_as_before(candidate) || !is_in_reach_of_first(candidate) ||
          candidate.cost.preemptions > result_.after.preemptions + 1) {
        continue;
      }
      here = detail::turns_of(runner_->schedule());
      if (accept(candidate)) leave_polls_if_possible();
    }
  }

  /// Looks for a run with fewer preemptions: bound 0, 1, 2, ... below that.
  void lower_preemptions(std::uint64_t bound_end) {
    for (std::uint64_t bound = 0; bound < bound_end && has_budget(); ++bound) {
      if (!search_systematically(bound) && !search_at_random(bound)) continue;
      drop_deviations();
      return;
    }
  }
  /// A run of many more steps is no smaller one to a reader, however few its preemptions: where
  /// ranks only send and receive, hardly any of them matters.
  bool accept_in_reach(const CandidateResult& candidate) {
    return is_in_reach(candidate, result_.after) && accept(candidate);
  }
  bool search_systematically(std::uint64_t bound) {
    runner_->begin_exhaustive(bound);
    CandidateRequest request;
    request.kind = CandidateRequest::Kind::exhaustive;
    request.preemptions = bound;
    request.below = result_.after;
    for (std::uint64_t i = 0; i < runs_per_bound && has_budget(); ++i) {
      if (accept_in_reach(attempt(request))) return true;
      if (!runner_->next_exhaustive()) return false;
    }
    return false;
  }
  bool search_at_random(std::uint64_t bound) {
    CandidateRequest request;
    request.kind = CandidateRequest::Kind::bounded_random;
    request.preemptions = bound;
    request.steps = result_.after.steps;
    request.below = result_.after;
    for (std::uint64_t i = 0; i < runs_per_bound && has_budget(); ++i) {
      request.index = i;
      if (accept_in_reach(attempt(request))) return true;
    }
    return false;
  }

  static bool is_draw(const Deviation& deviation) {
    return deviation.kind == ChoiceKind::value || deviation.kind == ChoiceKind::jitter;
  }
  /// Moves each draw towards its low end by halving the distance.
  void lower_values() {
    for (std::size_t i = 0; i < best_.size() && has_budget(); ++i) {
      if (is_draw(best_[i])) lower_value(best_[i].question);
    }
  }
  void lower_value(std::uint64_t question) {
    const auto find = [this, question] {
      return std::find_if(best_.begin(), best_.end(), [question](const Deviation& one) {
        return one.question == question && is_draw(one);
      });
    };
    auto entry = find();
    std::uint64_t failing = entry->value;
    std::uint64_t passing = entry->low;  // that the run needs the deviation is known
    while (failing - passing > 1 && has_budget()) {
      const std::uint64_t middle = passing + (failing - passing) / 2;
      Deviations changed = best_;
      changed[static_cast<std::size_t>(find() - best_.begin())].value = middle;
      RunCost above = result_.after;
      ++above.steps;
      if (accept(attempt(changed, above), /*may_be_equal=*/true)) {
        failing = middle;
        if (find() == best_.end()) return;
      } else {
        passing = middle;
      }
    }
  }

  const ShrinkOptions& options_;
  const Finding& finding_;
  const Program& program_;
  std::unique_ptr<detail::CandidateRunner> runner_;
  Deviations best_;
  bool may_deviate_ = false;
  bool polls_on_ = false;  ///< the best run has polls that a run which is left to itself has not
  std::optional<ShrinkResult> polling_;  ///< the best of these
  RunCost reach_;                        ///< of the run that all others are made from
  ShrinkResult result_;
  ShrinkBudget budget_;
  detail::ShrinkProgress progress_;
};

}  // namespace

ShrinkResult shrink(const Schedule& schedule, const Finding& finding, const Program& program,
                    const ShrinkOptions& options) {
  return Shrinking(schedule, finding, program, options).run();
}

}  // namespace orrery
