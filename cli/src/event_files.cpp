#include "event_files.hpp"

#include "output_target.hpp"
#include "run_graph.hpp"

namespace orrery::cli {
namespace {

void write_to_target(const EventExport& format, const EventGraph& graph,
                     const OutputTarget& target) {
  if (format.is_directory()) {
    format.write_directory(graph, target.directory());
  } else {
    write_export(format, graph, target.descriptor());
  }
}

}  // namespace

void export_run(const FoundProgram& program, SavedRun& run, const std::string& path,
                const EventExport& format, const std::optional<std::string>& target_path) {
  const auto sort =
      format.is_directory() ? OutputTarget::Sort::directory : OutputTarget::Sort::file;
  OutputTarget target(sort, target_path, "--export", "-o");
  with_graph_of(program, run, path,
                {.options = format.needs,
                 .wants_statistics = false,
                 .use = [&](const EventGraph& graph, const Simulation&, Json&) {
                   write_to_target(format, graph, target);
                 }});
  target.finish();
}

}  // namespace orrery::cli
