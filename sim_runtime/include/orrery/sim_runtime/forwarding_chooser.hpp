// A chooser in front of another one.
#pragma once

#include <span>
#include <string>

#include <orrery/sim_runtime/choice.hpp>

namespace orrery {

/// Passes everything on; what derives from it answers some of it itself.  The other chooser must
/// outlive it.
///
///     class Watched final : public orrery::ForwardingChooser {
///       using ForwardingChooser::ForwardingChooser;
///       orrery::Decision choose(const orrery::ChoicePoint& point) override;   // the rest as
///       before
///     };
class ForwardingChooser : public Chooser {
 public:
  explicit ForwardingChooser(Chooser& next) : next_(next) {}

  void begin_run(const RunInfo& info) override { next_.begin_run(info); }
  [[nodiscard]] bool constrains() const override { return next_.constrains(); }
  bool admits(const Alternative& alternative) override { return next_.admits(alternative); }
  void took(const Alternative& alternative) override { next_.took(alternative); }
  const OpenOutcome* expects(OperationId id, const Operation& operation) override {
    return next_.expects(id, operation);
  }
  [[nodiscard]] std::span<const MemoryRange> stops() const override { return next_.stops(); }
  Decision choose(const ChoicePoint& point) override { return next_.choose(point); }
  std::uint64_t choose_value(const ValueQuestion& question) override {
    return next_.choose_value(question);
  }
  bool gives_way(const PendingOperations& pending) override { return next_.gives_way(pending); }
  [[nodiscard]] bool lets_sleepers_wake() const override { return next_.lets_sleepers_wake(); }
  [[nodiscard]] std::string explain_divergence(const PendingOperations& pending) override {
    return next_.explain_divergence(pending);
  }
  void end_run(const Outcome& outcome) override { next_.end_run(outcome); }

 private:
  Chooser& next_;
};

}  // namespace orrery
