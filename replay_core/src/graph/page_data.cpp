// What a page has of a run, as `Run` in page/data.js reads it: columns of numbers, and names.
#include <algorithm>
#include <utility>

#include "graph_page.hpp"
#include "graph_thinning.hpp"
#include "graph_walk.hpp"
#include "packed_numbers.hpp"
#include "text_sink.hpp"

namespace orrery {
namespace {

using detail::PackedNumbers;
using detail::TextSink;
using detail::ThinnedGraph;

/// JSON within a script of a page: nothing in it ends the script.
std::string page_json(std::string_view json) {
  std::string text;
  for (const char letter : json) {
    if (letter == '<') {
      text += "\\u003c";  // it stands only in strings
    } else {
      text.push_back(letter);
    }
  }
  return text;
}

std::string page_string(std::string_view text) {
  return page_json(detail::json_string(text));
}

/// Does the operation's value mean something to people?
bool has_value(const GraphOperation& one) {
  switch (one.kind) {
    case OperationKind::read:
    case OperationKind::write:
    case OperationKind::read_modify_write: return one.size_bytes != 0 && one.size_bytes <= 8;
    case OperationKind::random: return true;
    default: return false;
  }
}

class PageRunWriter {
 public:
  PageRunWriter(const EventGraph& graph, ThinnedGraph thin, TextSink& out)
      : graph_(graph), thin_(std::move(thin)), out_(out) {}

  void write(const GraphPageText& text, const CheckpointedRun* checkpoints,
             const GraphPageOptions& options);

 private:
  template <typename Rows, typename NumberOf>
  void write_column(const char* name, const Rows& rows, const NumberOf& number_of) {
    PackedNumbers numbers;
    for (const auto& row : rows) numbers.add(static_cast<std::int64_t>(number_of(row)));
    out_.print(R"(,"{}":"{}")", name, numbers.base64());
  }
  template <typename Rows, typename TextOf>
  void write_texts(const char* name, const Rows& rows, const TextOf& text_of) {
    out_.print(",\n\"{}\":[", name);
    const char* separator = "";
    for (const auto& row : rows) {
      out_.write(separator);
      out_.write(text_of(row));
      separator = ",";
    }
    out_.write("]");
  }
  void write_about(const GraphPageText& text, const GraphPageOptions& options);
  void write_names();
  void write_tasks();
  void write_operations();
  void write_dates();
  void write_messages();
  void write_races();
  void write_findings();
  void write_intervals(const CheckpointedRun* checkpoints);
  [[nodiscard]] bool is_empty() const;

  const EventGraph& graph_;
  ThinnedGraph thin_;
  TextSink& out_;
};

/// Has nothing happened but that tasks began and ended?
bool PageRunWriter::is_empty() const {
  return graph_.findings.empty() && std::ranges::all_of(graph_.operations, [](const auto& one) {
           return one.kind == OperationKind::task_start || one.kind == OperationKind::task_end ||
                  one.kind == OperationKind::spawn || one.kind == OperationKind::join;
         });
}

void PageRunWriter::write_about(const GraphPageText& text, const GraphPageOptions& options) {
  out_.print(R"({{"name":{},"program":{},"summary":{})", page_string(text.name),
             page_string(text.program), page_string(text.summary));
  out_.print(R"(,"is_empty":{},"are_races_marked":{},"end_ps":{})", is_empty(),
             options.are_races_marked, graph_.end.picoseconds());
  write_texts("about", text.about, [](const std::pair<std::string, std::string>& one) {
    return "[" + page_string(one.first) + "," + page_string(one.second) + "]";
  });
  write_texts("notices", text.notices, page_string);
  out_.print(",\n\"network\":{}", page_json(text.network));
}

void PageRunWriter::write_names() {
  std::vector<std::string_view> kinds;
  for (unsigned i = 0; i < static_cast<unsigned>(OperationKind::count_); ++i) {
    kinds.push_back(name(static_cast<OperationKind>(i)));
  }
  write_texts("kinds", kinds, page_string);
  write_texts("calls", graph_.calls, page_string);
  write_texts("objects", graph_.objects, page_string);
  write_texts("places", graph_.places, [](const FindingPlace& place) {
    return fmt::format(R"({{"file":{},"line":{},"function":{}}})", page_string(place.file),
                       place.line, page_string(place.function));
  });
}

void PageRunWriter::write_tasks() {
  write_texts("tasks", graph_.tasks, [](const GraphTask& task) {
    return fmt::format(R"({{"name":{},"process":{},"begin":{},"end":{},"has_ended":{}}})",
                       page_string(task.name), task.process.value, task.begin.picoseconds(),
                       task.end.picoseconds(), task.has_ended);
  });
  struct Counts {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  std::vector<Counts> counts(graph_.tasks.size());
  for (const GraphMessage& message : graph_.messages) {
    const auto task_of = [&](std::uint32_t operation) {
      return graph_.operations[operation].id.task.value;
    };
    if (message.send != GraphMessage::nobody) ++counts[task_of(message.send)].sent;
    if (message.receive != GraphMessage::nobody) ++counts[task_of(message.receive)].received;
  }
  write_texts("counts", counts, [](const Counts& one) {
    return fmt::format(R"({{"sent":{},"received":{}}})", one.sent, one.received);
  });
  write_texts(
      "unfinished", detail::unfinished_states(graph_), [](const detail::UnfinishedState& one) {
        return fmt::format(R"({{"task":{},"begin":{},"end":{},"label":{}}})", one.task,
                           one.begin.picoseconds(), one.end.picoseconds(), page_string(one.label));
      });
}

/// Gaps between a task's operations, and their lengths.  The page adds them up in floating point,
/// which past some hours is not exact: so each is counted from where the page is.
void PageRunWriter::write_dates() {
  std::vector<double> reached(graph_.tasks.size(), 0.0);
  PackedNumbers gaps;
  PackedNumbers lengths;
  for (const GraphOperation& one : thin_.pieces) {
    double& here = reached[one.id.task.value];
    const auto go_to = [&](VirtualTime date, PackedNumbers& numbers) {
      const std::int64_t by = date.picoseconds() - static_cast<std::int64_t>(here);
      numbers.add(by);
      here += static_cast<double>(by);
    };
    go_to(one.begin, gaps);
    go_to(one.end, lengths);
  }
  out_.print(R"(,"gap":"{}","length":"{}")", gaps.base64(), lengths.base64());
}

void PageRunWriter::write_operations() {
  const auto& pieces = thin_.pieces;
  out_.print(",\n\"operations\":{{\"count\":{},\"total\":{}", pieces.size(),
             graph_.operations.size());
  using One = const GraphOperation&;
  write_column("task", pieces, [](One one) { return one.id.task.value; });
  std::vector<std::uint32_t> numbers(graph_.tasks.size());
  write_column("number", pieces, [&](One one) {
    const std::uint32_t before = std::exchange(numbers[one.id.task.value], one.id.number);
    return std::int64_t{one.id.number} - before;
  });
  write_dates();
  // Waking up is the end of a wait for a condition, and is called so.
  write_column("kind", pieces, [](One one) {
    return static_cast<unsigned>(one.is_waking ? OperationKind::condition_wait : one.kind);
  });
  write_column("call", pieces, [](One one) { return one.call; });
  write_column("object", pieces, [](One one) { return one.object; });
  write_column("place", pieces, [](One one) { return one.place; });
  write_column("peer", pieces, [](One one) { return one.peer; });
  write_column("tag", pieces, [](One one) { return one.tag; });
  write_column("bytes", pieces, [](One one) { return one.size_bytes; });
  write_column("flags", pieces,
               [](One one) { return (one.timed_out ? 1U : 0U) | (has_value(one) ? 2U : 0U); });
  write_column("valueLow", pieces,
               [](One one) { return has_value(one) ? one.value & 0xffffffffU : 0U; });
  write_column("valueHigh", pieces, [](One one) { return has_value(one) ? one.value >> 32U : 0U; });
  write_column("pieces", thin_.operations_in, [](std::uint32_t count) { return count; });
  out_.write("}");
}

void PageRunWriter::write_messages() {
  const auto& messages = thin_.messages;
  out_.print(",\n\"messages\":{{\"count\":{},\"total\":{}", messages.size(),
             graph_.messages.size());
  using One = const GraphMessage&;
  const auto end = [](std::uint32_t operation) {
    return operation == GraphMessage::nobody ? std::int64_t{-1} : std::int64_t{operation};
  };
  write_column("send", messages, [&](One one) { return end(one.send); });
  write_column("receive", messages, [&](One one) { return end(one.receive); });
  write_column("source", messages, [](One one) { return one.source; });
  write_column("destination", messages, [](One one) { return one.destination; });
  write_column("tag", messages, [](One one) { return one.tag; });
  write_column("context", messages, [](One one) { return one.context; });
  write_column("racing", messages, [](One one) { return one.is_racing ? 1 : 0; });
  write_column("bytes", messages, [](One one) { return one.size_bytes; });
  write_column("contents", messages, [&](One one) {
    const bool is_sent = one.send != GraphMessage::nobody;
    return is_sent ? thin_.pieces[one.send].value & 0xffffffffU : 0U;
  });
  out_.write("}");
}

void PageRunWriter::write_races() {
  const auto& races = thin_.races;
  out_.print(",\n\"races\":{{\"count\":{},\"total\":{}", races.size(), graph_.races.size());
  using One = const GraphRace&;
  write_column("receiver", races, [](One one) { return one.receiver; });
  write_column("taken", races, [](One one) { return one.taken; });
  write_column("other", races, [](One one) { return one.other; });
  write_column("number", races, [](One one) { return one.number; });
  out_.write("}");
  write_texts("dataRaces", thin_.data_races, [](const GraphDataRace& race) {
    return fmt::format(R"({{"first":{},"second":{},"finding":{}}})", race.first, race.second,
                       race.finding);
  });
}

void PageRunWriter::write_findings() {
  write_texts("findings", graph_.findings, [](const Finding& finding) {
    std::string places;
    for (const FindingPlace& place : finding.where) {
      places += fmt::format(R"({}{{"file":{},"line":{},"function":{},"task":{},"role":{}}})",
                            places.empty() ? "" : ",", page_string(place.file), place.line,
                            page_string(place.function), page_string(place.task),
                            page_string(place.role));
    }
    return fmt::format(R"({{"title":{},"message":{},"where":[{}]}})", page_string(finding.title()),
                       page_string(finding.message), places);
  });
}

void PageRunWriter::write_intervals(const CheckpointedRun* checkpoints) {
  const std::vector<Interval> none;
  const std::vector<Interval>& intervals = checkpoints == nullptr ? none : checkpoints->intervals;
  const auto next_date = [&](const Interval& interval) {
    const Interval* const next =
        checkpoints->find({.rank = interval.id.rank, .number = interval.id.number + 1});
    return next == nullptr ? graph_.end : next->begin.date;
  };
  write_texts("intervals", intervals, [&](const Interval& interval) {
    std::string needs;
    for (const IntervalId& id : interval.depends_on) {
      needs += fmt::format("{}{}:{}", needs.empty() ? "" : " ", id.rank, id.number);
    }
    // 0: up to the end of the task.
    const std::uint32_t end = interval.has_ended && !interval.is_last ? interval.end.number : 0;
    return fmt::format(
        R"({{"name":"{}:{}","task":{},"first":{},"end":{},"begin":{},"end_date":{},"is_saved":{},"needs":"{}"}})",
        interval.id.rank, interval.id.number, interval.begin.next.task.value,
        interval.begin.next.number, end, interval.begin.date.picoseconds(),
        next_date(interval).picoseconds(), interval.begin.image.has_value(), needs);
  });
}

void PageRunWriter::write(const GraphPageText& text, const CheckpointedRun* checkpoints,
                          const GraphPageOptions& options) {
  write_about(text, options);
  write_names();
  write_tasks();
  write_operations();
  write_messages();
  write_races();
  write_findings();
  write_intervals(checkpoints);
  out_.write("}");
}

}  // namespace

std::string thinning_text(const GraphPageExtent& extent) {
  if (!extent.is_thinned()) return {};
  return fmt::format(
      "This run is long: its {} operations are shown as {} pieces, and {} of its {} messages, "
      "those that race among them.",
      extent.operations, extent.pieces, extent.messages_shown, extent.messages);
}

GraphPageExtent write_page_run(const EventGraph& graph, const GraphPageText& text,
                               const CheckpointedRun* checkpoints, const GraphPageOptions& options,
                               int descriptor) {
  ThinnedGraph thin = detail::thinned(graph, {.operations = options.operations_max});
  const GraphPageExtent extent{graph.operations.size(), graph.messages.size(), thin.pieces.size(),
                               thin.messages.size()};
  GraphPageText own = text;
  if (extent.is_thinned()) own.notices.push_back(thinning_text(extent));
  TextSink out(descriptor, "--graph");
  PageRunWriter(graph, std::move(thin), out).write(own, checkpoints, options);
  out.flush();
  return extent;
}

}  // namespace orrery
