// A graph as Chrome's Trace Event JSON, which Perfetto and chrome://tracing open.
#include "exports.hpp"
#include "graph_walk.hpp"

namespace orrery::detail {
namespace {

/// The texts of a graph, each made a string of JSON once.
class ChromeWriter {
 public:
  ChromeWriter(const EventGraph& graph, TextSink& out) : graph_(graph), out_(out) {
    for (const std::string& object : graph.objects) objects_.push_back(json_string(object));
    for (const std::string& call : graph.calls) calls_.push_back(json_string(call));
    for (const FindingPlace& place : graph.places) {
      std::string text;
      if (!place.file.empty()) {
        text = fmt::format(R"(,"file":{},"line":{})", json_string(place.file), place.line);
      }
      if (!place.function.empty()) text += R"(,"function":)" + json_string(place.function);
      places_.push_back(text);
    }
  }
  void write();

 private:
  /// What stands between two events.
  void begin_event() {
    out_.write(is_first_ ? "\n" : ",\n");
    is_first_ = false;
  }
  void write_names();
  void write_operation(const GraphOperation& one);
  /// One end of an arrow: within the slice of the operation, which was written just before.
  void write_end(const char* phase, std::uint32_t number, const GraphOperation& one);
  void write_unfinished();
  void write_findings();
  [[nodiscard]] std::string track(std::uint32_t task) const {
    return fmt::format(R"("pid":{},"tid":{})", graph_.tasks[task].process.value, task);
  }

  const EventGraph& graph_;
  TextSink& out_;
  std::vector<std::string> objects_;
  std::vector<std::string> calls_;
  std::vector<std::string> places_;
  bool is_first_ = true;
};

std::string microseconds(VirtualTime date) {
  return date_text(date, 6);
}

VirtualTime length(VirtualTime begin, VirtualTime end) {
  return VirtualTime::from_picoseconds(end.picoseconds() - begin.picoseconds());
}

void ChromeWriter::write_names() {
  for (const GraphProcess& process : processes_of(graph_)) {
    begin_event();
    out_.print(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})",
               process.number, json_string(process.name));
    begin_event();
    out_.print(
        R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})",
        process.number, process.number);
  }
  for (std::uint32_t i = 0; i < graph_.tasks.size(); ++i) {
    begin_event();
    out_.print(R"({{"ph":"M","name":"thread_name",{},"args":{{"name":{}}}}})", track(i),
               json_string(graph_.tasks[i].name));
    begin_event();
    out_.print(R"({{"ph":"M","name":"thread_sort_index",{},"args":{{"sort_index":{}}}}})", track(i),
               i);
  }
}

void ChromeWriter::write_operation(const GraphOperation& one) {
  begin_event();
  const std::string_view kind = name(one.kind);
  out_.print(R"({{"ph":"X","cat":"{}","name":)", kind);
  if (one.call != 0) {
    out_.write(calls_[one.call]);
  } else {
    out_.print(R"("{}")", kind);
  }
  out_.print(R"(,"ts":{},"dur":{},{},"args":{{"operation":"{}","kind":"{}")",
             microseconds(one.begin), microseconds(length(one.begin, one.end)),
             track(one.id.task.value), text_of(one.id), kind);
  out_.write(places_[one.place]);
  if (one.object != 0) out_.print(R"(,"object":{})", objects_[one.object]);
  if (one.peer >= 0) out_.print(R"(,"peer":{})", one.peer);
  if (one.tag >= 0) out_.print(R"(,"tag":{})", one.tag);
  if (one.size_bytes != 0) out_.print(R"(,"bytes":{})", one.size_bytes);
  if (one.timed_out) out_.write(R"(,"timed_out":true)");
  out_.write("}}");
}

void ChromeWriter::write_end(const char* phase, std::uint32_t number, const GraphOperation& one) {
  const GraphMessage& message = graph_.messages[number];
  const char* const what = message.is_racing ? "racing message" : "message";
  begin_event();
  out_.print(R"({{"ph":"{}",{}"id":{},"cat":"{}","name":"{}","ts":{},{},)", phase,
             phase[0] == 'f' ? R"("bp":"e",)" : "", number, what, what, microseconds(one.end),
             track(one.id.task.value));
  out_.print(R"("args":{{"communicator":{},"source":{},"destination":{},"tag":{},"bytes":{}}}}})",
             message.context, message.source, message.destination, message.tag, message.size_bytes);
}

void ChromeWriter::write_unfinished() {
  for (const UnfinishedState& one : unfinished_states(graph_)) {
    begin_event();
    out_.print(R"({{"ph":"X","cat":"unfinished","name":{},"ts":{},"dur":{},{}}})",
               json_string(one.label), microseconds(one.begin),
               microseconds(length(one.begin, one.end)), track(one.task));
  }
}

void ChromeWriter::write_findings() {
  for (const Finding& finding : graph_.findings) {
    begin_event();
    out_.print(
        R"({{"ph":"i","s":"g","cat":"finding","name":{},"ts":{},"pid":0,"tid":0,"args":{{"message":{}}}}})",
        json_string(finding.title()), microseconds(graph_.end), json_string(finding.message));
  }
}

void ChromeWriter::write() {
  out_.write(R"({"displayTimeUnit":"ns","traceEvents":[)");
  write_names();
  MessageIndex sent(graph_, &GraphMessage::send);
  MessageIndex received(graph_, &GraphMessage::receive);
  for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
    const GraphOperation& one = graph_.operations[i];
    write_operation(one);
    for (const std::uint32_t number : received.of(i)) {
      if (is_complete(graph_.messages[number])) write_end("f", number, one);
    }
    for (const std::uint32_t number : sent.of(i)) {
      if (is_complete(graph_.messages[number])) write_end("s", number, one);
    }
  }
  write_unfinished();
  write_findings();
  out_.write("\n]}\n");
}

}  // namespace

void write_chrome(const EventGraph& graph, TextSink& out) {
  ChromeWriter(graph, out).write();
}

}  // namespace orrery::detail
