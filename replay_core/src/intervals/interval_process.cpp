// The process of an interval: one rank goes on from an image, as it did in the first run.
#include "interval_process.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <sys/syscall.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/interval_replay.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/checkpointer.hpp>
#include <orrery/sim_runtime/outside.hpp>

#include "interval_records.hpp"
#include "interval_wire.hpp"
#include "schedules/alternatives.hpp"

namespace orrery::detail {
namespace {

/// All that a rank has in a process of its own: who chooses, who watches, who is told and who
/// brings messages.
class LoneRank final : public Outside, public Checkpointer, public Chooser, public Observer {
 public:
  LoneRank(RestoredRank restored, int descriptor)
      : restored_(std::move(restored)), descriptor_(descriptor), setup_(receive_setup()) {
    run_.messages = rest_of(setup_.records, restored_.records, restored_.open_receives);
    replayer_ = recorder_kind("wildcards").make_replayer(run_, fallback_, ReplayMode::strict);
  }

  void take_over() {
    Simulation& simulation = *restored_.simulation;
    simulation.set_checkpointer(this);
    simulation.set_output_sink([this](TaskId, int stream, std::string_view text) {
      tell(FrameKind::output, encode_output(stream, text));
    });
    tell_how_it_dies();
    Observer* const self = this;
    go_on_alone(setup_.id.rank, *this, *this, {&self, 1});
    know_tasks();
    begin_open_receives();
  }

  // --- Outside --------------------------------------------------------------------------------
  std::vector<OutsideMessage> wait_for_messages() override {
    if (is_at_end_ && have_helpers_come()) end_interval();
    tell(FrameKind::waiting, {});
    return decode_messages(hear(FrameKind::more));
  }

  std::optional<TaskId> next_task() override {
    if (next_started_ == setup_.started.size()) return std::nullopt;
    return setup_.started[next_started_++];
  }

  void is_over(const Outcome& outcome) override {
    Finding why{FindingKind::divergence, "a limit of the run was reached", {}};
    if (!outcome.findings.empty()) why = outcome.findings.front();
    end_with(why);
  }

  // --- Checkpointer ---------------------------------------------------------------------------
  void before_operation(const ComingOperation& coming) override {
    check_seen();
    if (coming.rank != setup_.id.rank || coming.id != setup_.end || setup_.is_last) return;
    is_at_end_ = true;
    if (have_helpers_come()) end_interval();
  }

  void rank_ended(std::int32_t rank, OperationId) override {
    if (rank == setup_.id.rank) end_interval();
  }

  void checkpoint_asked(std::int32_t) override {}
  void goes_beyond_messages(std::int32_t rank, const std::string& what) override {
    end_with({FindingKind::divergence, "rank " + std::to_string(rank) + " " + what, {}});
  }

  void sent(const CarriedMessage& message) override {
    if (message.destination == setup_.id.rank || !setup_.tells_sends) return;
    append(copy_of(message), sent_);
    if (sent_.size() >= sent_bytes_max) tell_sent();
  }

  void reached(const CarriedMessage&, OperationId) override {}

  // --- Chooser --------------------------------------------------------------------------------
  void begin_run(const RunInfo& info) override {
    inner().begin_run(info);
    if (replayer_->observer() != nullptr) replayer_->observer()->begin_run(info);
  }
  [[nodiscard]] bool constrains() const override { return true; }

  bool admits(const Alternative& alternative) override {
    if (is_step(alternative) && !is_machine_step(alternative.kind)) {
      // What the rank has done by the end is told of its helpers, too: so far, and no further.
      if (alternative.id == setup_.end && !setup_.is_last && !have_helpers_come()) return false;
      const TaskProgress* const helper = helper_of(alternative.id.task);
      if (helper != nullptr && alternative.id.number > helper->operations) return false;
    }
    // Elsewhere a message may be there before the cancellation: it is another receive's.
    const bool is_match = !is_step(alternative);
    if (is_match &&
        std::ranges::find(setup_.withdrawn, alternative.asker) != setup_.withdrawn.end())
      return false;
    return inner().admits(alternative);
  }

  void took(const Alternative& alternative) override {
    const bool is_end = is_step(alternative) && alternative.id == setup_.end && !setup_.is_last;
    if (is_end) end_interval();
    inner().took(alternative);
  }

  const OpenOutcome* expects(OperationId id, const Operation& operation) override {
    return inner().expects(id, operation);
  }
  Decision choose(const ChoicePoint& point) override { return inner().choose(point); }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return inner().choose_value(question);
  }
  bool gives_way(const PendingOperations& pending) override { return inner().gives_way(pending); }
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) override {
    return inner().explain_divergence(pending);
  }

  // --- Observer -------------------------------------------------------------------------------
  [[nodiscard]] EventMask interest() const override {
    return EventMask::matching() | EventMask::tasks() | IntervalEvents::interest();
  }
  // The replayer need not be told: tasks have the numbers that they had in the first run.
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    const bool is_own = !predecessors.empty() && restored_.events.has_task(predecessors.front());
    if (is_own) restored_.events.add_task(task);
  }
  void on_matching(const MatchingStep& step) override {
    if (replayer_->observer() != nullptr) replayer_->observer()->on_matching(step);
    restored_.events.on_matching(step);
  }
  void on_event(const Event& event) override { restored_.events.on_event(event); }
  void end_run(const Outcome&) override {}

 private:
  [[nodiscard]] Chooser& inner() const { return replayer_->chooser(); }

  IntervalSetup receive_setup() { return decode_setup(hear(FrameKind::setup)); }

  std::vector<std::byte> hear(FrameKind expected) {
    try {
      std::optional<Frame> frame = read_frame(descriptor_);
      if (frame && frame->kind == expected) return std::move(frame->content);
    } catch (const UsageError&) {
    }
    leave_process(1);  // whoever has restored this process is gone
  }

  // What was sent before goes first.
  void tell(FrameKind kind, std::span<const std::byte> content) {
    if (!sent_.empty()) tell_sent();
    write(kind, content);
  }

  // Makes no memory: a process that dies comes here, too.
  void tell_sent() {
    write(FrameKind::sent, sent_);
    sent_.clear();
  }

  void write(FrameKind kind, std::span<const std::byte> content) const {
    try {
      write_frame(descriptor_, kind, content);
    } catch (const UsageError&) {
      leave_process(1);
    }
  }

  [[noreturn]] void end_with(const Finding& why) {
    tell(FrameKind::over, encode(why));
    leave_process(0);
  }

  void check_seen() {
    const std::string why = restored_.unseen ? restored_.unseen() : std::string();
    if (!why.empty()) end_with({FindingKind::divergence, why, {}});
  }

  [[noreturn]] void end_interval() {
    check_seen();
    const IntervalEnd end{restored_.memory_hash(setup_.id.rank), restored_.events.hash(),
                          restored_.events.count()};
    tell(FrameKind::done, encode(end));
    leave_process(0);
  }

  [[nodiscard]] std::int32_t rank_of(TaskId task) const {
    return task.value < setup_.ranks.size() ? setup_.ranks[task.value] : -1;
  }

  [[nodiscard]] const TaskProgress* helper_of(TaskId task) const {
    const auto found = std::ranges::find(setup_.helpers, task, &TaskProgress::task);
    return found == setup_.helpers.end() ? nullptr : &*found;
  }

  [[nodiscard]] bool have_helpers_come() const {
    const PendingOperations& pending = restored_.simulation->pending();
    return std::ranges::all_of(setup_.helpers, [&](const TaskProgress& helper) {
      return helper.task.value < pending.task_count() &&
             (pending.id(helper.task).number > helper.operations ||
              pending.state(helper.task) == TaskState::ended);
    });
  }

  void tell_how_it_dies() {
    if (restored_.reporter == nullptr) return;
    restored_.reporter->tell_findings([this] {
      tell(FrameKind::died, std::as_bytes(std::span(restored_.report, 1)));
      return std::string();
    });
  }

  // Whose messages are in the image was told to others, before.
  void know_tasks() {
    for (std::uint32_t task = 0; task < setup_.ranks.size(); ++task) {
      if (setup_.ranks[task] < 0) continue;
      MatchingStep step;
      step.send = {TaskId{task}, 0};
      step.source = setup_.ranks[task];
      step.destination = setup_.id.rank;
      if (replayer_->observer() != nullptr) replayer_->observer()->on_matching(step);
    }
  }

  // They have begun in the image; their sources come first in the rest of the records.
  void begin_open_receives() {
    for (const OpenReceive& receive : restored_.open_receives) {
      if (rank_of(receive.receiver.task) != setup_.id.rank) continue;
      Operation operation;
      operation.kind = OperationKind::post_receive;
      operation.peer = any_source;
      static_cast<void>(inner().expects(receive.receiver, operation));
    }
  }

  // So many are told of at once, or all when the rank waits.
  static constexpr std::size_t sent_bytes_max = std::size_t{64} << 10U;

  RestoredRank restored_;
  int descriptor_;
  std::vector<std::byte> sent_;  ///< encoded, and not told yet
  IntervalSetup setup_;
  SavedRun run_;
  UndisturbedChooser fallback_;
  std::unique_ptr<Replayer> replayer_;
  std::size_t next_started_ = 0;
  bool is_at_end_ = false;
};

}  // namespace

// Not `_exit`: a program's rank is running, and it would end only the rank.
void leave_process(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace orrery::detail

namespace orrery {

void replay_restored(RestoredRank restored, int descriptor) {
  std::unique_ptr<detail::LoneRank> rank;
  try {
    rank = std::make_unique<detail::LoneRank>(std::move(restored), descriptor);
  } catch (const UsageError& error) {
    const Finding why{FindingKind::divergence, error.problem(), {}};
    detail::write_frame(descriptor, detail::FrameKind::over, detail::encode(why));
    detail::leave_process(1);
  }
  // It stays until the process ends, and ends it.
  rank.release()->take_over();
}

}  // namespace orrery
