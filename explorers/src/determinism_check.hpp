// Does a run give the same events twice?
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <orrery/sim_runtime/names.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::detail {

/// Watches two runs that make the same choices and compares their events in the sense of
/// `is_same_event`.  Call `remember` before the first and `compare` before the second.
class DeterminismCheck final : public Observer {
 public:
  void remember();
  void compare();
  /// After the second run: the first event that differs, as a finding of kind `divergence`.
  [[nodiscard]] std::optional<Finding> difference() const { return difference_; }

  void begin_run(const RunInfo& info) override { names_ = info.names; }
  [[nodiscard]] EventMask interest() const override { return EventMask::all_events(); }
  void on_event(const Event& event) override;
  void end_run(const Outcome& outcome) override;

 private:
  [[nodiscard]] std::string describe(const Event& event) const;
  [[nodiscard]] FindingPlace place(const Event& event) const;
  void differ(const std::string& before, const std::string& now, FindingPlace where);

  const Names* names_ = nullptr;
  std::vector<Event> first_run_;
  std::vector<SourceLocation> places_;
  std::size_t seen_ = 0;
  bool comparing_ = false;
  std::optional<Finding> difference_;
};

}  // namespace orrery::detail
