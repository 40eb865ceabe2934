// Exports of a run, read again.
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <orrery/network_model/usage_error.hpp>

#include "event_graphs.hpp"

namespace orrery {
namespace {

using nlohmann::json;
using test::exported;
using test::graph_of;

/// Programs of all sorts.
std::vector<EventGraph> graphs() {
  return {graph_of(test::gathered(true)).graph, graph_of(test::meeting).graph,
          graph_of(test::stuck).graph, graph_of([](World&) {}).graph};
}

std::int64_t picoseconds(const json& microseconds) {
  return static_cast<std::int64_t>(std::llround(microseconds.get<double>() * 1e6));
}

/// Rows of fields, as RFC 4180 has them.
std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (is_quoted && letter == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += text[++i];
    } else if (letter == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && letter == ',') {
      row.emplace_back();
    } else if (!is_quoted && letter == '\n') {
      rows.push_back(std::exchange(row, std::vector<std::string>(1)));
    } else {
      row.back() += letter;
    }
  }
  CHECK_FALSE(is_quoted);
  return rows;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

std::size_t received_in(const EventGraph& graph) {
  return static_cast<std::size_t>(std::ranges::count_if(
      graph.messages,
      [](const GraphMessage& message) { return message.receive != GraphMessage::nobody; }));
}

}  // namespace

TEST_CASE("csv: as many columns in every row, names as they are, and all of the time") {
  for (const EventGraph& graph : graphs()) {
    const auto rows = table(exported(graph, "csv"));
    const std::vector<std::string> header = rows.at(0);
    std::map<std::string, std::int64_t> sums;
    std::size_t operations = 0;
    std::size_t received = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      REQUIRE(rows[i].size() == header.size());
      std::map<std::string, std::string> row;
      for (std::size_t column = 0; column < header.size(); ++column) {
        row[header[column]] = rows[i][column];
      }
      if (row["row"] == "message") {
        if (!row["received_by"].empty()) ++received;
        continue;
      }
      if (row["row"] == "operation") ++operations;
      sums[row["task"]] += std::stoll(row["end_ps"]) - std::stoll(row["begin_ps"]);
    }
    CHECK(operations == graph.operations.size());
    CHECK(received == received_in(graph));
    for (const GraphTask& task : graph.tasks) {
      CHECK(sums[task.name] == task.end.picoseconds() - task.begin.picoseconds());
    }
  }
  CHECK(exported(graph_of(test::meeting).graph, "csv").find("<script>") != std::string::npos);
}

TEST_CASE("chrome: slices nest, arrows lie inside them, and each id is there once") {
  for (const EventGraph& graph : graphs()) {
    const json trace = json::parse(exported(graph, "chrome"));
    std::map<int, std::int64_t> covered;  // up to where slices of a thread reach
    std::map<std::int64_t, json> begun;
    std::set<std::int64_t> ended;
    std::map<int, std::string> names;
    const json* slice = nullptr;
    for (const json& event : trace.at("traceEvents")) {
      const std::string phase = event.at("ph");
      if (phase == "M" && event.at("name") == "thread_name") {
        names[event.at("tid")] = event.at("args").at("name");
      }
      if (phase == "X") {
        slice = &event;
        const std::int64_t begin = picoseconds(event.at("ts"));
        const int thread = event.at("tid");
        REQUIRE(names.contains(thread));
        CHECK(begin >= covered[thread]);
        covered[thread] = begin + picoseconds(event.at("dur"));
      }
      if (phase != "s" && phase != "f") continue;
      const std::int64_t id = event.at("id");
      CHECK(event.at("tid") == slice->at("tid"));
      const std::int64_t date = picoseconds(event.at("ts"));
      CHECK(date >= picoseconds(slice->at("ts")));
      CHECK(date <= picoseconds(slice->at("ts")) + picoseconds(slice->at("dur")));
      if (phase == "s") {
        CHECK(begun.emplace(id, event).second);
        continue;
      }
      CHECK(ended.insert(id).second);
      REQUIRE(begun.contains(id));
      CHECK(begun[id].at("cat") == event.at("cat"));
      CHECK(begun[id].at("name") == event.at("name"));
      CHECK(picoseconds(begun[id].at("ts")) <= date);
    }
    CHECK(begun.size() == received_in(graph));
    CHECK(ended.size() == received_in(graph));
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
      CHECK(names[static_cast<int>(i)] == graph.tasks[i].name);
      CHECK(covered[static_cast<int>(i)] == graph.tasks[i].end.picoseconds());
    }
  }
}

TEST_CASE("chrome: racing messages, what is unfinished, and findings stand out") {
  CHECK_THAT(exported(graph_of(test::gathered(true)).graph, "chrome"),
             Catch::Contains("\"racing message\""));
  CHECK_THAT(exported(graph_of(test::gathered(false)).graph, "chrome"),
             !Catch::Contains("\"racing message\""));
  CHECK_THAT(exported(graph_of(test::stuck).graph, "chrome"),
             Catch::Contains("\"unfinished\"") && Catch::Contains("a message from rank 1") &&
                 Catch::Contains("\"finding\"") && Catch::Contains("deadlock"));
}

TEST_CASE("paje: dates do not decrease, states are closed, and each link has two ends") {
  for (const EventGraph& graph : graphs()) {
    double last = 0;
    std::map<std::string, int> open;
    std::map<std::string, int> links;
    for (const std::string& line : lines(exported(graph, "paje"))) {
      if (line.starts_with('%')) continue;
      CHECK(std::ranges::count(line, '"') % 2 == 0);
      std::istringstream words(line);
      int event = 0;
      double date = 0;
      std::string type;
      std::string container;
      words >> event;
      if (event < 3) continue;
      words >> date >> type >> container;
      CHECK(date >= last);
      last = date;
      if (event == 5) CHECK(++open[container] == 1);
      if (event == 6) CHECK(--open[container] == 0);
      if (event == 7) CHECK(++links[line.substr(line.rfind(' '))] == 1);
      if (event == 8) CHECK(++links[line.substr(line.rfind(' '))] == 2);
    }
    CHECK(links.size() == received_in(graph));
    for (const auto& [key, ends] : links) CHECK(ends == 2);
    for (const auto& [container, states] : open) CHECK(states == 0);
  }
}

TEST_CASE("shiviz: its expression fits each line, and hosts count by ones") {
  const std::regex expression(R"((\S+) (\{.*\}) (.*))");
  for (const EventGraph& graph : graphs()) {
    std::map<std::string, int> counts;
    const std::vector<std::string> all = lines(exported(graph, "shiviz"));
    CHECK(all.size() == graph.operations.size());
    for (const std::string& line : all) {
      std::smatch parts;
      REQUIRE(std::regex_match(line, parts, expression));
      const json clock = json::parse(parts[2].str());
      const std::string host = parts[1];
      CHECK(clock.at(host) == ++counts[host]);
      for (const auto& [other, count] : clock.items()) CHECK(count <= counts[other]);
    }
  }
}

TEST_CASE("an unknown format is refused with the nearest name, and a full disk is told") {
  CHECK_THROWS_WITH(event_export("paj"), Catch::Contains("paje"));
  const EventGraph graph = graph_of(test::gathered(true)).graph;
  std::FILE* const unwritable = std::fopen("/dev/null", "r");
  CHECK_THROWS_AS(write_export(event_export("csv"), graph, fileno(unwritable)), UsageError);
  std::fclose(unwritable);
}

}  // namespace orrery
