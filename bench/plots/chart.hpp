// Charts as SVG: lines and dots over two axes, or groups of bars.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orrery::bench {

enum class Scale { linear, logarithmic };

/// What an axis measures, and between which values.
struct Axis {
  std::string title;
  Scale scale = Scale::linear;
  std::function<std::string(double)> label = {};  ///< of a tick; empty: plain digits
  std::optional<double> least = {};               ///< otherwise what the points need
  std::optional<double> most = {};
};

struct Point {
  double x = 0;
  double y = 0;
};

enum class Look { line, dashed_line, dots };

/// Points that belong together, with a line in the legend.
struct Series {
  std::string name;  ///< empty: not in the legend
  Look look = Look::line;
  std::vector<Point> points;
  std::size_t colour = 0;  ///< of the eight; the same one for what belongs together
};

/// Lines and dots over two axes.
struct LineChart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
};

/// A number for each category, in the same order; less than 0 is not drawn.
struct BarSeries {
  std::string name;
  std::vector<double> values;
};

/// For each category a bar of each series, with its value above it where bars are wide enough.
struct BarChart {
  std::string title;
  Axis y;  ///< starts at 0
  std::vector<std::string> categories;
  std::vector<BarSeries> series;
};

/// A picture as a complete SVG file, white behind, legible in print without colours: the lines of
/// one chart beside those of the next.
///
///     std::ofstream("rate.svg") << svg(std::vector{LineChart{
///         .title = "bandwidth", .x = {.title = "size"}, .y = {.title = "MB/s"},
///         .series = {{.name = "simulated", .points = {{0, 0}, {1'000, 200}}}}}});
[[nodiscard]] std::string svg(std::span<const LineChart> side_by_side);
[[nodiscard]] std::string svg(const BarChart& chart);

/// A bar chart from a table: first line `anything,SERIES,...`, then a line `CATEGORY,NUMBER,...`
/// for each category; an empty field draws no bar.  Throws `UsageError` naming `where` and the
/// line.
[[nodiscard]] BarChart bar_chart_of_table(const std::string& table, const std::string& where);

/// Values for an axis from `least` to `most`: 1, 2 or 5 times a power of ten, about `count` of
/// them; on a logarithmic axis the powers of ten alone.
[[nodiscard]] std::vector<double> ticks(double least, double most, Scale scale, int count);

/// `64`, `0.5`, `1,500`: up to three digits that count, thousands apart.
[[nodiscard]] std::string plain_number(double value);

}  // namespace orrery::bench
