#include "event_exports.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <orrery/network_model/suggestion.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "exports.hpp"

namespace orrery {
namespace {

constexpr std::array<EventExport, 5> export_table = {{
    {"chrome",
     "Chrome's Trace Event JSON, for ui.perfetto.dev and chrome://tracing",
     {.marks_races = true, .keeps_knowledge = false},
     detail::write_chrome,
     nullptr,
     nullptr},
    {"paje",
     "for pj_dump, ViTE and other readers of Paje's format",
     {.marks_races = true, .keeps_knowledge = false},
     detail::write_paje,
     nullptr,
     nullptr},
    {"shiviz",
     "a line an operation, with its vector clock, for ShiViz",
     {.marks_races = false, .keeps_knowledge = true},
     detail::write_shiviz,
     nullptr,
     nullptr},
    {"otf2",
     "an Open Trace Format 2 archive, for otf2-print, Vampir and the like: a directory",
     {.marks_races = false, .keeps_knowledge = false},
     nullptr,
     detail::write_otf2,
     detail::check_can_write_otf2},
    {"csv",
     "a table of operations and messages",
     {.marks_races = true, .keeps_knowledge = false},
     detail::write_csv,
     nullptr,
     nullptr},
}};

}  // namespace

std::span<const EventExport> event_exports() {
  return export_table;
}

const EventExport& event_export(std::string_view name) {
  const auto found = std::ranges::find(export_table, name, &EventExport::name);
  if (found == export_table.end()) {
    std::vector<std::string> names;
    for (const EventExport& one : export_table) names.emplace_back(one.name);
    throw UsageError(fmt::format("there is no format '{}'", name), "--export",
                     name_hint(name, names));
  }
  if (found->check != nullptr) found->check();
  return *found;
}

void write_export(const EventExport& format, const EventGraph& graph, int descriptor) {
  detail::ensure(!format.is_directory(), "this export is a file");
  detail::TextSink out(descriptor);
  format.write_text(graph, out);
  out.flush();
}

}  // namespace orrery
