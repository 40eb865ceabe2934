#include "checkpoint_recorder.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include <orrery/network_model/duration_text.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "interval_dependences.hpp"
#include "intervals_block.hpp"
#include "kept_records.hpp"

namespace orrery {

using detail::ByteWriter;
using detail::IntervalBoundary;
using detail::IntervalDependences;
using detail::KeptRecords;
using detail::Reached;

namespace {

/// Where an interval may begin: at calls that have to do with messages.
bool is_communication(OperationKind kind) {
  switch (kind) {
    case OperationKind::send:
    case OperationKind::receive:
    case OperationKind::post_receive:
    case OperationKind::wait:
    case OperationKind::select:
    case OperationKind::test:
    case OperationKind::probe:
    case OperationKind::try_probe: return true;
    default: return false;
  }
}

/// Polls are not counted: how often they fail is nobody's intention.
bool is_counted(OperationKind kind) {
  return is_communication(kind) && !is_poll(kind);
}

// Images have what is not written yet.
constexpr std::size_t logged_bytes_max = std::size_t{1} << 20U;

}  // namespace

CheckpointSchedule checkpoint_schedule(std::string_view text, const std::string& where) {
  if (text == "asked") return {};
  const char* const hint = "8 operations, a period such as 20ms, or asked: orrery_checkpoint()";
  const bool is_number = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
  CheckpointSchedule schedule;
  if (is_number) {
    const auto end = text.data() + text.size();
    if (std::from_chars(text.data(), end, schedule.operations).ec != std::errc{}) {
      throw UsageError(fmt::format("'{}' operations are too many", text), where, hint);
    }
    if (schedule.operations == 0) {
      throw UsageError("a checkpoint at every 0th operation is none", where, hint);
    }
    return schedule;
  }
  schedule.period = parse_duration(text, where);
  if (schedule.period <= VirtualDuration::zero()) {
    throw UsageError(fmt::format("'{}' is no period", text), where, hint);
  }
  return schedule;
}

class CheckpointRecorder::Implementation {
 public:
  Implementation(CheckpointSchedule schedule, MessageLogging logging, CheckpointActions actions)
      : dependences_(logging),
        schedule_(schedule),
        logging_(logging),
        actions_(std::move(actions)) {}

  struct Rank {
    bool has_begun = false;
    bool has_ended = false;
    bool is_asked = false;
    IntervalId interval;
    std::uint64_t operations = 0;  ///< of the interval so far
    VirtualTime since;
    OperationId last;  ///< that the first task was about to begin
    std::vector<TaskId> started;
    IntervalEvents events;
  };

  void begin_run(const RunInfo& info);
  void before_operation(const ComingOperation& coming);
  void rank_ended(std::int32_t rank, OperationId last);
  void on_task(TaskId task, std::span<const TaskId> predecessors);
  void on_event(const Event& event);
  void on_matching(const MatchingStep& step);
  void sent(const CarriedMessage& message);
  void reached(const CarriedMessage& message);
  void conclude();
  [[nodiscard]] std::string blind_spot() const;
  void refuse(const std::string& why) const { actions_.refuse(why); }

  Rank& at(std::int32_t rank) {
    const auto index = static_cast<std::size_t>(rank);
    while (ranks_.size() <= index) {
      const auto next = static_cast<std::int32_t>(ranks_.size());
      ranks_.emplace_back().interval.rank = next;
    }
    return ranks_[index];
  }

  KeptRecords records_;
  IntervalDependences dependences_;
  std::vector<Rank> ranks_;
  std::uint64_t checkpoints_ = 0;
  std::uint64_t message_bytes_ = 0;
  std::uint64_t logged_messages_ = 0;
  std::uint64_t logged_message_bytes_ = 0;

 private:
  [[nodiscard]] bool is_due(const Rank& rank, const ComingOperation& coming) const;
  void checkpoint(Rank& rank, const ComingOperation& coming);
  [[nodiscard]] Interval so_far(const Rank& rank, OperationId end) const;
  [[nodiscard]] std::vector<TaskProgress> progress() const;
  void write(const IntervalBoundary& boundary);
  void write_logged();
  [[nodiscard]] std::int32_t rank_of(TaskId task) const {
    return task.value < rank_of_task_.size() ? rank_of_task_[task.value] : -1;
  }
  void set_rank(TaskId task, std::int32_t rank) {
    if (task.value >= rank_of_task_.size()) rank_of_task_.resize(std::size_t{task.value} + 1, -1);
    rank_of_task_[task.value] = rank;
    at(rank).events.add_task(task);
  }

  const EventMask keeper_interest_ = detail::OpenOutcomeKeeper::interest();
  CheckpointSchedule schedule_;
  MessageLogging logging_;
  CheckpointActions actions_;
  std::vector<std::int32_t> rank_of_task_;
  std::vector<LoggedMessage> logged_;  // not written yet
  std::size_t logged_bytes_ = 0;
  bool is_concluded_ = false;
};

void CheckpointRecorder::Implementation::begin_run(const RunInfo& info) {
  records_.clear(info.names);
  dependences_ = detail::IntervalDependences(logging_);
  ranks_.clear();
  rank_of_task_.clear();
  logged_.clear();
  logged_bytes_ = 0;
  checkpoints_ = message_bytes_ = logged_messages_ = logged_message_bytes_ = 0;
  is_concluded_ = false;
}

bool CheckpointRecorder::Implementation::is_due(const Rank& rank,
                                                const ComingOperation& coming) const {
  if (!rank.has_begun) return true;
  if (!is_communication(coming.kind)) return false;
  const bool has_done_enough = schedule_.operations != 0 && is_counted(coming.kind) &&
                               rank.operations >= schedule_.operations;
  const bool is_time =
      schedule_.period != VirtualDuration::zero() && coming.now - rank.since >= schedule_.period;
  return rank.is_asked || has_done_enough || is_time;
}

void CheckpointRecorder::Implementation::before_operation(const ComingOperation& coming) {
  if (is_concluded_) return;
  if (const std::string why = blind_spot(); !why.empty()) refuse(why);
  Rank& rank = at(coming.rank);
  if (is_due(rank, coming)) checkpoint(rank, coming);
  if (is_concluded_) return;  // a restored process
  rank.last = coming.id;
  if (is_counted(coming.kind)) ++rank.operations;
}

void CheckpointRecorder::Implementation::checkpoint(Rank& rank, const ComingOperation& coming) {
  IntervalBoundary boundary;
  if (rank.has_begun) {
    boundary.before = so_far(rank, coming.id);
    boundary.before->has_ended = true;
    boundary.before->memory_hash = actions_.hash_memory(coming.rank);
    ++rank.interval.number;
  } else {
    set_rank(coming.id.task, coming.rank);
    rank.has_begun = true;
  }
  boundary.id = rank.interval;
  boundary.begins = CheckpointState{.next = coming.id,
                                    .date = coming.now,
                                    .image = std::nullopt,
                                    .progress = progress(),
                                    .left_over = dependences_.on_their_way(coming.rank)};
  // In the image the interval has begun.
  dependences_.begin_interval(rank.interval);
  rank.operations = 0;
  rank.since = coming.now;
  rank.is_asked = false;
  rank.started.clear();
  rank.events.begin_interval();
  ++checkpoints_;
  write_logged();  // else the image has them, too
  const SavedImage saved = actions_.save(rank.interval);
  if (saved.kind == SavedImage::Kind::restored) {
    is_concluded_ = true;
    actions_.go_on(rank.interval, saved.descriptor);
    return;
  }
  if (saved.kind == SavedImage::Kind::saved) boundary.begins->image = saved.number;
  write(boundary);
}

Interval CheckpointRecorder::Implementation::so_far(const Rank& rank, OperationId end) const {
  Interval interval;
  interval.id = rank.interval;
  interval.end = end;
  interval.depends_on = dependences_.needed(rank.interval.rank);
  interval.started = rank.started;
  interval.taken = dependences_.taken(rank.interval.rank);
  for (const TaskId task : rank.events.tasks()) {
    interval.own_progress.push_back({task, records_.keeper().operations_of(task)});
  }
  std::ranges::sort(interval.own_progress, {}, &TaskProgress::task);
  interval.event_hash = rank.events.hash();
  interval.events = rank.events.count();
  return interval;
}

std::vector<TaskProgress> CheckpointRecorder::Implementation::progress() const {
  std::vector<TaskProgress> progress;
  for (std::uint32_t task = 0; task < records_.task_count(); ++task) {
    const std::uint32_t operations = records_.keeper().operations_of(TaskId{task});
    if (operations != 0) progress.push_back({TaskId{task}, operations});
  }
  return progress;
}

void CheckpointRecorder::Implementation::rank_ended(std::int32_t number, OperationId last) {
  Rank& rank = at(number);
  if (is_concluded_ || !rank.has_begun || rank.has_ended) return;
  rank.has_ended = true;
  Interval interval = so_far(rank, last);
  interval.has_ended = interval.is_last = true;
  interval.memory_hash = actions_.hash_memory(number);
  interval.end_progress = progress();
  interval.end_left_over = dependences_.on_their_way(number);
  write({std::move(interval), {number, rank.interval.number + 1}, std::nullopt});
}

void CheckpointRecorder::Implementation::conclude() {
  if (is_concluded_) return;
  is_concluded_ = true;
  for (const Rank& rank : ranks_) {
    if (!rank.has_begun || rank.has_ended) continue;
    Interval interval = so_far(rank, rank.last);
    interval.end_progress = progress();
    interval.end_left_over = dependences_.on_their_way(rank.interval.rank);
    write({std::move(interval), {rank.interval.rank, rank.interval.number + 1}, std::nullopt});
  }
  write({});  // what tasks have done since
}

void CheckpointRecorder::Implementation::on_task(TaskId task,
                                                 std::span<const TaskId> predecessors) {
  records_.on_task(task, predecessors);
  const std::int32_t rank = predecessors.empty() ? -1 : rank_of(predecessors.front());
  if (rank < 0) return;  // the first one of a rank: known when it begins something
  set_rank(task, rank);
  at(rank).started.push_back(task);
}

void CheckpointRecorder::Implementation::on_event(const Event& event) {
  // It takes all that it is told of for something that tasks share.
  if (keeper_interest_.has(event.kind)) records_.keeper().on_event(event);
  const std::int32_t rank = rank_of(event.id.task);
  if (rank >= 0) at(rank).events.on_event(event);
}

void CheckpointRecorder::Implementation::on_matching(const MatchingStep& step) {
  records_.on_matching(step);
  const std::int32_t rank = rank_of(step.receiver.task);
  if (rank >= 0) at(rank).events.on_matching(step);
}

void CheckpointRecorder::Implementation::sent(const CarriedMessage& message) {
  if (is_concluded_ || message.is_call) return;
  if (message.source != message.destination) message_bytes_ += message.content.size();
  dependences_.sent(message.send, message.source, message.destination);
}

void CheckpointRecorder::Implementation::reached(const CarriedMessage& message) {
  if (is_concluded_ || message.is_call) return;
  const Reached reached = dependences_.reached(message.send, message.destination);
  if (reached != Reached::logged) return;
  ++logged_messages_;
  logged_message_bytes_ += message.content.size();
  logged_bytes_ += message.content.size() + message.note_content.size();
  logged_.push_back(
      {copy_of(message), dependences_.last_sender(), dependences_.current(message.destination)});
  if (logged_bytes_ > logged_bytes_max) write_logged();
}

void CheckpointRecorder::Implementation::write_logged() {
  for (std::vector<std::byte>& block : detail::encode_logged_messages(logged_)) {
    actions_.keep({BlockKind::logged_messages, std::move(block)});
  }
  logged_.clear();
  logged_bytes_ = 0;
}

void CheckpointRecorder::Implementation::write(const IntervalBoundary& boundary) {
  write_logged();
  ByteWriter writer;
  detail::write_boundary(writer, boundary);
  records_.write_new(writer);
  actions_.keep({BlockKind::interval, writer.take()});
}

std::string CheckpointRecorder::Implementation::blind_spot() const {
  const std::string& shared = records_.keeper().blind_spot();
  return shared.empty() ? actions_.unseen() : shared;
}

// --- handed on ----------------------------------------------------------------------------------

CheckpointRecorder::CheckpointRecorder(CheckpointSchedule schedule, MessageLogging logging,
                                       CheckpointActions actions)
    : implementation_(std::make_unique<Implementation>(schedule, logging, std::move(actions))) {}
CheckpointRecorder::~CheckpointRecorder() = default;

void CheckpointRecorder::begin_run(const RunInfo& info) {
  implementation_->begin_run(info);
}
EventMask CheckpointRecorder::interest() const {
  return detail::OpenOutcomeKeeper::interest() | IntervalEvents::interest() | EventMask::tasks();
}
void CheckpointRecorder::on_task(TaskId task, std::span<const TaskId> predecessors) {
  implementation_->on_task(task, predecessors);
}
void CheckpointRecorder::on_matching(const MatchingStep& step) {
  implementation_->on_matching(step);
}
void CheckpointRecorder::on_event(const Event& event) {
  implementation_->on_event(event);
}
void CheckpointRecorder::on_step(const Alternative& taken) {
  implementation_->records_.keeper().on_step(taken);
}
void CheckpointRecorder::on_value(const ValueQuestion& question, std::uint64_t answer) {
  implementation_->records_.keeper().on_value(question, answer);
}
void CheckpointRecorder::on_outcome(OperationId id, OperationKind kind,
                                    const OpenOutcome& outcome) {
  implementation_->records_.keeper().on_outcome(id, kind, outcome);
}
void CheckpointRecorder::end_run(const Outcome&) {
  implementation_->conclude();
}
void CheckpointRecorder::conclude() {
  implementation_->conclude();
}
void CheckpointRecorder::before_operation(const ComingOperation& coming) {
  implementation_->before_operation(coming);
}
void CheckpointRecorder::rank_ended(std::int32_t rank, OperationId last) {
  implementation_->rank_ended(rank, last);
}
void CheckpointRecorder::checkpoint_asked(std::int32_t rank) {
  implementation_->at(rank).is_asked = true;
}
void CheckpointRecorder::goes_beyond_messages(std::int32_t rank, const std::string& what) {
  implementation_->refuse(fmt::format("rank {} {}", rank, what));
}
void CheckpointRecorder::sent(const CarriedMessage& message) {
  implementation_->sent(message);
}
void CheckpointRecorder::reached(const CarriedMessage& message, OperationId) {
  implementation_->reached(message);
}
MessageRecords CheckpointRecorder::records() const {
  return implementation_->records_.records();
}
std::vector<OpenReceive> CheckpointRecorder::open_receives() const {
  return implementation_->records_.open_receives();
}
IntervalEvents& CheckpointRecorder::events(std::int32_t rank) {
  return implementation_->at(rank).events;
}

std::string CheckpointRecorder::blind_spot() const {
  return implementation_->blind_spot();
}

std::vector<std::pair<std::string_view, std::uint64_t>> CheckpointRecorder::counts() const {
  const Implementation& all = *implementation_;
  return {{"checkpoints", all.checkpoints_},
          {"messages_between_ranks", all.dependences_.counts().messages},
          {"message_bytes", all.message_bytes_},
          {"logged_messages", all.logged_messages_},
          {"logged_bytes", all.logged_message_bytes_},
          {"piggybacked_bytes", all.dependences_.counts().piggybacked_bytes}};
}

}  // namespace orrery
