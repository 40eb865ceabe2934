// Replay: the choices of one log, once.
//
// The log's run is made again, whatever the seed and the window; see `ScheduleReplayer` for what
// happens where the program no longer fits.  The search is a walk of one run.
#include <memory>
#include <string>
#include <utility>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "recording.hpp"
#include "strategy_kinds.hpp"

namespace orrery::detail {
namespace {

class ReplayStrategy final : public Strategy {
 public:
  explicit ReplayStrategy(std::string path) : path_(std::move(path)) {
    SavedRun run = load_run(path_);
    if (run.method != schedule_method) {
      throw UsageError("the log was made by the method '" + run.method + "' and has no schedule",
                       path_, "orrery shrink makes one of it that has");
    }
    schedule_ = std::move(run.schedule);
  }

  [[nodiscard]] std::string text() const override { return "replay:file=" + path_; }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte> /*walk*/) const override {
    return std::make_unique<JudgingReplayer>(schedule_);
  }
  [[nodiscard]] std::size_t walk_bytes() const override { return 8; }
  bool next(std::span<std::byte> /*walk*/) const override { return false; }
  [[nodiscard]] bool is_complete(std::span<const std::byte> /*walk*/) const override {
    return true;
  }

 private:
  std::string path_;
  Schedule schedule_;
};

}  // namespace

std::unique_ptr<Strategy> make_replay(const NameWithOptions& given) {
  given.allow_no_count();
  given.allow_keys({"file"});
  const std::string path = given.text("file").value_or("");
  if (path.empty()) {
    throw UsageError("the strategy 'replay' needs a log", given.where(),
                     "write replay:file=bug.orr");
  }
  return std::make_unique<ReplayStrategy>(path);
}

}  // namespace orrery::detail
