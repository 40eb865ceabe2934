// A run as a page for a browser: one file, which needs nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <orrery/replay_core/event_graph.hpp>
#include <orrery/replay_core/intervals.hpp>

namespace orrery {

/// What a page says of a run beside its graph.
struct GraphPageText {
  std::string name;                                        ///< of the run, for people: the log's
  std::string program;                                     ///< with its arguments
  std::string summary;                                     ///< in a line
  std::vector<std::pair<std::string, std::string>> about;  ///< more of that: names and values
  std::vector<std::string> notices;  ///< what whoever looks at it must know; each a sentence
  std::string network = "null";      ///< JSON, as `orrery run --stats --json` has it
};

/// How much of a run is on a page.  Of a long one some operations become one piece.
struct GraphPageExtent {
  std::uint64_t operations = 0;
  std::uint64_t messages = 0;
  std::uint64_t pieces = 0;          ///< as many as operations: all are shown
  std::uint64_t messages_shown = 0;  ///< an even part, with those that race
  [[nodiscard]] bool is_thinned() const { return pieces < operations; }
};

struct GraphPageOptions {
  std::size_t operations_max = 200'000;
  bool are_races_marked = true;  ///< in the graph
};

/// A long run is not all on a page: says so in a sentence.  Empty: it is.
[[nodiscard]] std::string thinning_text(const GraphPageExtent& extent);

/// Writes a run's part of a page into an open file, from its beginning on.  `checkpoints` may be
/// null.  Throws `UsageError` where that fails: a full disk.
GraphPageExtent write_page_run(const EventGraph& graph, const GraphPageText& text,
                               const CheckpointedRun* checkpoints, const GraphPageOptions& options,
                               int descriptor);

/// Writes a page into an open file; `runs` are files with one or two runs' parts.
void write_page(std::span<const int> runs, int descriptor);

}  // namespace orrery
