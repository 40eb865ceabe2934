// The methods by which a run can be recorded.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <orrery/replay_core/log.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// Keeps of a run what its method needs to replay it.
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// What has to watch the run.
  [[nodiscard]] virtual Observer& observer() = 0;
  /// Appends the records of the last run to a log.
  virtual void append_to(LogWriter& log) const = 0;
};

/// One method.  To add one: a source file, a line in the table of recorders.cpp, a test.
struct RecorderKind {
  std::string_view name;
  std::string_view description;
  BlockKind records;  ///< the kind of block that holds its records
  std::unique_ptr<Recorder> (*make)();
};

/// All methods, in the order in which `orrery list recorders` prints them.
[[nodiscard]] std::span<const RecorderKind> recorders();
/// The method of that name.  Throws `UsageError` with the nearest name if there is none.
[[nodiscard]] const RecorderKind& recorder_kind(std::string_view name);

}  // namespace orrery
