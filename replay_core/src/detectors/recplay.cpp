#include "recplay.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/schedule_replayer.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/replay_core/write_all.hpp>

#include "race_watch.hpp"

namespace orrery::detail {
namespace {

constexpr AddressRange everywhere{0, std::numeric_limits<Address>::max()};

}  // namespace

EventMask RecPlay::interest() const {
  return SegmentOrder::interest() | EventMask::of(OperationKind::task_end) |
         EventMask::accesses_among_threads() | PackedSchedule::interest();
}

void RecPlay::begin_run(const RunInfo& info) {
  names_ = info.names;
  pending_ = info.pending;
  order_.clear();
  list_.clear();
  open_.clear();
  known_leaves_.clear();
  operations_.clear();
  has_ended_.clear();
  variables_.clear();
  races_.clear();
  places_.clear();
  races_of_atomics_.begin_run(info.names);
  atomics_.clear();
  schedule_.clear();
  named_.clear();
  races_named_.clear();
  failure_.clear();
  frontier_.reset();
  has_named_all_ = is_over_ = false;
}

// --- the first pass: what each segment reads and writes -----------------------------------------

void RecPlay::know(TaskId task) {
  if (task.value < open_.size()) return;
  open_.resize(std::size_t{task.value} + 1);
  operations_.resize(open_.size());
  has_ended_.resize(open_.size());
  while (known_leaves_.size() < open_.size()) {
    known_leaves_.push_back(std::make_unique<AccessBitmap::KnownLeaves>());
  }
}

Segment& RecPlay::open_segment(TaskId task) {
  know(task);
  Segment& segment = open_[task.value];
  if (!segment.is_empty()) return segment;
  segment.task = task;
  segment.number = order_.number(task);
  segment.first_operation = operations_[task.value];
  segment.clock = order_.clock(task);
  return segment;
}

void RecPlay::on_task(TaskId task, std::span<const TaskId> predecessors) {
  know(task);
  order_.begin_task(task, predecessors, [this](TaskId one) { end_segment(one); });
}

void RecPlay::on_event(const Event& event) {
  const TaskId task = event.id.task;
  ++events_;
  const bool is_plain = event.order == MemoryOrder::plain;
  if (is_plain && event.kind == OperationKind::write) {
    open_segment(task).writes.add(variables_.address_of(event.object), 1);
  } else if (is_plain && event.kind == OperationKind::read) {
    open_segment(task).reads.add(variables_.address_of(event.object), 1);
  } else {
    know(task);
    if (event.kind == OperationKind::task_end) {
      end_segment(task);
      has_ended_[task.value] = true;
    } else {
      atomics_.access(event, order_.clock(task));
      order_.apply(event, [this](TaskId one) { end_segment(one); });
    }
    end_segments_of_waiting();
    list_.drop_obsolete(order_, has_ended_, [this](TaskId one) { return awaited(one); });
  }
  operations_[task.value] = event.id.number;
}

void RecPlay::on_accesses(TaskId task, std::span<const MemoryAccess> accesses) {
  if (accesses.empty()) return;
  Segment& segment = open_segment(task);
  AccessBitmap::add(accesses, segment.reads, segment.writes, *known_leaves_[task.value]);
  atomics_.access(task, accesses, segment.clock);
}

// --- the second: which parallel segments have bytes in common
// -------------------------------------

void RecPlay::end_segment(TaskId task) {
  if (task.value >= open_.size() || open_[task.value].is_empty()) return;
  Segment segment = std::exchange(open_[task.value], {});
  segment.close(*known_leaves_[task.value]);
  list_.compare(segment,
                [&](const Segment& other) { races_.add_common(segment, other, everywhere); });
  list_.add(std::move(segment));
}

std::optional<TaskId> RecPlay::awaited(TaskId task) {
  if (task.value >= awaited_.size()) awaited_.resize(std::size_t{task.value} + 1);
  Awaited& known = awaited_[task.value];
  if (known.event != events_) known = {events_, find_awaited(task)};
  return known.task;
}

std::optional<TaskId> RecPlay::find_awaited(TaskId task) const {
  if (pending_ == nullptr || task.value >= pending_->task_count()) return std::nullopt;
  if (pending_->state(task) != TaskState::disabled) return std::nullopt;
  const Operation& operation = pending_->operation(task);
  const bool waits =
      operation.kind == OperationKind::join && operation.deadline == VirtualTime::never();
  return waits ? std::optional(TaskId{static_cast<std::uint32_t>(operation.value)}) : std::nullopt;
}

/// They do nothing more in these, so that nothing has to be held for them.
void RecPlay::end_segments_of_waiting() {
  for (std::uint32_t task = 0; task < open_.size(); ++task) {
    if (!open_[task].is_empty() && awaited(TaskId{task})) end_segment(TaskId{task});
  }
}

void RecPlay::on_freed(Address address, std::uint64_t size_bytes) {
  atomics_.forget(address, size_bytes);
  const AddressRange range{address, address + size_bytes};
  for (std::size_t i = 0; i < open_.size(); ++i) {
    Segment& segment = open_[i];
    if (segment.is_empty() || !segment.has_any(range)) continue;
    // What races there must be known before it is forgotten.
    list_.for_each_parallel(
        segment, [&](const Segment& other) { races_.add_common(segment, other, range); });
    for (std::size_t j = 0; j < i; ++j) {
      const Segment& other = open_[j];
      if (other.is_empty()) continue;
      if (!are_parallel(segment.task, segment.clock, other.task, other.clock)) continue;
      races_.add_common(segment, other, range);
    }
  }
  for (Segment& segment : open_) segment.forget(range);
  list_.forget(range);
}

void RecPlay::tell_races_of_open_segments(RacingBytesList& races) const {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Segment& segment = open_[i];
    if (segment.is_empty()) continue;
    list_.for_each_parallel(
        segment, [&](const Segment& other) { races.add_common(segment, other, everywhere); });
    for (std::size_t j = 0; j < i; ++j) {
      const Segment& other = open_[j];
      if (other.is_empty()) continue;
      if (!are_parallel(segment.task, segment.clock, other.task, other.clock)) continue;
      races.add_common(segment, other, everywhere);
    }
  }
}

void RecPlay::end_run(const Outcome&) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    end_segment(TaskId{static_cast<std::uint32_t>(i)});
  }
  is_over_ = true;
  if (!series_path_.empty()) write_series();
}

/// Figures 2 and 3 of the paper, as a table; long runs thinned out.
void RecPlay::write_series() const {
  constexpr std::size_t lines_max = 2000;
  const std::vector<SegmentList::Moment> moments = list_.moments();
  const std::size_t step = moments.size() / lines_max + 1;
  std::string table = "segments,held,needed,bytes\n";
  for (std::size_t i = 0; i < moments.size(); i += step) {
    table += fmt::format("{},{},{},{}\n", i, moments[i].held, moments[i].needed, moments[i].bytes);
  }
  check_can_be_replaced(series_path_, series_path_);
  const std::string unfinished = series_path_ + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  file << table;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(unfinished, series_path_, error);
  if (file && !error) return;
  throw UsageError("cannot be written", series_path_, "give a file that can be written to");
}

// --- the third: which accesses these were
// ---------------------------------------------------------

void RecPlay::examine(Reruns& reruns) {
  if (!is_over_ || races_.kept().empty()) return;
  const Schedule schedule = schedule_.schedule();
  const Reruns::Result result = reruns.run([&](const Reruns::Run& run, const Reruns::Tell& tell) {
    UndisturbedChooser fallback;
    ScheduleReplayer replayer(schedule, fallback);
    RaceWatch watch(races_.kept(), variables_);
    run(replayer, watch, nullptr, RunExtent::as_watched());
    if (!replayer.parted()) tell(tell_races(watch));
  });
  failure_ = result.failure;
  if (result.told.empty()) return;
  ToldRaces told = read_told_races(result.told.front());
  named_ = std::move(told.findings);
  races_named_ = std::move(told.races);
  has_named_all_ = told.has_all;
  if (told.frontier.empty()) return;
  frontier_ = Finding{FindingKind::data_race,
                      "up to here the order of synchronisation alone tells how the run goes",
                      {}};
  frontier_->class_name = "race frontier";
  frontier_->where = std::move(told.frontier);
}

// --- telling
// --------------------------------------------------------------------------------------

std::vector<Finding> RecPlay::unnamed(const RacingBytesList& races) const {
  std::vector<Finding> findings;
  std::map<std::string, bool> is_known;
  for (const RacingBytes& race : races.kept()) {
    const auto side_text = [&](const RacingSide& side) {
      return fmt::format("{} {} it", names_->task(side.segment.task),
                         side.writes ? "writes" : "reads");
    };
    const auto variable = variables_.object_at(race.bytes.begin);
    Finding finding{
        FindingKind::data_race,
        fmt::format(
            "nothing orders two accesses to {}: {}, {} (the lines are not known: it takes "
            "the run once more, to its end, to see them)",
            variable ? names_->object(*variable) : memory_text(race.bytes.end - race.bytes.begin),
            side_text(race.one), side_text(race.other)),
        {}};
    finding.class_name = parallel_segments;
    if (is_known.try_emplace(finding.message, true).second) findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> RecPlay::findings() const {
  std::vector<Finding> all = findings_of_segments();
  const std::vector<Finding>& more = races_of_atomics_.findings();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<RaceAccesses> RecPlay::races() const {
  // One for each finding, or only for some of the first.
  if (named_.empty() && !findings_of_segments().empty()) return {};
  std::vector<RaceAccesses> all = races_named_;
  const std::vector<RaceAccesses>& more = races_of_atomics_.races();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Finding> RecPlay::findings_of_segments() const {
  if (!named_.empty()) return named_;
  if (is_over_) return unnamed(races_);
  RacingBytesList races = races_;
  tell_races_of_open_segments(races);
  return unnamed(races);
}

std::vector<Finding> RecPlay::remarks() const {
  std::vector<Finding> remarks;
  if (frontier_) remarks.push_back(*frontier_);
  const auto remark = [&](std::string text) {
    Finding one{FindingKind::data_race, std::move(text), {}};
    one.class_name = "not named";
    remarks.push_back(std::move(one));
  };
  if (!failure_.empty()) remark("it could not be run again: " + failure_);
  if (!named_.empty() && !has_named_all_) {
    remark("not all accesses that race came up when the run was done again");
  }
  if (races_.left_out() > 0) {
    remark(
        fmt::format("{} further stretches of bytes that race, mostly of the same loops, were "
                    "not looked at",
                    races_.left_out()));
  }
  return remarks;
}

std::vector<std::pair<std::string_view, std::uint64_t>> RecPlay::counts() const {
  const SegmentList::Counts& counts = list_.counts();
  return {{"segments", counts.added},
          {"segments_held_max", counts.held_max},
          {"segments_needed_max", list_.needed_max()},
          {"segments_compared", counts.compared},
          {"segments_bytes_max", counts.bytes_max},
          {"racing_pairs", races_.racing_pairs()}};
}

}  // namespace orrery::detail

namespace orrery {

std::unique_ptr<Detector> make_recplay(const NameWithOptions& options) {
  options.allow_no_count();
  options.allow_keys({"matrix_clocks", "series", "races"});
  const std::string matrix_clocks = options.text("matrix_clocks").value_or("yes");
  if (matrix_clocks != "yes" && matrix_clocks != "no") {
    throw UsageError("cannot be '" + matrix_clocks + "'", "--detect",
                     "write matrix_clocks=yes or matrix_clocks=no");
  }
  return std::make_unique<detail::RecPlay>(matrix_clocks == "yes",
                                           options.text("series").value_or(""));
}

}  // namespace orrery
