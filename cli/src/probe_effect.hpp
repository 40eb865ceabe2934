// `orrery run --probe-effect`: one run without a recorder, and the same with each of several.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <orrery/replay_core/dated_run.hpp>
#include <orrery/replay_core/host_recorder_cost.hpp>
#include <orrery/replay_core/recorders.hpp>

#include "isolated_run.hpp"
#include "program_lookup.hpp"

namespace orrery::cli {

/// Does all these runs.  They differ in their recorders and in nothing else.
class ProbeEffect {
 public:
  static constexpr std::string_view all_recorders = "host nic switch";

  /// The recorders by their names with options, apart by spaces.  Throws `UsageError` for what is
  /// none.
  explicit ProbeEffect(std::string_view recorders);

  /// The run without a recorder, with what the others were beside it in `more["probe_effect"]`.
  /// Only the first one's output goes to `on_output`.  Throws `UsageError` where the network has
  /// nothing that a recorder could run on.
  [[nodiscard]] IsolatedResult run(const FoundProgram& program,
                                   const std::function<void(const OutputPiece&)>& on_output) const;

 private:
  /// One of them; the first has neither part.
  struct Probe {
    std::string text;
    std::optional<HostRecorderCosts> host;
    std::shared_ptr<Recorder> recorder;  // on cards, or in switches
  };
  [[nodiscard]] static Probe parse(const std::string& text);
  static void check(const FoundProgram& program, const Probe& probe);

  std::vector<Probe> probes_;
};

/// A table, and what moved first.
[[nodiscard]] std::string probe_effect_text(const Json& probe_effect);

}  // namespace orrery::cli
