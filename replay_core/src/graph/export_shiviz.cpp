// A graph as ShiViz reads it: a line an event, each with its vector clock.
#include <cctype>
#include <map>
#include <set>

#include "exports.hpp"
#include "graph_walk.hpp"

namespace orrery::detail {
namespace {

/// Hosts have no blanks in their names, and no two have the same.
std::vector<std::string> hosts_of(const EventGraph& graph) {
  std::set<std::string> taken;
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    std::string host;
    for (const char letter : graph.tasks[i].name) {
      const auto code = static_cast<unsigned char>(letter);
      const bool is_plain = std::isalnum(code) != 0 || letter == '.' || letter == '#' ||
                            letter == '_' || code >= 0x80;
      host += is_plain ? letter : '-';
    }
    if (host.empty() || !taken.insert(host).second) host += fmt::format(".{}", i);
    taken.insert(host);
    hosts.push_back(json_string(host));
  }
  return hosts;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& letter : line) {
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  return line;
}

/// `MPI_Recv (receive): tag 7, peer 1, 4 bytes, app.c:12`
std::string event_text(const EventGraph& graph, const GraphOperation& one) {
  std::string text(graph.label(one));
  if (one.call != 0) text += fmt::format(" ({})", name(one.kind));
  const char* separator = ": ";
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    text += separator + part;
    separator = ", ";
  };
  const bool is_of_message = one.tag >= 0 || one.peer >= 0;
  if (!is_of_message) add(graph.objects[one.object]);
  if (one.tag >= 0) add(fmt::format("tag {}", one.tag));
  if (one.peer >= 0) add(fmt::format("peer {}", one.peer));
  if (one.size_bytes != 0) add(fmt::format("{} bytes", one.size_bytes));
  add(graph.line_of(one));
  return one_line(text);
}

}  // namespace

void write_shiviz(const EventGraph& graph, TextSink& out) {
  const std::vector<std::string> hosts = hosts_of(graph);
  // What each task knows, of whom anything is known.
  std::vector<std::map<std::uint32_t, std::uint32_t>> clocks(graph.tasks.size());
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
    const GraphOperation& one = graph.operations[i];
    const std::uint32_t task = one.id.task.value;
    ++clocks[task][task];
    for (; next < graph.knowledge.size() && graph.knowledge[next].operation == i; ++next) {
      clocks[task][graph.knowledge[next].task] = graph.knowledge[next].operations_known;
    }
    const std::string& host = hosts[task];
    out.write(std::string_view(host).substr(1, host.size() - 2));
    out.write(" {");
    const char* separator = "";
    for (const auto& [other, operations] : clocks[task]) {
      out.print("{}{}:{}", separator, hosts[other], operations);
      separator = ", ";
    }
    out.print("}} {}\n", event_text(graph, one));
  }
}

}  // namespace orrery::detail
