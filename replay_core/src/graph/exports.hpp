// The formats; each is one source file and a line in the table of `event_exports.cpp`.
#pragma once

#include <string>

#include "event_graph.hpp"
#include "text_sink.hpp"

namespace orrery::detail {

void write_csv(const EventGraph& graph, TextSink& out);
void write_chrome(const EventGraph& graph, TextSink& out);
void write_paje(const EventGraph& graph, TextSink& out);
void write_shiviz(const EventGraph& graph, TextSink& out);
/// An archive: files in this directory, which is empty.  Throws `UsageError` where the library is
/// missing.
void write_otf2(const EventGraph& graph, const std::string& directory);
/// Throws `UsageError` if this build cannot write OTF2.
void check_can_write_otf2();

}  // namespace orrery::detail
