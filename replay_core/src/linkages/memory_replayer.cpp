#include "memory_replayer.hpp"

#include <string>
#include <utility>

#include <orrery/replay_core/undisturbed_chooser.hpp>

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
      : stamps_(make_lamport_replayer(run, fallback, mode)),
        accesses_(make_accesses(run, nothing_, mode)) {}

  [[nodiscard]] Chooser& chooser() override { return *this; }
  [[nodiscard]] Observer* observer() override { return this; }
  [[nodiscard]] const std::optional<Parting>& parted() const override {
    return accesses_->parted() ? accesses_->parted() : stamps_->parted();
  }
  [[nodiscard]] std::uint64_t steps_beyond() const override {
    return stamps_->steps_beyond() + accesses_->steps_beyond();
  }
  [[nodiscard]] Recorder* inference() override { return accesses_->inference(); }
  [[nodiscard]] Outcome judge(Outcome outcome) const override {
    return (accesses_->parted() ? accesses_ : stamps_)->judge(std::move(outcome));
  }

 private:
  // Chooser
  void begin_run(const RunInfo& info) override {
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
    return stamps_->chooser().gives_way(pending) || accesses_->chooser().gives_way(pending);
  }
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) override {
    const std::string why = accesses_->chooser().explain_divergence(pending);
    return why.empty() ? stamps_->chooser().explain_divergence(pending) : why;
  }
  void end_run(const Outcome& outcome) override {
    stamps_->chooser().end_run(outcome);
    accesses_->chooser().end_run(outcome);
  }
  // Observer
  [[nodiscard]] EventMask interest() const override {
    return stamps_->observer()->interest() | accesses_->observer()->interest();
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
  void on_allocated(TaskId task, Address address, std::uint64_t size_bytes) override {
    accesses_->observer()->on_allocated(task, address, size_bytes);
  }
  void on_freed(Address address, std::uint64_t size_bytes) override {
    accesses_->observer()->on_freed(address, size_bytes);
  }
  template <typename Function>
  void for_both(const Function& function) {
    function(*stamps_->observer());
    function(*accesses_->observer());
  }

  UndisturbedChooser nothing_;  // what both admit the fallback of the stamps' replayer chooses from
  std::unique_ptr<Replayer> stamps_;
  std::unique_ptr<Replayer> accesses_;
};

}  // namespace

std::unique_ptr<Replayer> make_memory_replayer(
    const SavedRun& run, Chooser& fallback, ReplayMode mode,
    std::unique_ptr<Replayer> (*make_accesses)(const SavedRun&, Chooser&, ReplayMode)) {
  return std::make_unique<MemoryReplayer>(run, fallback, mode, make_accesses);
}

}  // namespace orrery::detail
