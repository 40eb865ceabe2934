#include "timelines.hpp"

#include <fmt/format.h>

#include <orrery/replay_core/timeline.hpp>

#include "finding_text.hpp"
#include "run_again.hpp"

namespace orrery::cli {
namespace {

Watching keeping(Timeline& timeline) {
  return {timeline, [&](Simulation&, const std::vector<Finding>*, Json& more) {
            more["timeline"] = timeline.text();
          }};
}

/// Adds to a timeline that ends before the last step what came of that step.
std::string ended(std::string timeline, const IsolatedResult& died) {
  for (const Finding& finding : died.outcome.findings) {
    timeline += fmt::format("then, in step {}: {}\n", died.schedule.steps(), finding.message);
  }
  return timeline;
}

}  // namespace

void add_timeline_of_dead(const FoundProgram& program, SavedRun run, IsolatedResult& result) {
  if (!result.has_died || result.more.contains("timeline")) return;
  Timeline timeline;
  const Json more = run_to_last_step(program, std::move(run), result, keeping(timeline));
  if (!more.contains("timeline")) return;
  result.more["timeline"] = ended(more.at("timeline").get<std::string>(), result);
}

std::string timeline_of(const FoundProgram& program, SavedRun& run, const std::string& path) {
  Timeline timeline;
  const IsolatedResult result = run_again(program, run, path, keeping(timeline));
  std::string text = result.more.value("timeline", std::string());
  return result.has_died && !text.empty() ? ended(std::move(text), result) : text;
}

}  // namespace orrery::cli
