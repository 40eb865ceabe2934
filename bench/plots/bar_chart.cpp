#include <algorithm>
#include <charconv>
#include <sstream>

#include <orrery/network_model/usage_error.hpp>

#include "chart_axes.hpp"

namespace orrery::bench {
namespace {

constexpr double chart_width = 720;
constexpr double labelled_bar_width = 12;  // values above narrower ones would cover each other

Legend legend_of(const BarChart& chart) {
  Legend legend(chart_width - 2 * margin);
  if (chart.series.size() < 2) return legend;  // the title says what it is
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    legend.add(chart.series[i].name, [i](SvgCanvas& canvas, Point at) {
      canvas.rectangle({at.x + 5, at.y + 1}, 14, 14, colour(i));
    });
  }
  return legend;
}

void draw_bars(SvgCanvas& canvas, const BarChart& chart, const Frame& frame, const ScaledAxis& y) {
  const double group = frame.width / static_cast<double>(chart.categories.size());
  const double bar = std::min(
      60.0, 0.8 * group / static_cast<double>(std::max<std::size_t>(1, chart.series.size())));
  const double bottom = frame.top + frame.height;
  for (std::size_t i = 0; i < chart.categories.size(); ++i) {
    const double middle = frame.left + group * (static_cast<double>(i) + 0.5);
    canvas.text({middle, bottom + 18}, chart.categories[i], {Anchor::middle, 12});
    double left = middle - bar * static_cast<double>(chart.series.size()) / 2;
    for (std::size_t k = 0; k < chart.series.size(); ++k, left += bar) {
      const double value = chart.series[k].values[i];
      if (value < 0) continue;
      const double height = frame.height * y.part(value);
      canvas.rectangle({left + 1, bottom - height}, bar - 2, height, colour(k));
      if (bar < labelled_bar_width) continue;
      canvas.text({left + bar / 2, bottom - height - 5}, y.label(value), {Anchor::middle, 11});
    }
  }
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

double number_of(const std::string& field, const std::string& where) {
  if (field.empty()) return -1;
  double value = 0;
  const auto read = std::from_chars(field.data(), field.data() + field.size(), value);
  const bool is_whole = read.ec == std::errc() && read.ptr == field.data() + field.size();
  if (is_whole && value >= 0 && value <= 1e300) return value;
  throw UsageError("'" + field + "' is not a number of 0 or more", where,
                   "write digits with a point, or nothing for no bar");
}

}  // namespace

std::string svg(const BarChart& chart) {
  std::vector<double> values{0};
  for (const BarSeries& series : chart.series) {
    detail::ensure(series.values.size() == chart.categories.size(),
                   "a series of bars has a value for each category",
                   static_cast<long long>(series.values.size()),
                   static_cast<long long>(chart.categories.size()));
    values.insert(values.end(), series.values.begin(), series.values.end());
  }
  Axis axis = chart.y;
  axis.least = 0;
  const ScaledAxis y(axis, values, 6);
  const Legend legend = legend_of(chart);
  const double plot_top = title_height + legend.height() + 20;  // a value above the highest bar
  SvgCanvas canvas(chart_width, plot_top + plot_height + 34);
  canvas.text({margin, margin + 12}, chart.title, {Anchor::start, 15, true});
  legend.draw(canvas, {margin, title_height});
  const double beside = margin / 2 + width_beside(y);
  const Frame frame{beside, plot_top, chart_width - beside - margin, plot_height};
  draw_y_axis(canvas, frame, y);
  draw_bars(canvas, chart, frame, y);
  canvas.line({frame.left, frame.top + frame.height},
              {frame.left + frame.width, frame.top + frame.height}, {"#666666", 1, false});
  return canvas.finished();
}

BarChart bar_chart_of_table(const std::string& table, const std::string& where) {
  BarChart chart;
  std::istringstream lines(table);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    const std::string place = where + ":" + std::to_string(number);
    const std::vector<std::string> fields = fields_of(line);
    if (chart.series.empty()) {
      for (std::size_t i = 1; i < fields.size(); ++i) chart.series.push_back({fields[i], {}});
      if (chart.series.empty()) {
        throw UsageError("there is no series", place, "begin with a line NAME,SERIES,SERIES");
      }
      continue;
    }
    if (fields.size() != chart.series.size() + 1) {
      throw UsageError(
          std::to_string(fields.size()) + " fields", place,
          "give one more than there are series: " + std::to_string(chart.series.size() + 1));
    }
    chart.categories.push_back(fields[0]);
    for (std::size_t i = 1; i < fields.size(); ++i) {
      chart.series[i - 1].values.push_back(number_of(fields[i], place));
    }
  }
  if (chart.categories.empty()) {
    throw UsageError("there is nothing to draw", where, "give a line CATEGORY,NUMBER,NUMBER");
  }
  return chart;
}

}  // namespace orrery::bench
