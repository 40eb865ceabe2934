#include "memory_replayer.hpp"

#include <optional>
#include <string>
#include <utility>

#include <orrery/replay_core/saved_run.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>

#include "broken_promise.hpp"
#include "partings.hpp"
#include "synchronisation/lamport_replayer.hpp"

namespace orrery::detail {
namespace {

/// Neither can come to wait for the other for ever: while a run is recorded a thread that comes
/// behind others in memory learns their stamps.
class MemoryReplayer final : public Replayer, private Chooser, private Observer {
 public:
  using MakeReplayer = std::unique_ptr<Replayer> (*)(const SavedRun&, Chooser&, ReplayMode);
  MemoryReplayer(const SavedRun& run, Chooser& fallback, ReplayMode mode,
                 MakeReplayer make_accesses)
      : mode_(mode),
        stamps_(make_lamport_replayer(run, fallback, mode)),
        accesses_(make_accesses(run, nothing_, mode)) {
    if (!run.accesses.switched_off.is_empty()) promise_.emplace(run.accesses);
  }

  [[nodiscard]] Chooser& chooser() override { return *this; }
  [[nodiscard]] Observer* observer() override { return this; }
  [[nodiscard]] const std::optional<Parting>& parted() const override {
    if (promise_ && promise_->found()) return promise_->found();
    return parted_alone().parted();
  }
  [[nodiscard]] std::uint64_t steps_beyond() const override {
    return stamps_->steps_beyond() + accesses_->steps_beyond();
  }
  [[nodiscard]] Recorder* inference() override { return accesses_->inference(); }
  [[nodiscard]] bool may_have_woken_by_itself() const override {
    return stamps_->may_have_woken_by_itself();
  }
  [[nodiscard]] Outcome judge(Outcome outcome) const override {
    if (promise_ && promise_->found()) {
      return judge_replay(std::move(outcome), promise_->found(), mode_);
    }
    const bool may_have_lost = promise_ && parted() && mode_ == ReplayMode::strict;
    Outcome judged = parted_alone().judge(std::move(outcome));
    if (may_have_lost && !judged.findings.empty()) {
      judged.findings.front().message += promise_->may_be_why();
    }
    return judged;
  }

 private:
  // Chooser
  void begin_run(const RunInfo& info) override {
    ended_by_ = nullptr;
    if (promise_) promise_->begin_run(info);
    stamps_->chooser().begin_run(info);
    accesses_->chooser().begin_run(info);
  }
  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& alternative) override {
    return stamps_->chooser().admits(alternative) && accesses_->chooser().admits(alternative);
  }
  void took(const Alternative& alternative) override {
    stamps_->chooser().took(alternative);
    accesses_->chooser().took(alternative);
  }
  Decision choose(const ChoicePoint& point) override { return stamps_->chooser().choose(point); }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return stamps_->chooser().choose_value(question);
  }
  bool gives_way(const PendingOperations& pending) override {
    if (accesses_->lifts_a_wait()) return true;
    return stamps_->chooser().gives_way(pending) || accesses_->chooser().gives_way(pending);
  }
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) override {
    const std::string why = accesses_->chooser().explain_divergence(pending);
    return why.empty() ? stamps_->chooser().explain_divergence(pending) : why;
  }
  void end_run(const Outcome& outcome) override {
    // That the other one's records are not over then says no more.
    if (const Replayer& one = parted_alone(); one.parted()) ended_by_ = &one;
    stamps_->chooser().end_run(outcome);
    accesses_->chooser().end_run(outcome);
  }
  // Observer
  [[nodiscard]] EventMask interest() const override {
    const EventMask watched = promise_ ? promise_->interest() : EventMask::none();
    return stamps_->observer()->interest() | accesses_->observer()->interest() | watched;
  }
  void on_task(TaskId task, std::span<const TaskId> predecessors) override {
    for_both([&](Observer& one) { one.on_task(task, predecessors); });
  }
  void on_event(const Event& event) override {
    for_both([&](Observer& one) {
      if (one.interest().has_any(EventMask::of(event.kind))) one.on_event(event);
    });
  }
  void on_access(TaskId task, const MemoryAccess& access) override {
    accesses_->observer()->on_access(task, access);
  }
  void on_accesses(TaskId task, std::span<const MemoryAccess> accesses) override {
    if (promise_) promise_->observer().on_accesses(task, accesses);
  }
  void on_allocated(TaskId task, Address address, std::uint64_t size_bytes) override {
    accesses_->observer()->on_allocated(task, address, size_bytes);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    accesses_->observer()->on_freed(address, size_bytes);
    if (promise_) promise_->observer().on_freed(address, size_bytes);
  }
  template <typename Function>
  void for_both(const Function& function) {
    function(*stamps_->observer());
    function(*accesses_->observer());
    if (promise_) function(promise_->observer());
  }
  /// Who has parted, or none of the two.
  [[nodiscard]] const Replayer& parted_alone() const {
    if (ended_by_ != nullptr) return *ended_by_;
    return accesses_->parted() ? *accesses_ : *stamps_;
  }

  ReplayMode mode_;
  std::optional<BrokenPromise> promise_;
  UndisturbedChooser nothing_;  // what both admit the fallback of the stamps' replayer chooses from
  std::unique_ptr<Replayer> stamps_;
  std::unique_ptr<Replayer> accesses_;
  const Replayer* ended_by_ = nullptr;  // that has parted while it ran
};

}  // namespace

std::unique_ptr<Replayer> make_memory_replayer(
    const SavedRun& run, Chooser& fallback, ReplayMode mode,
    std::unique_ptr<Replayer> (*make_accesses)(const SavedRun&, Chooser&, ReplayMode)) {
  return std::make_unique<MemoryReplayer>(run, fallback, mode, make_accesses);
}

}  // namespace orrery::detail
