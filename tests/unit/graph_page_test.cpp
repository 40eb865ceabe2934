// The page of a run, read back: all that happened is in it, and no name can break it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/graph_page.hpp>

#include "event_graphs.hpp"

namespace orrery {
namespace {

using nlohmann::json;
using test::graph_of;

std::string text_of(std::FILE* file) {
  std::fseek(file, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

struct Page {
  std::string html;
  json run;
  GraphPageExtent extent;
};

Page page_of(const EventGraph& graph, std::size_t operations_max = 200'000) {
  std::FILE* const part = std::tmpfile();
  std::FILE* const file = std::tmpfile();
  Page page;
  GraphPageText text;
  text.name = test::hostile_name;
  text.program = "</script><script>alert(1)</script>";
  text.network = R"({"nics": [{"host": "</script><script>"}]})";
  page.extent =
      write_page_run(graph, text, nullptr, {.operations_max = operations_max}, fileno(part));
  const int parts[] = {fileno(part)};
  write_page(parts, fileno(file));
  page.html = text_of(file);
  std::fclose(part);
  std::fclose(file);
  const std::string mark = "<script type=\"application/json\" id=\"runs\">";
  const std::size_t begin = page.html.find(mark) + mark.size();
  const std::size_t end = page.html.find("</script>", begin);
  page.run = json::parse(page.html.substr(begin, end - begin)).at(0);
  return page;
}

std::string bytes_of(const std::string& base64) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : base64) {
    if (letter == '=') break;
    bits = bits << 6U | static_cast<unsigned>(letters.find(letter));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> static_cast<unsigned>(count) & 255U));
  }
  return bytes;
}

/// As `unpack` of page/data.js does it, in floating point.
std::vector<double> column(const json& columns, const std::string& name) {
  const std::string bytes = bytes_of(columns.at(name).get<std::string>());
  std::vector<double> numbers;
  std::size_t at = 0;
  const auto next = [&] {
    return static_cast<unsigned>(static_cast<unsigned char>(bytes.at(at++)));
  };
  while (at < bytes.size()) {
    unsigned byte = next();
    const bool is_negative = (byte & 1U) != 0;
    double value = byte >> 1U & 63U;
    for (double scale = 64; byte > 127; scale *= 128) {
      byte = next();
      value += (byte & 127U) * scale;
    }
    numbers.push_back(is_negative ? -value : value);
  }
  return numbers;
}

struct Dates {
  std::vector<double> begins;
  std::vector<double> ends;
};

Dates dates_of(const json& run) {
  const json& columns = run.at("operations");
  const std::vector<double> tasks = column(columns, "task");
  const std::vector<double> gaps = column(columns, "gap");
  const std::vector<double> lengths = column(columns, "length");
  std::vector<double> reached(run.at("tasks").size(), 0.0);
  Dates dates;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    double& here = reached.at(static_cast<std::size_t>(tasks[i]));
    dates.begins.push_back(here += gaps.at(i));
    dates.ends.push_back(here += lengths.at(i));
  }
  return dates;
}

double number_of(std::uint32_t operation) {
  return operation == GraphMessage::nobody ? -1.0 : operation;
}

std::size_t ones(const std::vector<double>& numbers) {
  return static_cast<std::size_t>(std::ranges::count(numbers, 1.0));
}

/// A graph of this many operations of each of four tasks, who send to each other in a ring.
EventGraph long_graph(std::uint32_t rounds) {
  EventGraph graph;
  graph.objects.emplace_back();
  graph.places.emplace_back();
  graph.calls = {"", "MPI_Send", "MPI_Recv"};
  constexpr std::uint32_t tasks = 4;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    graph.tasks.push_back({.name = "rank " + std::to_string(task),
                           .process = ProcessId{task},
                           .begin = {},
                           .end = {},
                           .has_ended = true,
                           .rest = ""});
  }
  const auto date = [](std::uint64_t step) {
    return VirtualTime::from_picoseconds(static_cast<std::int64_t>(step * 1000));
  };
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t task = 0; task < tasks; ++task) {
      const bool is_send = (round + task) % 2 == 0;
      GraphOperation one;
      one.id = {TaskId{task}, round + 1};
      one.begin = round == 0 ? VirtualTime{} : date(std::uint64_t{round - 1} * tasks + task);
      one.end = date(std::uint64_t{round} * tasks + task);
      one.kind = is_send ? OperationKind::send : OperationKind::receive;
      one.call = is_send ? 1 : 2;
      one.size_bytes = 8;
      const auto number = static_cast<std::uint32_t>(graph.operations.size());
      graph.operations.push_back(one);
      if (!is_send) continue;
      GraphMessage message;
      message.send = number;
      message.source = static_cast<std::int32_t>(task);
      message.destination = static_cast<std::int32_t>((task + 1) % tasks);
      // The next round's receive of the task behind.
      const std::uint64_t receive = std::uint64_t{round + 1} * tasks + (task + 1) % tasks;
      if (round + 1 < rounds && task + 1 < tasks) {
        message.receive = static_cast<std::uint32_t>(receive);
      }
      message.is_racing = round % 500 == 0;
      graph.messages.push_back(message);
    }
  }
  graph.end = graph.operations.back().end;
  for (GraphTask& task : graph.tasks) task.end = graph.end;
  return graph;
}

}  // namespace

TEST_CASE("A page has every operation with its dates, every message and every race") {
  for (const EventGraph& graph :
       {graph_of(test::gathered(true)).graph, graph_of(test::gathered(false)).graph,
        graph_of(test::meeting).graph, graph_of(test::stuck).graph}) {
    const Page page = page_of(graph);
    const json& run = page.run;
    CHECK_FALSE(page.extent.is_thinned());
    CHECK_FALSE(run.at("is_empty").get<bool>());
    REQUIRE(run.at("operations").at("count") == graph.operations.size());
    const Dates dates = dates_of(run);
    const std::vector<double> places = column(run.at("operations"), "place");
    const std::vector<double> kinds = column(run.at("operations"), "kind");
    REQUIRE(dates.ends.size() == graph.operations.size());
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
      const GraphOperation& one = graph.operations[i];
      CHECK(dates.begins[i] == static_cast<double>(one.begin.picoseconds()));
      CHECK(dates.ends[i] == static_cast<double>(one.end.picoseconds()));
      CHECK(places.at(i) == one.place);
      const auto kind = static_cast<std::size_t>(kinds.at(i));
      CHECK(run.at("kinds").at(kind) ==
            name(one.is_waking ? OperationKind::condition_wait : one.kind));
    }
    const std::vector<double> sends = column(run.at("messages"), "send");
    const std::vector<double> receives = column(run.at("messages"), "receive");
    REQUIRE(sends.size() == graph.messages.size());
    for (std::size_t i = 0; i < sends.size(); ++i) {
      CHECK(sends[i] == number_of(graph.messages[i].send));
      CHECK(receives.at(i) == number_of(graph.messages[i].receive));
    }
    const auto racing = std::ranges::count_if(graph.messages, &GraphMessage::is_racing);
    CHECK(ones(column(run.at("messages"), "racing")) == static_cast<std::size_t>(racing));
    CHECK(column(run.at("races"), "receiver").size() == graph.races.size());
    CHECK(run.at("findings").size() == graph.findings.size());
    for (std::size_t i = 0; i < graph.findings.size(); ++i) {
      CHECK(run.at("findings").at(i).at("title") == graph.findings[i].title());
    }
  }
}

TEST_CASE(
    "Values that were read and written are on the page, and racing messages only where they race") {
  const EventGraph graph = graph_of([](World& world) {
                             Shared<std::int64_t> balance(world, 0, "balance");
                             balance.store(-7);
                           }).graph;
  const json run = page_of(graph).run;
  const std::vector<double> flags = column(run.at("operations"), "flags");
  const std::vector<double> low = column(run.at("operations"), "valueLow");
  const auto written = static_cast<std::size_t>(std::ranges::find(flags, 2.0) - flags.begin());
  REQUIRE(written < flags.size());
  CHECK(low.at(written) == 0xfffffff9U);
  CHECK(column(run.at("operations"), "valueHigh").at(written) == 0xffffffffU);

  CHECK(ones(column(page_of(graph_of(test::gathered(true)).graph).run.at("messages"), "racing")) >
        0);
  CHECK(ones(column(page_of(graph_of(test::gathered(false)).graph).run.at("messages"), "racing")) ==
        0);
}

TEST_CASE("Names that would end a script, and what is no UTF-8, are data on a page") {
  const EventGraph graph = graph_of([](World& world) {
                             Mutex mutex(world, "</script><!-- \xff\xfe \" ' \\ \xe2\x80\xa8");
                             const Lock lock(mutex);
                           }).graph;
  for (const Page& page : {page_of(graph), page_of(graph_of(test::meeting).graph)}) {
    CHECK(page.run.at("program") == "</script><script>alert(1)</script>");
    CHECK(page.run.at("name") == test::hostile_name);
    CHECK(page.run.at("network").at("nics").at(0).at("host") == "</script><script>");
    // Those of the page itself.
    const auto count = [&](const std::string& part) {
      std::size_t found = 0;
      for (std::size_t at = page.html.find(part); at != std::string::npos;
           at = page.html.find(part, at + 1)) {
        ++found;
      }
      return found;
    };
    CHECK(count("<script") == 2);
    CHECK(count("</script>") == 2);
  }
  const json objects = page_of(graph).run.at("objects");
  CHECK(std::ranges::any_of(objects, [](const json& name) {
    return name.get<std::string>().find("</script><!-- \xef\xbf\xbd") != std::string::npos;
  }));
}

TEST_CASE("A page needs nothing from elsewhere") {
  const std::string html = page_of(graph_of(test::meeting).graph).html;
  CHECK(html.starts_with("<!doctype html>"));
  CHECK(html.find("default-src 'none'") != std::string::npos);
  for (const char* const foreign : {"http:", "https:", "<link", " src=", "url(", "import "}) {
    INFO(foreign);
    CHECK(html.find(foreign) == std::string::npos);
  }
  CHECK(html.find("@SCRIPT@") == std::string::npos);
  CHECK(html.find("@STYLE@") == std::string::npos);
}

TEST_CASE("A page says that a run is empty") {
  CHECK(page_of(graph_of([](World&) {}).graph).run.at("is_empty").get<bool>());
  CHECK(page_of(EventGraph{}).run.at("is_empty").get<bool>());
}

TEST_CASE("A long run is thinned: it is said, the time is all there, and arrows go forward") {
  const EventGraph graph = long_graph(5000);
  const Page page = page_of(graph, 1000);
  const json& run = page.run;
  CHECK(page.extent.is_thinned());
  CHECK(page.extent.operations == graph.operations.size());
  CHECK(page.extent.pieces <= 1500);
  CHECK(page.extent.pieces >= 250);
  CHECK(page.extent.messages_shown >= 30);
  CHECK(page.extent.messages_shown <= 250);
  REQUIRE(run.at("notices").size() == 1);
  CHECK(run.at("notices").at(0) == thinning_text(page.extent));

  const std::vector<double> counts = column(run.at("operations"), "pieces");
  double sum = 0;
  for (const double count : counts) sum += count;
  CHECK(sum == static_cast<double>(graph.operations.size()));
  const Dates dates = dates_of(run);
  CHECK(std::ranges::is_sorted(dates.ends));
  double covered = 0;
  for (std::size_t i = 0; i < dates.ends.size(); ++i) covered += dates.ends[i] - dates.begins[i];
  double lived = 0;
  for (const GraphOperation& one : graph.operations) {
    lived += static_cast<double>((one.end - one.begin).picoseconds());
  }
  CHECK(covered == lived);
  const std::vector<double> sends = column(run.at("messages"), "send");
  const std::vector<double> receives = column(run.at("messages"), "receive");
  const std::vector<double> racing = column(run.at("messages"), "racing");
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const auto send = static_cast<std::size_t>(sends[i]);
    CHECK(counts.at(send) == 1);
    if (receives.at(i) < 0) continue;
    CHECK(dates.ends.at(send) <= dates.ends.at(static_cast<std::size_t>(receives[i])));
  }
  const auto all_racing = std::ranges::count_if(graph.messages, &GraphMessage::is_racing);
  CHECK(ones(racing) == static_cast<std::size_t>(all_racing));
  CHECK(run.at("counts").at(0).at("sent") == 2500);
}

TEST_CASE("The accesses of data races stay by themselves where a long run is thinned") {
  EventGraph graph = long_graph(5000);
  graph.data_races = {{1001, 4002, 0}, {1001, 19'003, 1}};
  const json run = page_of(graph, 1000).run;
  const std::vector<double> counts = column(run.at("operations"), "pieces");
  const std::vector<double> tasks = column(run.at("operations"), "task");
  REQUIRE(run.at("dataRaces").size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const json& race = run.at("dataRaces").at(i);
    CHECK(race.at("finding") == i);
    const auto second = race.at("second").get<std::size_t>();
    CHECK(race.at("first") < second);
    CHECK(counts.at(second) == 1);
    CHECK(tasks.at(second) == graph.operations[graph.data_races[i].second].id.task.value);
  }
  CHECK(run.at("dataRaces").at(0).at("first") == run.at("dataRaces").at(1).at("first"));
}

TEST_CASE("Races on a page keep their numbers, and how many there are is said where not all are") {
  EventGraph graph = long_graph(5000);
  // Most of a thinned graph's messages are gone, but not those of the first races, and of the last.
  for (std::uint32_t i = 0; i < 2999; ++i) graph.races.push_back({i + 10, i, i + 1, i + 1});
  graph.races.push_back({3009, 0, 1, 3000});
  const json thin = page_of(graph, 1000).run.at("races");
  const std::vector<double> numbers = column(thin, "number");
  REQUIRE(!numbers.empty());
  CHECK(numbers.size() < 3000);
  CHECK(thin.at("count") == numbers.size());
  CHECK(thin.at("total") == 3000);
  CHECK(numbers[0] == 1);
  CHECK(numbers.back() == 3000);
  const std::vector<double> receivers = column(page_of(graph).run.at("races"), "receiver");
  for (std::uint32_t i = 0; i < receivers.size(); ++i) CHECK(receivers[i] == i + 10);

  graph.races.clear();
  for (std::uint32_t i = 0; i < 20'005; ++i) graph.races.push_back({3, 0, 1, i + 1});
  const json many = page_of(graph).run.at("races");
  CHECK(many.at("count") == 20'000);
  CHECK(many.at("total") == 20'005);
  CHECK(column(many, "number").back() == 20'000);
}

TEST_CASE("Dates of very long runs are those that the page adds up to") {
  EventGraph graph = long_graph(200);
  // More than 2^53 picoseconds: past two and a half hours.
  for (GraphOperation& one : graph.operations) {
    const auto later = [](VirtualTime date) {
      return VirtualTime::from_picoseconds(date.picoseconds() * 1'000'003 +
                                           (std::int64_t{1} << 58));
    };
    one.begin = later(one.begin);
    one.end = later(one.end);
  }
  const Dates dates = dates_of(page_of(graph).run);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto exact = static_cast<double>(graph.operations[i].end.picoseconds());
    CHECK(std::abs(dates.ends[i] - exact) <= 128);
  }
}

TEST_CASE("A page that cannot be written is one error") {
  std::FILE* const unwritable = std::fopen("/dev/null", "r");
  CHECK_THROWS_AS(write_page({}, fileno(unwritable)), UsageError);
  CHECK_THROWS_WITH(write_page({}, fileno(unwritable)), Catch::Contains("cannot be written"));
  std::fclose(unwritable);
}

}  // namespace orrery
