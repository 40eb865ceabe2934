// A run as a graph: its states, its messages, and who knows what of whom.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "event_graphs.hpp"

namespace orrery {
namespace {

using test::graph_of;
using test::GraphedRun;

/// The operations of each task follow upon each other without a gap, from its beginning on.
void check_covers(const EventGraph& graph) {
  std::vector<VirtualTime> covered;
  for (const GraphTask& task : graph.tasks) covered.push_back(task.begin);
  VirtualTime last;
  for (const GraphOperation& one : graph.operations) {
    CHECK(one.begin == covered[one.id.task.value]);
    CHECK(one.begin <= one.end);
    CHECK(last <= one.end);
    last = covered[one.id.task.value] = one.end;
  }
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const GraphTask& task = graph.tasks[i];
    CHECK(covered[i] <= task.end);
    if (task.has_ended) CHECK(covered[i] == task.end);
    if (!task.has_ended) CHECK(task.end == graph.end);
  }
}

std::size_t receipts_in(const std::vector<Event>& events) {
  return static_cast<std::size_t>(std::ranges::count_if(events, [](const Event& event) {
    return event.kind == OperationKind::receive && event.matched != OperationId{};
  }));
}

std::size_t racing(const EventGraph& graph) {
  return static_cast<std::size_t>(
      std::ranges::count(graph.messages, true, &GraphMessage::is_racing));
}

}  // namespace

TEST_CASE("a graph has a run's tasks, operations and messages, and no time is missing") {
  const GraphedRun run = graph_of(test::gathered(true));
  const EventGraph& graph = run.graph;
  REQUIRE(run.outcome.is_clean());
  check_covers(graph);
  CHECK(graph.end == run.outcome.end);
  REQUIRE(graph.tasks.size() == 4);
  CHECK(graph.tasks[1].name == "rank 0");
  CHECK(graph.tasks[1].process.value == 1);
  CHECK(graph.tasks[3].process.value == 3);
  CHECK(graph.messages.size() == 4);
  CHECK(receipts_in(run.events) == graph.messages.size());
  for (const GraphMessage& message : graph.messages) {
    const GraphOperation& send = graph.operations[message.send];
    const GraphOperation& receive = graph.operations[message.receive];
    CHECK(send.kind == OperationKind::send);
    CHECK(receive.kind == OperationKind::receive);
    CHECK(send.end <= receive.end);
    CHECK(message.send < message.receive);
    CHECK(static_cast<std::int32_t>(send.id.task.value) == message.source + 1);
    CHECK(static_cast<std::int32_t>(receive.id.task.value) == message.destination + 1);
    CHECK(message.size_bytes == sizeof(int));
    CHECK(graph.line_of(receive).starts_with("event_graphs.hpp:"));
  }
}

TEST_CASE("computing and waiting are told apart") {
  const EventGraph graph = graph_of(test::gathered(true)).graph;
  std::map<std::string, std::int64_t> sums;
  for (const GraphOperation& one : graph.operations) {
    if (one.id.task.value != 1) continue;
    sums[std::string(graph.label(one))] += one.end.picoseconds() - one.begin.picoseconds();
  }
  // A million operations at 1 Gflop/s; the messages take less than that.
  CHECK(sums["compute"] == 1'000'000'000);
  CHECK(sums["receive"] == 0);
  const EventGraph threads = graph_of(test::meeting).graph;
  check_covers(threads);
  const auto waking = std::ranges::find(threads.operations, true, &GraphOperation::is_waking);
  REQUIRE(waking != threads.operations.end());
  CHECK(waking->kind == OperationKind::mutex_lock);
  CHECK(threads.label(*waking) == "condition_wait");
  CHECK(waking->end.picoseconds() - waking->begin.picoseconds() == 5'000'000);
}

TEST_CASE("messages that race are marked, and those of the mended twin are not") {
  CHECK(racing(graph_of(test::gathered(true)).graph) == 2);
  CHECK(racing(graph_of(test::gathered(false)).graph) == 0);
  CHECK(graph_of(test::gathered(false)).graph.races.empty());
  const EventGraph graph = graph_of(test::gathered(true)).graph;
  REQUIRE(graph.races.size() == 1);  // the second receive can have the second message only
  const GraphRace& race = graph.races.front();
  CHECK(graph.operations[race.receiver].kind == OperationKind::receive);
  CHECK(graph.messages[race.taken].receive == race.receiver);
  CHECK(graph.messages[race.other].source != graph.messages[race.taken].source);
}

TEST_CASE("a graph says what those wait for who never went on") {
  const GraphedRun run = graph_of(test::stuck);
  REQUIRE_FALSE(run.outcome.is_clean());
  const EventGraph& graph = run.graph;
  check_covers(graph);
  REQUIRE(graph.tasks.size() == 3);
  CHECK_FALSE(graph.tasks[1].has_ended);
  CHECK_THAT(graph.tasks[1].rest, Catch::Contains("a message from rank 1"));
  CHECK(graph.tasks[2].has_ended);
  CHECK(graph.tasks[2].rest.empty());
  REQUIRE(graph.findings.size() == 1);
  CHECK(graph.messages.empty());
}

TEST_CASE("a program that does nothing has a graph without operations of its own") {
  const EventGraph graph = graph_of([](World&) {}).graph;
  check_covers(graph);
  CHECK(graph.tasks.size() == 1);
  CHECK(graph.messages.empty());
  CHECK(graph.end == VirtualTime{});
}

TEST_CASE("what a task knows of others is a partial order that messages and locks agree with") {
  for (const Program& program : {test::gathered(true), Program(test::meeting)}) {
    const EventGraph graph = graph_of(program).graph;
    using Clock = std::map<std::uint32_t, std::uint32_t>;
    std::vector<std::vector<Clock>> clocks(graph.tasks.size());  // by task, then by operation
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
      const std::uint32_t task = graph.operations[i].id.task.value;
      Clock clock = clocks[task].empty() ? Clock{} : clocks[task].back();
      ++clock[task];
      for (; next < graph.knowledge.size() && graph.knowledge[next].operation == i; ++next) {
        const GraphKnowledge& learned = graph.knowledge[next];
        CHECK(clock[learned.task] < learned.operations_known);
        clock[learned.task] = learned.operations_known;
      }
      for (const auto& [other, count] : clock) {
        if (other == task) continue;
        REQUIRE(count <= clocks[other].size());  // nothing is known before it has happened
        for (const auto& [third, known] : clocks[other][count - 1]) CHECK(clock[third] >= known);
      }
      clocks[task].push_back(clock);
    }
    CHECK(next == graph.knowledge.size());
    const auto number_in_task = [&](std::uint32_t operation) {
      const TaskId task = graph.operations[operation].id.task;
      return static_cast<std::uint32_t>(
          std::count_if(graph.operations.begin(), graph.operations.begin() + operation + 1,
                        [&](const GraphOperation& one) { return one.id.task == task; }));
    };
    for (const GraphMessage& message : graph.messages) {
      const std::uint32_t sender = graph.operations[message.send].id.task.value;
      const std::uint32_t receiver = graph.operations[message.receive].id.task.value;
      Clock& clock = clocks[receiver][number_in_task(message.receive) - 1];
      CHECK(clock[sender] >= number_in_task(message.send));
    }
    const auto waking = std::ranges::find(graph.operations, true, &GraphOperation::is_waking);
    if (waking == graph.operations.end()) continue;
    // It has been woken by a task that had done all but end.
    const auto at = static_cast<std::uint32_t>(waking - graph.operations.begin());
    Clock& clock = clocks[waking->id.task.value][number_in_task(at) - 1];
    CHECK(clock[2] == 4);
  }
}

TEST_CASE("a graph is one run's: the next begins anew") {
  EventGraphObserver watching;
  Observer* const observers[] = {&watching};
  UndisturbedChooser chooser;
  Simulation simulation{SimulationOptions{}};
  simulation.run(test::gathered(true), chooser, observers);
  simulation.run(test::meeting, chooser, observers);
  CHECK(watching.graph().messages.empty());
  CHECK(watching.graph().knowledge.empty());
  check_covers(watching.graph());
}

}  // namespace orrery
