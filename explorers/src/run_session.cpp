#include "run_session.hpp"

#include <utility>

#include <orrery/explorers/reruns.hpp>
#include <orrery/replay_core/determinism.hpp>

#include "recording.hpp"

namespace orrery::detail {

RunSession::RunSession(const RunSetup& setup, const Program& program,
                       std::span<std::byte> recording)
    : setup_(setup), program_(program), simulation_(setup.simulation), recorder_(recording) {
  watchers_.push_back(&recorder_);
  if (setup_.observers) {
    const std::vector<Observer*> more = setup_.observers();
    watchers_.insert(watchers_.end(), more.begin(), more.end());
  }
}

Outcome RunSession::run(Chooser& chooser, std::uint64_t seed, std::uint64_t run_index,
                        const std::function<bool()>& is_worth_more) {
  simulation_.set_run(seed, run_index);
  std::optional<Finding> difference;
  Outcome outcome = setup_.check_determinism ? run_twice(chooser, difference)
                                             : simulation_.run(program_, chooser, watchers_);
  if (const auto* const replayer = dynamic_cast<const JudgingReplayer*>(&chooser)) {
    outcome = replayer->judge(std::move(outcome));
  }
  if (setup_.examine && (!is_worth_more || is_worth_more())) {
    IsolatedReruns reruns(simulation_.options(), program_, setup_.isolate_reruns);
    setup_.examine(reruns);
  }
  std::vector<Finding> more;
  if (setup_.observer_findings) more = setup_.observer_findings();
  if (difference) more.push_back(std::move(*difference));
  add_findings(outcome, std::move(more));
  return outcome;
}

Outcome RunSession::run_twice(Chooser& chooser, std::optional<Finding>& difference) {
  EventStream events;
  watchers_.push_back(&events);
  Outcome outcome = simulation_.run(program_, chooser, watchers_);
  EventComparison comparison(events.entries());
  watchers_.back() = &comparison;
  // By its contract the chooser answers the same questions in the same way.
  static_cast<void>(simulation_.run(program_, chooser, watchers_));
  watchers_.pop_back();
  difference = comparison.difference();
  return outcome;
}

std::uint64_t RunSession::schedule_hash() const {
  return fingerprint(recorder_.entries());
}

Schedule RunSession::schedule() const {
  return recorder_.schedule();
}

}  // namespace orrery::detail
