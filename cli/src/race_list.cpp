#include "race_list.hpp"

#include <fmt/format.h>

#include <orrery/replay_core/bent_runs.hpp>
#include <orrery/replay_core/event_graph.hpp>

#include "finding_text.hpp"
#include "run_graph.hpp"

namespace orrery::cli {
namespace {

Json json_of(const EventGraph& graph, std::uint32_t number) {
  const GraphOperation& operation = graph.operations[number];
  const FindingPlace& place = graph.places[operation.place];
  return {{"task", graph.tasks[operation.id.task.value].name},
          {"operation", fmt::format("{}.{}", operation.id.task.value, operation.id.number)},
          {"call", std::string(graph.label(operation))},
          {"file", place.file},
          {"line", place.line},
          {"function", place.function}};
}

Json json_of(const EventGraph& graph, const GraphMessage& message) {
  Json value = json_of(graph, message.send);
  value["source"] = message.source;
  value["tag"] = message.tag;
  value["bytes"] = message.size_bytes;
  return value;
}

/// What asks for the other message, in a file of `replay --order`.
std::string bend_text(const EventGraph& graph, const GraphRace& race) {
  const std::uint32_t send = graph.messages[race.other].send;
  return orrery::text({Bend::Kind::takes, race.receive, graph.operations[send].id, {}});
}

Json json_of(const EventGraph& graph) {
  Json races = Json::array();
  for (const GraphRace& race : graph.races) {
    races.push_back({{"number", race.number},
                     {"receive", json_of(graph, race.receiver)},
                     {"got", json_of(graph, graph.messages[race.taken])},
                     {"other", json_of(graph, graph.messages[race.other])},
                     {"bend", bend_text(graph, race)}});
  }
  return races;
}

/// `rank 1 (MPI_Send, app.c:12)`
std::string operation_text(const Json& operation) {
  const auto file = operation.at("file").get<std::string>();
  std::string where = file.empty() ? operation.at("function").get<std::string>()
                                   : fmt::format("{}:{}", file.substr(file.rfind('/') + 1),
                                                 operation.at("line").get<std::uint32_t>());
  if (!where.empty()) where = ", " + where;
  return fmt::format("{} ({}{})", operation.at("task").get<std::string>(),
                     operation.at("call").get<std::string>(), where);
}

std::string message_text(const Json& message) {
  return fmt::format("{}, tag {}", operation_text(message), message.at("tag").get<int>());
}

}  // namespace

Json races_of(const FoundProgram& program, SavedRun& run, const std::string& path) {
  const Json more = with_graph_of(program, run, path,
                                  {.options = {},
                                   .wants_statistics = false,
                                   .use = [](const EventGraph& graph, const Simulation&,
                                             Json& told) { told["races"] = json_of(graph); }});
  return more.at("races");
}

std::string races_text(const Json& races) {
  std::string text = counted(races.size(), "race", "races") + "\n";
  for (const Json& race : races) {
    text += fmt::format("{:>4}  {} got the message of {}; could have got that of {}\n",
                        race.at("number").get<std::uint64_t>(), operation_text(race.at("receive")),
                        message_text(race.at("got")), message_text(race.at("other")));
    text += fmt::format("      {}\n", race.at("bend").get<std::string>());
  }
  return text;
}

}  // namespace orrery::cli
