#include <algorithm>

#include "chart_axes.hpp"

namespace orrery::bench {
namespace {

constexpr double panel_width = 470;
constexpr double below_plot = 56;

Stroke stroke_of(const Series& series) {
  return {colour(series.colour), 2, series.look == Look::dashed_line};
}

Legend legend_of(const LineChart& chart) {
  Legend legend(panel_width - 2 * margin);
  for (const Series& series : chart.series) {
    if (series.name.empty()) continue;
    legend.add(series.name, [&series](SvgCanvas& canvas, Point at) {
      if (series.look == Look::dots) {
        canvas.dot({at.x + 12, at.y + 8}, series.colour);
      } else {
        canvas.line({at.x, at.y + 8}, {at.x + 24, at.y + 8}, stroke_of(series));
      }
    });
  }
  return legend;
}

std::vector<double> values_of(const LineChart& chart, double Point::*part) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) values.push_back(point.*part);
  }
  return values;
}

void draw_chart(SvgCanvas& canvas, const LineChart& chart, double left, double plot_top) {
  const ScaledAxis x(chart.x, values_of(chart, &Point::x), 6);
  const ScaledAxis y(chart.y, values_of(chart, &Point::y), 6);
  canvas.text({left + margin, margin + 12}, chart.title, {Anchor::start, 15, true});
  legend_of(chart).draw(canvas, {left + margin, title_height});
  const double beside = margin / 2 + width_beside(y);
  const Frame frame{left + beside, plot_top, panel_width - beside - 1.5 * margin, plot_height};
  draw_x_axis(canvas, frame, x);
  draw_y_axis(canvas, frame, y);
  // Dots last: they lie above the lines.
  for (const bool dots : {false, true}) {
    for (const Series& series : chart.series) {
      if ((series.look == Look::dots) != dots) continue;
      std::vector<Point> places;
      for (const Point& point : series.points) {
        places.push_back({frame.left + frame.width * x.part(point.x),
                          frame.top + frame.height * (1 - y.part(point.y))});
      }
      if (!dots) canvas.polyline(places, stroke_of(series));
      for (const Point& place : places) {
        if (dots) canvas.dot(place, series.colour);
      }
    }
  }
}

}  // namespace

std::string svg(std::span<const LineChart> side_by_side) {
  double legend_height = 0;
  for (const LineChart& chart : side_by_side) {
    legend_height = std::max(legend_height, legend_of(chart).height());
  }
  const double plot_top = title_height + legend_height + 8;
  SvgCanvas canvas(panel_width * static_cast<double>(side_by_side.size()),
                   plot_top + plot_height + below_plot);
  double left = 0;
  for (const LineChart& chart : side_by_side) {
    draw_chart(canvas, chart, left, plot_top);
    left += panel_width;
  }
  return canvas.finished();
}

}  // namespace orrery::bench
