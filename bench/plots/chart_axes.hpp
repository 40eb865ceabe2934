// From values to pixels, and the axes that say so.
#pragma once

#include <string>
#include <vector>

#include "svg_canvas.hpp"

namespace orrery::bench {

// In pixels, of every chart.
constexpr double plot_height = 280;
constexpr double margin = 18;
constexpr double title_height = 40;

/// Where a chart's lines or bars are drawn.
struct Frame {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

/// An axis with its ends and ticks.
class ScaledAxis {
 public:
  /// Ends that have room for all `values`; on a linear axis at ticks, and at 0 if that is near.
  ScaledAxis(const Axis& axis, const std::vector<double>& values, int tick_count);
  /// 0 at the lower end, 1 at the upper.
  [[nodiscard]] double part(double value) const;
  [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }
  [[nodiscard]] std::string label(double tick) const;
  [[nodiscard]] const Axis& axis() const { return axis_; }

 private:
  Axis axis_;
  double least_ = 0;
  double most_ = 1;
  std::vector<double> ticks_;
};

/// How much room the labels and the title of a vertical axis need at its left.
[[nodiscard]] double width_beside(const ScaledAxis& y);
/// Grid lines with their labels, and the title.
void draw_y_axis(SvgCanvas& canvas, const Frame& frame, const ScaledAxis& y);
void draw_x_axis(SvgCanvas& canvas, const Frame& frame, const ScaledAxis& x);

}  // namespace orrery::bench
