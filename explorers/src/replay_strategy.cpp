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
  explicit ReplayStrategy(StrategyLog log) : log_(std::move(log)) {}

  [[nodiscard]] std::string text() const override { return "replay:file=" + log_.path; }
  [[nodiscard]] std::unique_ptr<Chooser> chooser(std::span<std::byte> /*walk*/) const override {
    return std::make_unique<JudgingReplayer>(log_.schedule);
  }
  [[nodiscard]] std::size_t walk_bytes() const override { return 8; }
  bool next(std::span<std::byte> /*walk*/) const override { return false; }
  [[nodiscard]] bool is_complete(std::span<const std::byte> /*walk*/) const override {
    return true;
  }

 private:
  StrategyLog log_;
};

}  // namespace

StrategyLog log_of_strategy(const NameWithOptions& given, const char* remedy) {
  given.allow_no_count();
  given.allow_keys({"file"});
  const std::string path = given.text("file").value_or("");
  if (path.empty()) {
    throw UsageError("the strategy '" + given.name() + "' needs a log", given.where(),
                     "write " + given.name() + ":file=bug.orr");
  }
  SavedRun run = load_run(path);
  if (run.method != schedule_method) {
    throw UsageError("the log was made by the method '" + run.method + "' and has no schedule",
                     path, remedy);
  }
  return {path, std::move(run.schedule)};
}

std::unique_ptr<Strategy> make_replay(const NameWithOptions& given) {
  return std::make_unique<ReplayStrategy>(
      log_of_strategy(given, "orrery shrink makes one of it that has"));
}

}  // namespace orrery::detail
