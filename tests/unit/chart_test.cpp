// The charts of the documentation: ticks, scales, and tables that become bars.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/usage_error.hpp>

#include "chart_axes.hpp"

using namespace orrery;
using namespace orrery::bench;

namespace {

std::string refusal(const std::string& table) {
  try {
    static_cast<void>(bar_chart_of_table(table, "table.csv"));
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("Ticks are round numbers within the ends of their axis") {
  CHECK(ticks(0, 10, Scale::linear, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(ticks(3, 26, Scale::linear, 5) == std::vector<double>{5, 10, 15, 20, 25});
  CHECK(ticks(1, 1000, Scale::logarithmic, 5) == std::vector<double>{1, 10, 100, 1000});
  CHECK(ticks(3, 500, Scale::logarithmic, 5) == std::vector<double>{10, 100});
}

TEST_CASE("Numbers have three digits that count, and thousands apart") {
  CHECK(plain_number(0) == "0");
  CHECK(plain_number(0.125) == "0.125");
  CHECK(plain_number(999.4) == "999");
  CHECK(plain_number(1000) == "1,000");
  CHECK(plain_number(12345678) == "12,345,678");
}

TEST_CASE("An axis has room for all of its values") {
  const ScaledAxis linear({"y"}, {3, 97}, 5);
  CHECK(linear.part(0) == Approx(0));  // as 3 is near
  CHECK(linear.part(100) == Approx(1));
  const ScaledAxis logarithmic({"y", Scale::logarithmic}, {10, 1000}, 5);
  CHECK(logarithmic.part(10) == Approx(0));
  CHECK(logarithmic.part(100) == Approx(0.5));
  const ScaledAxis of_one_value({"y", Scale::logarithmic}, {7}, 5);
  CHECK(of_one_value.part(7) > 0);
  CHECK(of_one_value.part(7) < 1);
}

TEST_CASE("A picture has each line, each dot, and names without markup of their own") {
  const LineChart chart{"a < b & c",
                        {"size"},
                        {"rate"},
                        {{"line", Look::line, {{0, 0}, {1, 1}, {2, 3}}, 0},
                         {"dots", Look::dots, {{1, 1}, {2, 2}}, 0}}};
  const std::string picture = svg(std::vector{chart, chart});
  CHECK(count_of(picture, "<polyline") == 2);
  CHECK(count_of(picture, "<circle") == 2 * (2 + 1));  // one in the legend
  CHECK(contains(picture, "a &lt; b &amp; c"));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK_FALSE(contains(picture, "nan"));
}

TEST_CASE("A table becomes bars, where a number is given") {
  const BarChart chart = bar_chart_of_table("ranks,a,b\n4,1,2.5\n16,3,\n", "table.csv");
  CHECK(chart.categories == std::vector<std::string>{"4", "16"});
  REQUIRE(chart.series.size() == 2);
  CHECK(chart.series[0].values == std::vector<double>{1, 3});
  // Three bars, two signs of the legend, and the background.
  CHECK(count_of(svg(chart), "<rect") == 3 + 2 + 1);
}

TEST_CASE("A table that is none is refused with its line") {
  CHECK(contains(refusal(""), "table.csv: there is nothing to draw"));
  CHECK(contains(refusal("ranks\n"), "table.csv:1: there is no series"));
  CHECK(contains(refusal("ranks,a\n4,1,2\n"), "table.csv:2: 3 fields"));
  CHECK(contains(refusal("ranks,a\n4,1\n8,x\n"), "table.csv:3: 'x' is not a number"));
  CHECK(contains(refusal("ranks,a\n4,-1\n"), "'-1' is not a number"));
  CHECK(contains(refusal("ranks,a\n4,nan\n"), "'nan' is not a number"));
  CHECK(contains(refusal("ranks,a\n4,inf\n"), "'inf' is not a number"));
}
