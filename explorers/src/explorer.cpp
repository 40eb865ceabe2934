#include "explorer.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

#include "finish.hpp"
#include "junit.hpp"
#include "search.hpp"
#include "search_state.hpp"
#include "strategies.hpp"

namespace orrery {
namespace {

/// Better now than after an hour of searching.
void check_that_logs_can_be_saved(const ExploreOptions& options) {
  const std::filesystem::path path = detail::save_path_of(options);
  const std::string directory = path.has_parent_path() ? path.parent_path().string() : ".";
  if (access(directory.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(std::string("no log can be written there: ") + std::strerror(errno),
                     path.string(), "choose another path, or set ORRERY_LOGS to a directory");
  }
}

void check(const ExploreOptions& options) {
  if (options.save_logs || options.resume) check_that_logs_can_be_saved(options);
  if (options.runs == 0 && options.for_duration <= VirtualDuration::zero()) {
    throw UsageError("a search of 0 runs finds nothing", "runs", "use 1 or more");
  }
  if (options.runs >= detail::SearchBlock::no_index) {
    throw UsageError("the number of runs is out of range", "runs", "use fewer, or a duration");
  }
  if (options.jobs == 0 || options.jobs > 1024) {
    throw UsageError("the number of jobs must lie between 1 and 1024", "jobs",
                     "use as many as the machine has cores");
  }
  if (options.for_duration < VirtualDuration::zero()) {
    throw UsageError("the duration is negative", "for", "use a duration such as 10s");
  }
  if (options.snapshot && !options.isolate) {
    throw UsageError("a search in this process cannot go on from a snapshot", "snapshot",
                     "isolate the runs, or leave the snapshot out");
  }
  if (options.snapshot && options.check_determinism) {
    throw UsageError("a run from a snapshot cannot be done twice", "--check-determinism",
                     "leave it out, or search without --snapshot-at");
  }
  if (options.name.empty()) throw UsageError("the search has no name", "name", "give it one");
}

}  // namespace

Report explore(const ExploreOptions& options, const Program& program) {
  check(options);
  if (auto report = detail::replay_instead(options, program)) return std::move(*report);
  std::shared_ptr<const Strategy> strategy = options.own_strategy;
  if (strategy == nullptr) strategy = make_strategy(options.strategy, "strategy");
  Report report = detail::Search(options, program, std::move(strategy)).run();
  detail::finish_findings(options, program, report);
  if (!options.junit_path.empty()) write_junit(report, options.junit_path);
  return report;
}

}  // namespace orrery
