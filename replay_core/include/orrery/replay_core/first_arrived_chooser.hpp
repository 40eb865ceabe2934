// A chooser that gives each receive what came first.
#pragma once

#include <orrery/sim_runtime/choice.hpp>

namespace orrery {

/// Of several messages that fit, a receive or probe takes the one that has come first, as message
/// libraries do; everything else is for another chooser, which must outlive this one.
class FirstArrivedChooser final : public Chooser {
 public:
  explicit FirstArrivedChooser(Chooser& others) : others_(others) {}

  void begin_run(const RunInfo& info) override { others_.begin_run(info); }
  [[nodiscard]] bool constrains() const override { return others_.constrains(); }
  bool admits(const Alternative& alternative) override { return others_.admits(alternative); }
  void took(const Alternative& alternative) override { others_.took(alternative); }
  const OpenOutcome* expects(OperationId id, const Operation& operation) override {
    return others_.expects(id, operation);
  }
  Decision choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::message) return Decision::take(point.default_index());
    return others_.choose(point);
  }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return others_.choose_value(question);
  }
  bool gives_way(const PendingOperations& pending) override { return others_.gives_way(pending); }
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) override {
    return others_.explain_divergence(pending);
  }
  void end_run(const Outcome& outcome) override { others_.end_run(outcome); }

 private:
  Chooser& others_;
};

}  // namespace orrery
