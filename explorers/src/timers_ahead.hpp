// Does a run let a timer win over what was due before it?
#pragma once

#include <optional>
#include <string>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Watches a run, whoever chooses, and keeps the sleep or timed wait that ended the furthest ahead
/// of its turn: who only knows the dates is surprised by such a run.
class TimersAhead final : public Observer {
 public:
  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override { return EventMask::choices(); }
  void on_choice(const ChoicePoint& point, std::size_t index) override;

  /// What to tell people of it; empty: dates went in their order.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const Names* names_ = nullptr;
  VirtualDuration furthest_;
  std::string text_;
};

}  // namespace orrery::detail
