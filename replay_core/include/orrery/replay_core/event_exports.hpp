// Runs for other people's tools.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <orrery/replay_core/event_graph.hpp>

namespace orrery {

namespace detail {
class TextSink;
}

/// One format.  To add one: a source file, a line in the table of event_exports.cpp, a test.
struct EventExport {
  std::string_view name;
  std::string_view description;
  EventGraphOptions needs;  ///< of the graph
  /// One of the two: a text, or an archive of several files in an empty directory.
  void (*write_text)(const EventGraph& graph, detail::TextSink& out);
  void (*write_directory)(const EventGraph& graph, const std::string& directory);
  void (*check)();  ///< throws `UsageError` if this build does not have it; null: all do

  [[nodiscard]] bool is_directory() const { return write_directory != nullptr; }
};

/// All formats, in the order in which they are listed.
[[nodiscard]] std::span<const EventExport> event_exports();
/// The format of that name.  Throws `UsageError` with the nearest name if there is none, and if
/// this build cannot write it.
[[nodiscard]] const EventExport& event_export(std::string_view name);
/// Writes a format that is a text into an open file, from its beginning on.  Throws `UsageError`
/// where that fails: a full disk.
void write_export(const EventExport& format, const EventGraph& graph, int descriptor);

}  // namespace orrery
