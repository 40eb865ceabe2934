// Suppressions in ThreadSanitizer's format: what parses, and what they match.
#include <string>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/suppressions.hpp>

namespace orrery {
namespace {

FindingPlace place(const char* file, const char* function, std::vector<SourceFrame> stack = {}) {
  FindingPlace one;
  one.file = file;
  one.function = function;
  one.stack = std::move(stack);
  return one;
}

Finding race() {
  Finding one{FindingKind::data_race,
              "nothing orders two accesses to table[3] (4 bytes)",
              {place("src/queue.cpp", "Queue::push",
                     {{"src/queue.cpp", 4, "Queue::push"}, {"src/main.cpp", 9, "worker"}}),
               place("src/stats.cpp", "count")}};
  return one;
}

bool suppresses(const std::string& line, const Finding& finding = race()) {
  return Suppressions::parse(line, "list").find(finding).has_value();
}

/// What is said of a list that does not parse: where, and what.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(Suppressions::parse(text, "list"));
  } catch (const UsageError& error) {
    return error.where() + ": " + error.problem();
  }
  return "parsed";
}

}  // namespace

TEST_CASE("A pattern is looked for anywhere, unless it is anchored") {
  CHECK(matches_suppression("push", "Queue::push"));
  CHECK(matches_suppression("Qu*sh", "Queue::push"));
  CHECK_FALSE(matches_suppression("pull", "Queue::push"));
  CHECK(matches_suppression("^Queue", "Queue::push"));
  CHECK_FALSE(matches_suppression("^push", "Queue::push"));
  CHECK(matches_suppression("push$", "Queue::push"));
  CHECK_FALSE(matches_suppression("Queue$", "Queue::push"));
  CHECK(matches_suppression("^main$", "main"));
  CHECK_FALSE(matches_suppression("^main$", "main2"));
  CHECK(matches_suppression("^a*b*c$", "axxbyyc"));
  CHECK_FALSE(matches_suppression("^a*b*c$", "axxcyyb"));
  CHECK(matches_suppression("a*$", "bab"));
  CHECK(matches_suppression("^*b$", "ab"));
}

TEST_CASE("A race is suppressed by a function, a file or the variable, of either access") {
  CHECK(suppresses("race:Queue::push"));
  CHECK(suppresses("race:src/stats.cpp"));
  CHECK(suppresses("race:^worker$"));
  CHECK(suppresses("race:table"));
  CHECK_FALSE(suppresses("race:bytes"));
  CHECK_FALSE(suppresses("race:other"));
  CHECK(suppresses("race_top:count"));
  CHECK_FALSE(suppresses("race_top:worker"));
  CHECK_FALSE(suppresses("called_from_lib:main"));
  CHECK_FALSE(suppresses("race:Queue", {FindingKind::deadlock, "", {place("q", "Queue")}}));
}

TEST_CASE("The first line that fits is the one that suppresses; comments and blanks are none") {
  const Suppressions list = Suppressions::parse(
      "# a comment\r\n\n  race:nothing  \nrace:Queue # no comment\nrace_top:^Queue\n", "list");
  REQUIRE(list.lines().size() == 3);
  CHECK(list.lines()[0].pattern == "nothing");
  CHECK(list.lines()[2].number == 5);
  CHECK(list.find(race()) == std::size_t{2});
  CHECK(list.lines()[2].text() == "race_top:^Queue");
}

TEST_CASE("Other kinds of ThreadSanitizer's are taken and of no effect; all else is refused") {
  const Suppressions list =
      Suppressions::parse("deadlock:a\nmutex:b\nsignal:c\nthread:d\nrace:e", "list");
  CHECK(list.lines().size() == 1);
  REQUIRE(list.without_effect().size() == 4);
  CHECK(list.without_effect()[1] == "line 2: mutex:b");
  CHECK(refusal("race:a\nrases:b") == "list:2: there is no kind of suppression 'rases'");
  CHECK(refusal("\n\nQueue") == "list:3: 'Queue' has no colon");
  CHECK(refusal("race:*") == "list:1: 'race:*' would suppress everything");
  CHECK(refusal("race:") == "list:1: 'race:' would suppress everything");
  CHECK(refusal(std::string("race:a\0b", 8)) == "list:1: this is no text");
  CHECK_THROWS_AS(Suppressions::read("/nowhere/list"), UsageError);
}

}  // namespace orrery
