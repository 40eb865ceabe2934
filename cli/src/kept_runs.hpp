// The last runs, kept without being asked each time: `run --always-record` and `replay --last`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace orrery::cli {

/// A directory of logs `run-000001.orr`, `run-000002.orr`, ..., of which the newest ones stay.
/// Several commands may add to it at a time.
///
/// Kranzlmueller and Lefevre (2005) name it as their next step: a recorder that costs nothing can
/// be on all the time, and whoever is surprised by a run replays it.
class KeptRuns {
 public:
  static constexpr std::uint64_t keep_default = 10;
  static constexpr std::uint64_t keep_max = 999'999;

  /// Makes the directory.  Throws `UsageError` if it cannot be made, or not written to.
  KeptRuns(std::string directory, std::uint64_t keep);

  /// Has `save` write the next log, at the path that it is given, and drops the oldest ones beyond
  /// the number to keep.  The path.  If `save` throws, all are as they were.
  [[nodiscard]] std::string add(const std::function<void(const std::string& path)>& save) const;

 private:
  std::string directory_;
  std::uint64_t keep_;
};

/// The newest log in a directory that runs are kept in; empty `directory`: the log that this user
/// has added last, in whatever directory.  Throws `UsageError` if there is none.
[[nodiscard]] std::string newest_kept_run(const std::string& directory);

}  // namespace orrery::cli
