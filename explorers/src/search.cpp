#include "search.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include <orrery/explorers/death.hpp>
#include <orrery/explorers/finding_json.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "finding_json.hpp"
#include "patience.hpp"
#include "recording.hpp"

namespace orrery::detail {
namespace {

constexpr int poll_ms = 20;
constexpr std::int64_t save_every_ns = 2'000'000'000;

RunSetup setup_of(const ExploreOptions& options) {
  return {options.simulation,
          options.observers,
          options.observer_findings,
          options.check_determinism,
          options.examine,
          options.other_run,
          options.isolate};
}

}  // namespace

Search::Search(const ExploreOptions& options, const Program& program,
               std::shared_ptr<const Strategy> strategy)
    : options_(options),
      strategy_(std::move(strategy)),
      search_(sizeof(SearchBlock)),
      walk_(std::max<std::size_t>(strategy_->walk_bytes(), 64)),
      walk_backup_(walk_.bytes().size()),
      context_{options,
               program,
               *strategy_,
               setup_of(options),
               search_.as<SearchBlock>(),
               strategy_->is_walk() ? walk_.bytes() : std::span<std::byte>{},
               walk_backup_.bytes()},
      progress_(options, strategy_->is_walk()),
      interrupt_(options.isolate) {}

Report Search::run() {
  if (strategy_->is_walk()) strategy_->first(context_.walk);
  block().stop_at =
      options_.for_duration > VirtualDuration::zero() ? SearchBlock::no_index : options_.runs;
  if (options_.resume) resume();
  const bool is_over = has_walk_ended_ || (tally_.has_finding() && !options_.keep_going);
  if (is_over) {
    block().stop_at = tally_.runs();
  } else if (options_.isolate) {
    slots_.resize(strategy_->is_walk() ? 1 : options_.jobs);
    for (Slot& slot : slots_) {
      slot.block = SharedMapping(sizeof(WorkerBlock));
      slot.recording = SharedMapping(recording_bytes);
      start(slot);
    }
    wait_for_workers();
  } else {
    run_here();
  }
  consume();
  if (options_.resume || (is_interrupted_ && options_.save_logs)) save_state();
  return report();
}

void Search::resume() {
  const auto state = load_search_state(options_, *strategy_, context_.walk);
  if (!state) return;
  tally_ = state->tally;
  has_walk_ended_ = state->has_walk_ended;
  block().next_index = tally_.runs();
  block().results.set_consumed(tally_.runs());
}

void Search::start(Slot& slot) {
  WorkerBlock& worker = slot.block.as<WorkerBlock>();
  worker.state = WorkerBlock::State::working;
  worker.run_plus_one = 0;
  worker.is_walk_moving = false;
  slot.runs_seen = slot.runs_at_start = worker.runs_begun;
  slot.is_hung = false;
  slot.since_run_began.restart();
  slot.process = std::make_unique<ChildProcess>([this, &slot, &worker](int fd) {
    worker.crash.clear();
    CrashReporter crash_reporter(worker.crash);
    crash_reporter.report_on_alarm();
    if (options_.observer_findings) {
      crash_reporter.tell_findings([this] { return json_text(options_.observer_findings()); });
    }
    const auto send = [fd](const Message& message) {
      if (!write_message(fd, message)) _exit(1);  // the parent is gone: nobody is left to tell
    };
    const WorkerPort port{send, {}};
    try {
      do_runs(context_, number_of(slot), worker, slot.recording.bytes(), port);
    } catch (const UsageError& error) {
      write_message(fd, {{{"error", {error.problem(), error.where(), error.hint()}}}, {}});
      worker.state = WorkerBlock::State::gave_up;
    } catch (const std::exception& error) {
      write_message(fd, {{{"error", {error.what(), "a chooser or observer", ""}}}, {}});
      worker.state = WorkerBlock::State::gave_up;
    }
  });
}

void Search::run_here() {
  SharedMapping worker(sizeof(WorkerBlock));
  SharedMapping recording(recording_bytes);
  const WorkerPort port{[this](const Message& message) { take_message(message); },
                        [this] { consume(), mind_the_budget(); }};
  do_runs(context_, 0, worker.as<WorkerBlock>(), recording.bytes(), port);
}

void Search::wait_for_workers() {
  for (;;) {
    std::vector<pollfd> fds;
    std::vector<Slot*> waiting;
    for (Slot& slot : slots_) {
      if (slot.process == nullptr) continue;
      fds.push_back({slot.process->fd(), POLLIN, 0});
      waiting.push_back(&slot);
    }
    if (fds.empty()) return;
    poll(fds.data(), fds.size(), poll_ms);
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].revents != 0) look_at(*waiting[i]);
      if (waiting[i]->process != nullptr) watch(*waiting[i]);
    }
    consume();
    mind_the_budget();
  }
}

void Search::look_at(Slot& slot) {
  const bool is_alive = slot.process->read_some();
  while (const auto message = slot.process->next_message()) take_message(*message);
  if (!is_alive) ended(slot);
}

void Search::take_message(const Message& message) {
  const auto& value = message.value;
  if (value.contains("error")) {
    const auto& error = value["error"];
    throw UsageError(error[0], error[1], error[2]);
  }
  if (value.contains("first_output")) {
    tally_.set_first_output(value.at("first_output"));
    return;
  }
  Outcome outcome;
  outcome.findings = findings_from_json(value.at("findings"));
  const std::uint64_t index = value.at("index");
  if (outcome.findings.empty()) {
    LimitedRuns limited{value.at("limit").get<Limit>(), 0,  index,
                        schedule_from(message.bytes),   {}, {}};
    if (value.contains("at")) limited.at = place_from_json(value.at("at"));
    tally_.add_limited(std::move(limited));
    return;
  }
  const std::vector<const Finding*> apart = told_apart(outcome, options_.keep_going);
  for (const Finding* const one : apart) {
    FoundRun found;
    found.finding = *one;
    found.run_index = index;
    found.schedule = schedule_from(message.bytes);
    found.output = value.at("output");
    // A crash is told with the races that may have led to it, though they are told by themselves.
    const bool is_told_with_races = one->kind != FindingKind::data_race;
    for (const Finding& other : outcome.findings) {
      const bool is_apart = std::ranges::find(apart, &other) != apart.end();
      if (one == apart.front() && &other != one && (!is_apart || is_told_with_races)) {
        found.others.push_back(other);
      }
    }
    tally_.add_found(one->key(), std::move(found));
  }
}

void Search::consume() {
  ResultRing& results = block().results;
  while (tally_.runs() < block().stop_at) {
    const RunRecord* const record = results.find(tally_.runs());
    if (record == nullptr) break;
    if ((record->flags & RunRecord::walk_ended) != 0) has_walk_ended_ = true;
    tally_.add(*record, results.faults(tally_.runs()));
    results.set_consumed(tally_.runs());
  }
  progress_.show({tally_.runs(), tally_.findings(), tally_.distinct_schedules()});
}

void Search::mind_the_budget() {
  if (!is_interrupted_ && interrupt_.was_interrupted()) {
    is_interrupted_ = true;
    since_interrupt_.restart();
    block().hand_out_no_more();
  }
  const std::int64_t most_ns = options_.for_duration.nanoseconds();
  if (!is_time_up_ && most_ns > 0 && since_start_.elapsed_ns() >= most_ns) {
    is_time_up_ = true;
    block().hand_out_no_more();
  }
  if (options_.resume && since_saved_.elapsed_ns() > save_every_ns && !strategy_->is_walk()) {
    save_state();
    since_saved_.restart();
  }
}

void Search::save_state() {
  save_search_state(options_, *strategy_, context_.walk, {tally_, has_walk_ended_});
}

Report Search::report() {
  Report report;
  report.name = options_.name;
  report.strategy = strategy_->text();
  if (options_.snapshot) report.snapshot_at = options_.snapshot->name;
  report.seed = options_.seed;
  report.fault_plan = options_.simulation.faults;
  report.interrupted = is_interrupted_;
  tally_.write_to(report);
  if (!strategy_->is_walk()) return report;
  report.complete = has_walk_ended_ && strategy_->is_complete(context_.walk);
  if (const auto contradiction = strategy_->contradiction(context_.walk)) {
    FoundRun found;
    found.finding.kind = FindingKind::divergence;
    found.finding.message = *contradiction;
    found.count = 1;
    found.run_index = tally_.runs() == 0 ? 0 : tally_.runs() - 1;
    report.findings.push_back(std::move(found));
  }
  return report;
}

}  // namespace orrery::detail
