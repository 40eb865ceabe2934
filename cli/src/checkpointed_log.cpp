#include "checkpointed_log.hpp"

#include <filesystem>

#include "checkpointing.hpp"

namespace orrery::cli {

CheckpointedLog::~CheckpointedLog() {
  // Without a block of it the images may be somebody else's.
  if (!is_settled_ && log_) discard();
}

void CheckpointedLog::append(const RecordedBlock& block) {
  if (problem_) return;
  try {
    if (!log_) log_.emplace(path_, begun_);
    log_->append(block);
  } catch (const UsageError& error) {
    problem_ = error;
  }
}

void CheckpointedLog::fail(const UsageError& error) const {
  if (!log_) throw error;
  throw UsageError(error.problem() + "; the log ends there", log_->part_path(),
                   "make room; what came before can be replayed: orrery replay " +
                       log_->part_path() + " --interval RANK:NUMBER");
}

void CheckpointedLog::finish(const SavedRun& run, std::span<const RecordedBlock> records) {
  is_settled_ = true;
  if (problem_) fail(*problem_);
  if (!log_) log_.emplace(path_, run);
  try {
    log_->finish(run, records);
  } catch (const UsageError& error) {
    fail(error);
  }
}

void CheckpointedLog::discard() {
  is_settled_ = true;
  if (log_) log_->discard();
  log_.reset();
  std::error_code error;
  std::filesystem::remove_all(images_beside(path_), error);
}

}  // namespace orrery::cli
