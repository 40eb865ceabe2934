// The process of a rank that goes on alone from its beginning.
#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/interval_replay.hpp>
#include <orrery/replay_core/undisturbed_chooser.hpp>
#include <orrery/sim_runtime/checkpointer.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "interval_process.hpp"
#include "interval_wire.hpp"
#include "schedules/alternatives.hpp"

namespace orrery {
namespace {

constexpr TaskId root{0};  // starts the ranks

/// Lets the rank come to its first operation, and nobody else do anything; then hands over.
class FirstOperation final : public Checkpointer, public Chooser {
 public:
  FirstOperation(const LoneStart& start, Simulation& simulation, CrashReporter& reporter,
                 const CrashReport& report, int descriptor)
      : start_(start),
        simulation_(simulation),
        reporter_(reporter),
        report_(report),
        descriptor_(descriptor) {}

  void before_operation(const ComingOperation& coming) override {
    if (coming.rank != start_.rank) return;
    IntervalEvents events;
    events.add_task(coming.id.task);
    replay_restored({.simulation = &simulation_,
                     .records = {},
                     .open_receives = {},
                     .events = std::move(events),
                     .memory_hash = start_.memory_hash,
                     .reporter = &reporter_,
                     .report = &report_},
                    descriptor_);
  }
  void rank_ended(std::int32_t, OperationId) override {}
  void checkpoint_asked(std::int32_t) override {}
  void goes_beyond_messages(std::int32_t, const std::string&) override {}
  void sent(const CarriedMessage&) override {}
  void reached(const CarriedMessage&, OperationId) override {}

  [[nodiscard]] bool constrains() const override { return true; }
  bool admits(const Alternative& alternative) override {
    const TaskId task = alternative.id.task;
    return !detail::is_step(alternative) || is_machine_step(alternative.kind) || task == root ||
           task == start_.first_task;
  }
  Decision choose(const ChoicePoint& point) override {
    return Decision::take(point.default_index());
  }

 private:
  const LoneStart& start_;
  Simulation& simulation_;
  CrashReporter& reporter_;
  const CrashReport& report_;
  int descriptor_;
};

/// Returns why the rank did not get to its first operation.
Finding run_up_to_first(const LoneStart& start, int descriptor) {
  CrashReport report;
  CrashReporter reporter(report);
  reporter.tell_findings([&] {
    detail::write_frame(descriptor, detail::FrameKind::died, std::as_bytes(std::span(&report, 1)));
    return std::string();
  });
  Simulation simulation(start.machine);
  simulation.set_output_sink([&](TaskId, int stream, std::string_view text) {
    detail::write_frame(descriptor, detail::FrameKind::output, detail::encode_output(stream, text));
  });
  FirstOperation first(start, simulation, reporter, report, descriptor);
  simulation.set_checkpointer(&first);
  simulation.start(start.program, first);
  const Outcome outcome = simulation.finish();
  if (!outcome.findings.empty()) return outcome.findings.front();
  return {FindingKind::divergence, "the rank begins no operation, but it did when recorded", {}};
}

}  // namespace

void replay_from_beginning(const LoneStart& start, int descriptor) {
  try {
    try {
      const Finding why = run_up_to_first(start, descriptor);
      detail::write_frame(descriptor, detail::FrameKind::over, detail::encode(why));
    } catch (const UsageError& error) {
      detail::write_frame(descriptor, detail::FrameKind::refused, detail::encode(error));
    }
  } catch (const UsageError&) {
    // Nobody listens any more.
  }
  detail::leave_process(0);
}

}  // namespace orrery
