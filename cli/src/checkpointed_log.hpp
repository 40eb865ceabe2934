// The log of a run with checkpoints, which is on disk while the run goes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/saved_run.hpp>

namespace orrery::cli {

/// Begins with the first block: by then whoever saves the images has seen that nobody else does.
/// Where nothing can be written any more the run goes on, what is on disk stays as it is, and
/// `finish` says so.
class CheckpointedLog {
 public:
  /// `begun` has the program and the settings.
  CheckpointedLog(std::string path, SavedRun begun)
      : path_(std::move(path)), begun_(std::move(begun)) {}
  /// Of a run that was refused nothing stays.
  ~CheckpointedLog();
  CheckpointedLog(const CheckpointedLog&) = delete;
  CheckpointedLog& operator=(const CheckpointedLog&) = delete;
  void append(const RecordedBlock& block);
  /// Throws `UsageError`: not all could be written.
  void finish(const SavedRun& run, std::span<const RecordedBlock> records);
  /// Takes it away, with the images.
  void discard();

 private:
  [[noreturn]] void fail(const UsageError& error) const;

  std::string path_;
  SavedRun begun_;
  std::optional<RunLog> log_;
  std::optional<UsageError> problem_;
  bool is_settled_ = false;  ///< finished, or discarded
};

}  // namespace orrery::cli
