// What becomes of a search's workers, and of the runs that they had.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

#include <orrery/explorers/death.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "patience.hpp"
#include "recording.hpp"
#include "search.hpp"

namespace orrery::detail {
namespace {

constexpr std::int64_t patience_after_interrupt_ns = 2'000'000'000;
constexpr std::int64_t patience_for_report_ns = 3'000'000'000;
constexpr int idle_deaths_most = 3;
constexpr int kills_most = 3;

/// What struck in a run that did not live to tell; what else could have is gone with it.
FaultCounts faults_in(const Schedule& schedule) {
  FaultCounts counts;
  for (const ScheduleEntry& entry : schedule.entries) {
    const bool is_fault = entry.type == ScheduleEntry::Type::value &&
                          entry.choice == ChoiceKind::fault && entry.value() > 0 &&
                          entry.value() < fault_kind_count;
    if (!is_fault) continue;
    ++counts.possible.at(static_cast<std::size_t>(entry.value()));
    ++counts.fired.at(static_cast<std::size_t>(entry.value()));
  }
  return counts;
}

}  // namespace

void Search::ended(Slot& slot) {
  using State = WorkerBlock::State;
  WorkerBlock& worker = slot.block.as<WorkerBlock>();
  const int status = slot.process->wait();
  slot.process.reset();
  const State state = worker.state;
  if (state == State::finished || state == State::gave_up) return;
  worker.first_plus_one = 0;
  if (state == State::working) recover(slot, status);
  const bool is_wanted =
      worker.first_plus_one != 0 || block().next_index.load() < block().stop_at.load();
  if (is_wanted && !is_interrupted_) start(slot);
}

/// A worker died.  The run that it had is put down to it, or done again by the next one.
void Search::recover(Slot& slot, int status) {
  WorkerBlock& worker = slot.block.as<WorkerBlock>();
  const bool is_idle = worker.runs_begun == slot.runs_at_start;
  slot.idle_deaths = is_idle ? slot.idle_deaths + 1 : 0;
  if (slot.idle_deaths > idle_deaths_most) {
    throw UsageError("workers die outside of any run", "explore",
                     "is memory short? try fewer jobs, or isolate = false to see it here");
  }
  const auto lost = lost_run(slot);
  if (!lost) return;
  const bool was_over = worker.is_walk_moving;
  if (was_over) {
    const std::size_t bytes = strategy_->walk_bytes_used(walk_backup_.bytes());
    std::memcpy(walk_.bytes().data(), walk_backup_.bytes().data(), bytes);
  }
  const bool was_in_run = !was_over && worker.run_plus_one == *lost + 1;
  if (was_in_run && !is_worth_another_try(slot, *lost, status)) return died(slot, *lost, status);
  worker.first_plus_one = *lost + 1;
}

/// The run that was the worker's and whose result is not there.
std::optional<std::uint64_t> Search::lost_run(const Slot& slot) const {
  const ResultRing& results = block().results;
  // The last one may have been claimed and not yet counted.
  const std::uint64_t end = std::min(block().next_index + 1, block().stop_at.load());
  for (std::uint64_t index = tally_.runs(); index < end && results.has_room_for(index); ++index) {
    if (results.belongs_to(index, number_of(slot)) && results.find(index) == nullptr) return index;
  }
  return std::nullopt;
}

/// Was the worker killed from outside (by a system that is short of memory, say), and not too often
/// in this run?  What a program does to itself leaves a report, or happens again.
bool Search::is_worth_another_try(Slot& slot, std::uint64_t index, int status) {
  const bool has_report = slot.block.as<WorkerBlock>().crash.is_filled != 0;
  if (slot.is_hung || has_report || !WIFSIGNALED(status)) return false;
  slot.kills = slot.killed_run == index ? slot.kills + 1 : 1;
  slot.killed_run = index;
  return slot.kills < kills_most;
}

void Search::died(Slot& slot, std::uint64_t index, int status) {
  if (is_interrupted_ && slot.is_hung) return;  // we killed it for the user's sake
  Outcome outcome;
  const CrashReport& report = slot.block.as<WorkerBlock>().crash;
  if (slot.is_hung && report.is_filled == 0) {
    outcome.status = Outcome::Status::limit;
    outcome.limit = Limit::wall_time;
  } else {
    outcome = outcome_of_death(status, report);
    const bool was_tried_again =
        !slot.is_hung && slot.killed_run == index && slot.kills == kills_most;
    if (was_tried_again) {
      outcome.findings[0].message +=
          fmt::format(", each of {} times that the run was done", kills_most);
    }
  }
  const Schedule schedule = recorded_schedule(slot.recording.bytes());
  take_message(found_message(index, outcome, schedule));
  RunRecord record;
  record.schedule_hash = fingerprint(schedule.entries);
  record.steps = schedule.steps();
  if (!outcome.findings.empty()) {
    put_keys(told_apart(outcome, options_.keep_going), record);
    if (!options_.keep_going) block().lower_stop(index + 1);
  } else {
    record.flags = RunRecord::limited;
    record.limit = static_cast<std::uint32_t>(outcome.limit);
  }
  if (strategy_->is_walk() && !strategy_->next(context_.walk)) {
    record.flags |= RunRecord::walk_ended;
    block().lower_stop(index + 1);
  }
  const FaultCounts faults = faults_in(schedule);
  block().results.publish(index, record, &faults);
}

void Search::watch(Slot& slot) {
  const WorkerBlock& worker = slot.block.as<WorkerBlock>();
  const std::uint64_t begun = worker.runs_begun.load(std::memory_order_relaxed);
  if (begun != slot.runs_seen || worker.run_plus_one == 0) {
    slot.runs_seen = begun;
    slot.since_run_began.restart();
    return;
  }
  const bool is_late = slot.since_run_began.elapsed_ns() > patience_ns(options_.simulation);
  const bool is_unwanted =
      is_interrupted_ && since_interrupt_.elapsed_ns() > patience_after_interrupt_ns;
  if (is_late || is_unwanted) end_hung(slot, is_unwanted);
}

/// What goes on from a snapshot is a process of the worker's own, which nobody here could ask.
void Search::end_hung(Slot& slot, bool is_unwanted) {
  const bool was_hung = std::exchange(slot.is_hung, true);
  if (is_unwanted || options_.snapshot) return slot.process->kill_now();
  if (!was_hung) {
    slot.since_hung.restart();
    slot.process->end_with_report();
  } else if (slot.since_hung.elapsed_ns() > patience_for_report_ns) {
    slot.process->kill_now();
  }
}

}  // namespace orrery::detail
