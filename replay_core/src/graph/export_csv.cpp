// A graph as a table: a row an operation, then a row a message.
#include "exports.hpp"
#include "graph_walk.hpp"

namespace orrery::detail {
namespace {

/// As RFC 4180 has it.
std::string field(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::vector<std::string> fields(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(field(text));
  return all;
}

std::string number_or_nothing(std::int32_t number) {
  return number < 0 ? std::string() : std::to_string(number);
}

}  // namespace

void write_csv(const EventGraph& graph, TextSink& out) {
  std::vector<std::string> tasks;
  for (const GraphTask& task : graph.tasks) tasks.push_back(field(task.name));
  std::vector<std::string> places;
  for (const FindingPlace& place : graph.places) {
    places.push_back(fmt::format("{},{},{}", field(place.file),
                                 place.line == 0 ? "" : std::to_string(place.line),
                                 field(place.function)));
  }
  const std::vector<std::string> objects = fields(graph.objects);
  const std::vector<std::string> calls = fields(graph.calls);
  out.write(
      "row,id,task,process,kind,call,object,file,line,function,peer,tag,bytes,begin_ps,end_ps,"
      "sent_by,received_by,communicator,racing\n");
  for (const GraphOperation& one : graph.operations) {
    const std::uint32_t task = one.id.task.value;
    out.print("operation,{},{},{},{},{},{},{},{},{},{},{},{},,,,\n", text_of(one.id), tasks[task],
              graph.tasks[task].process.value, name(one.kind), calls[one.call], objects[one.object],
              places[one.place], number_or_nothing(one.peer), number_or_nothing(one.tag),
              one.size_bytes, one.begin.picoseconds(), one.end.picoseconds());
  }
  for (const UnfinishedState& one : unfinished_states(graph)) {
    out.print("unfinished,,{},{},{},,,,,,,,,{},{},,,,\n", tasks[one.task],
              graph.tasks[one.task].process.value, field(one.label), one.begin.picoseconds(),
              one.end.picoseconds());
  }
  for (std::size_t i = 0; i < graph.messages.size(); ++i) {
    const GraphMessage& message = graph.messages[i];
    if (message.send == GraphMessage::nobody) continue;
    const GraphOperation& send = graph.operations[message.send];
    const std::uint32_t task = send.id.task.value;
    const bool is_received = is_complete(message);
    const GraphOperation* const receive =
        is_received ? &graph.operations[message.receive] : nullptr;
    out.print("message,{},{},{},,{},,{},{},{},{},{},{},{},{},{},{}\n", i, tasks[task],
              graph.tasks[task].process.value, calls[send.call], places[send.place],
              message.destination, message.tag, message.size_bytes, send.end.picoseconds(),
              is_received ? std::to_string(receive->end.picoseconds()) : "", text_of(send.id),
              is_received ? text_of(receive->id) : "", message.context, message.is_racing ? 1 : 0);
  }
}

}  // namespace orrery::detail
