#include "run_session.hpp"

#include <iterator>
#include <utility>

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
  if (setup_.check_determinism) watchers_.push_back(&determinism_);
}

Outcome RunSession::run(Chooser& chooser, std::uint64_t seed, std::uint64_t run_index) {
  simulation_.set_run(seed, run_index);
  if (setup_.check_determinism) determinism_.remember();
  Outcome outcome = simulation_.run(program_, chooser, watchers_);
  if (const auto* const replayer = dynamic_cast<const JudgingReplayer*>(&chooser)) {
    outcome = replayer->judge(std::move(outcome));
  }
  std::vector<Finding> more;
  if (setup_.observer_findings) more = setup_.observer_findings();
  if (setup_.check_determinism) {
    determinism_.compare();
    // By its contract the chooser answers the same questions in the same way.
    simulation_.run(program_, chooser, watchers_);
    if (auto difference = determinism_.difference()) more.push_back(std::move(*difference));
  }
  if (!more.empty()) outcome.status = Outcome::Status::finding;
  outcome.findings.insert(outcome.findings.end(), std::make_move_iterator(more.begin()),
                          std::make_move_iterator(more.end()));
  return outcome;
}

std::uint64_t RunSession::schedule_hash() const {
  return fingerprint(recorder_.entries());
}

Schedule RunSession::schedule() const {
  return recorder_.schedule();
}

}  // namespace orrery::detail
