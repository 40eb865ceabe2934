#include "path_text.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace orrery::detail {
namespace {

/// What the step has to do with the one before it on the path.
std::string reason_text(const StepEdge& edge, bool is_message, const std::vector<Bend>& bends) {
  switch (edge.order) {
    case StepOrder::program: return "comes after that in its task";
    case StepOrder::start: return "is begun by that";
    case StepOrder::travel: return "has its message on its way then";
    case StepOrder::channel:
      return "has its message come behind that one, which its rank sends before";
    case StepOrder::answer: return "has its message wait for that receive";
    case StepOrder::received: return "gets that message";
    case StepOrder::served: return "has a message that would go to that receive otherwise";
    case StepOrder::signal: return "waits for that";
    case StepOrder::object: return "came after that";
    case StepOrder::wished:
      return fmt::format("{} to wait for that, by {}", is_message ? "has a message that is" : "is",
                         bends[edge.about].where);
  }
  return {};
}

}  // namespace

std::string path_text(const StepPath& path, const StepGraph& graph, const OperationPlaces& places,
                      const std::vector<Bend>& bends) {
  std::string text;
  const auto add = [&](std::uint32_t step, const std::string& what) {
    const OperationId id = graph.steps()[step].id;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", number_text(id),
                        places.describe(id), what);
  };
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const GraphStep& step = graph.steps()[path.steps[i]];
    const bool is_message = is_machine_step(step.kind);
    const bool is_last = i + 1 == path.steps.size();
    if (i == 0) {
      add(path.steps[i], is_message ? "has a message that is to wait" : "is to wait");
      continue;
    }
    const StepEdge& edge = path.edges[i - 1];
    // What goes without saying: a message that was sent comes, a task goes on from step to step.
    const bool is_followed_by_same = !is_last && path.edges[i].order == edge.order;
    if (edge.order == StepOrder::travel) continue;
    if (edge.order == StepOrder::program && is_followed_by_same) continue;
    add(path.steps[i], reason_text(edge, is_message, bends));
  }
  const GraphStep& goal = graph.steps()[path.steps.back()];
  return text + fmt::format("; and {} is to come first",
                            is_machine_step(goal.kind) ? "the message of " + number_text(goal.id)
                                                       : number_text(goal.id));
}

}  // namespace orrery::detail
