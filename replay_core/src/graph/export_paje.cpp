// A graph in the format of Paje, which pj_dump and ViTE read.
#include <algorithm>
#include <numeric>

#include "exports.hpp"
#include "graph_walk.hpp"

namespace orrery::detail {
namespace {

constexpr std::string_view definitions = R"(%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
%  Alias string
%  Type string
%  StartContainerType string
%  EndContainerType string
%  Name string
%EndEventDef
%EventDef PajeCreateContainer 3
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 4
%  Time date
%  Name string
%  Type string
%EndEventDef
%EventDef PajePushState 5
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajePopState 6
%  Time date
%  Type string
%  Container string
%EndEventDef
%EventDef PajeStartLink 7
%  Time date
%  Type string
%  Container string
%  StartContainer string
%  Value string
%  Key string
%EndEventDef
%EventDef PajeEndLink 8
%  Time date
%  Type string
%  Container string
%  EndContainer string
%  Value string
%  Key string
%EndEventDef
0 RUN 0 "run"
0 PROCESS RUN "process"
0 TASK PROCESS "task"
1 STATE TASK "state"
2 MESSAGE RUN TASK TASK "message"
)";

/// The format knows strings in quotes, and no quotes in strings.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"') {
      result += '\'';
    } else {
      result += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
  }
  return result + '"';
}

std::string seconds(VirtualTime date) {
  return date_text(date, 12);
}

/// Readers want events in the order of their dates: the ends of operations are, their beginnings
/// have to be put in order, and both be merged.  An operation that takes no time begins and ends
/// before the next one of its task begins.
class PajeWriter {
 public:
  PajeWriter(const EventGraph& graph, TextSink& out)
      : graph_(graph),
        out_(out),
        unfinished_(unfinished_states(graph)),
        sent_(graph, &GraphMessage::send),
        received_(graph, &GraphMessage::receive) {}
  void write();

 private:
  // States are numbered: first the operations, then what is unfinished.
  [[nodiscard]] std::size_t count() const { return graph_.operations.size() + unfinished_.size(); }
  [[nodiscard]] const UnfinishedState* unfinished(std::size_t state) const {
    const std::size_t operations = graph_.operations.size();
    return state < operations ? nullptr : &unfinished_[state - operations];
  }
  [[nodiscard]] VirtualTime begin(std::size_t state) const {
    const UnfinishedState* const rest = unfinished(state);
    return rest != nullptr ? rest->begin : graph_.operations[state].begin;
  }
  [[nodiscard]] VirtualTime end(std::size_t state) const {
    const UnfinishedState* const rest = unfinished(state);
    return rest != nullptr ? rest->end : graph_.operations[state].end;
  }
  void write_containers();
  void push(std::size_t state);
  void pop(std::size_t state);
  void write_links(std::size_t operation);

  const EventGraph& graph_;
  TextSink& out_;
  std::vector<UnfinishedState> unfinished_;
  MessageIndex sent_;
  MessageIndex received_;
};

void PajeWriter::write_containers() {
  const std::string zero = seconds(VirtualTime{});
  out_.print("3 {} run RUN 0 \"run\"\n", zero);
  for (const GraphProcess& process : processes_of(graph_)) {
    out_.print("3 {} p{} PROCESS run {}\n", zero, process.number,
               in_quotes(fmt::format("process {}", process.number)));
  }
  for (std::uint32_t i = 0; i < graph_.tasks.size(); ++i) {
    const GraphTask& task = graph_.tasks[i];
    const bool is_alone = std::ranges::count(graph_.tasks, task.name, &GraphTask::name) == 1;
    out_.print("3 {} t{} TASK p{} {}\n", zero, i, task.process.value,
               in_quotes(is_alone ? task.name : fmt::format("{} ({})", task.name, i)));
  }
}

void PajeWriter::push(std::size_t state) {
  const UnfinishedState* const rest = unfinished(state);
  if (rest != nullptr) {
    out_.print("5 {} STATE t{} {}\n", seconds(rest->begin), rest->task, in_quotes(rest->label));
    return;
  }
  const GraphOperation& one = graph_.operations[state];
  out_.print("5 {} STATE t{} {}\n", seconds(one.begin), one.id.task.value,
             in_quotes(graph_.label(one)));
}

void PajeWriter::write_links(std::size_t operation) {
  const GraphOperation& one = graph_.operations[operation];
  const auto write_end = [&](int event, std::uint32_t number) {
    const GraphMessage& message = graph_.messages[number];
    if (!is_complete(message)) return;
    out_.print("{} {} MESSAGE run t{} \"{}\" m{}\n", event, seconds(one.end), one.id.task.value,
               message.is_racing ? "racing message" : "message", number);
  };
  for (const std::uint32_t number : received_.of(operation)) write_end(8, number);
  for (const std::uint32_t number : sent_.of(operation)) write_end(7, number);
}

void PajeWriter::pop(std::size_t state) {
  const UnfinishedState* const rest = unfinished(state);
  if (rest == nullptr) write_links(state);
  const std::uint32_t task = rest != nullptr ? rest->task : graph_.operations[state].id.task.value;
  out_.print("6 {} STATE t{}\n", seconds(end(state)), task);
}

void PajeWriter::write() {
  out_.write(definitions);
  write_containers();
  std::vector<std::uint32_t> by_begin(count());
  std::iota(by_begin.begin(), by_begin.end(), 0U);
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return begin(a) < begin(b); });
  std::size_t begun = 0;
  for (std::size_t ended = 0; ended < count(); ++ended) {
    const auto is_due = [&](std::uint32_t state) {
      return begin(state) < end(ended) || (begin(state) == end(ended) && state <= ended);
    };
    while (begun < count() && is_due(by_begin[begun])) push(by_begin[begun++]);
    pop(ended);
  }
  const std::string last = seconds(graph_.end);
  for (std::size_t i = graph_.tasks.size(); i-- > 0;) out_.print("4 {} t{} TASK\n", last, i);
  for (const GraphProcess& process : processes_of(graph_)) {
    out_.print("4 {} p{} PROCESS\n", last, process.number);
  }
  out_.print("4 {} run RUN\n", last);
}

}  // namespace

void write_paje(const EventGraph& graph, TextSink& out) {
  PajeWriter(graph, out).write();
}

}  // namespace orrery::detail
