#include "run_graph.hpp"

#include <orrery/network_model/usage_error.hpp>

#include "run_again.hpp"

namespace orrery::cli {

Json with_graph_of(const FoundProgram& program, SavedRun& run, const std::string& path,
                   const GraphUse& use) {
  EventGraphObserver watching(use.options);
  const IsolatedResult result =
      run_again(program, run, path,
                {.observer = watching,
                 .conclude =
                     [&](Simulation& simulation, const std::vector<Finding>* death, Json& more) {
                       if (death != nullptr) watching.leave(simulation.clock().now(), *death);
                       if (more.contains("parted") && run.method != schedule_method) return;
                       use.use(watching.graph(), simulation, more);
                       more["has_graph"] = true;
                     },
                 .wants_statistics = use.wants_statistics});
  if (!result.more.contains("has_graph")) {
    throw UsageError("its events could not be looked at: it does not come as far as it did", path,
                     "orrery replay shows what it does now");
  }
  return result.more;
}

}  // namespace orrery::cli
