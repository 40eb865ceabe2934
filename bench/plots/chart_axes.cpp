#include "chart_axes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace orrery::bench {
namespace {

constexpr Stroke grid{"#dddddd", 1, false};
constexpr Stroke frame_line{"#666666", 1, false};

}  // namespace

std::vector<double> ticks(double least, double most, Scale scale, int count) {
  std::vector<double> result;
  constexpr double slack = 1e-9;  // so that the end itself is taken whatever was rounded
  if (scale == Scale::logarithmic) {
    const int first = static_cast<int>(std::ceil(std::log10(least) - slack));
    const int last = static_cast<int>(std::floor(std::log10(most) + slack));
    for (int power = first; power <= last; ++power) result.push_back(std::pow(10.0, power));
    return result;
  }
  const double rough = (most - least) / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  const auto first = static_cast<long>(std::ceil(least / step - slack));
  const auto last = static_cast<long>(std::floor(most / step + slack));
  for (long i = first; i <= last; ++i) result.push_back(static_cast<double>(i) * step);
  return result;
}

std::string plain_number(double value) {
  if (value < 1'000) return fmt::format("{:.3g}", value);
  const std::string digits = fmt::format("{:.0f}", value);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

ScaledAxis::ScaledAxis(const Axis& axis, const std::vector<double>& values, int tick_count)
    : axis_(axis) {
  if (!values.empty()) {
    least_ = *std::ranges::min_element(values);
    most_ = *std::ranges::max_element(values);
  }
  const bool is_linear = axis.scale == Scale::linear;
  if (is_linear && least_ > 0 && least_ < most_ / 2) least_ = 0;
  least_ = axis.least.value_or(least_);
  most_ = axis.most.value_or(most_);
  if (most_ <= least_) most_ = least_ <= 0 ? 1 : 2 * least_;
  if (is_linear) {
    const auto inner = bench::ticks(least_, most_, axis.scale, tick_count);
    const double step = inner.size() > 1 ? inner[1] - inner[0] : most_ - least_;
    if (!axis.most) most_ = std::ceil(most_ / step - 1e-9) * step;
    if (!axis.least) least_ = std::floor(least_ / step + 1e-9) * step;
  } else {
    // Half a decade of a decade that is begun is enough.
    const auto rounded = [](double value, bool up) {
      const double halves = 2 * std::log10(value);
      return std::pow(10.0, (up ? std::ceil(halves - 1e-9) : std::floor(halves + 1e-9)) / 2);
    };
    if (!axis.most) most_ = rounded(most_, true);
    if (!axis.least) least_ = rounded(least_, false);
  }
  ticks_ = bench::ticks(least_, most_, axis.scale, tick_count);
}

double ScaledAxis::part(double value) const {
  if (axis_.scale == Scale::linear) return (value - least_) / (most_ - least_);
  return std::log(value / least_) / std::log(most_ / least_);
}

std::string ScaledAxis::label(double tick) const {
  return axis_.label ? axis_.label(tick) : plain_number(tick);
}

double width_beside(const ScaledAxis& y) {
  double widest = 0;
  for (const double tick : y.ticks()) widest = std::max(widest, text_width(y.label(tick), 12));
  return widest + 8 + (y.axis().title.empty() ? 0 : 24);
}

void draw_y_axis(SvgCanvas& canvas, const Frame& frame, const ScaledAxis& y) {
  for (const double tick : y.ticks()) {
    const double at = frame.top + frame.height * (1 - y.part(tick));
    canvas.line({frame.left, at}, {frame.left + frame.width, at}, grid);
    canvas.text({frame.left - 8, at + 4}, y.label(tick), {Anchor::end, 12});
  }
  canvas.line({frame.left, frame.top}, {frame.left, frame.top + frame.height}, frame_line);
  if (y.axis().title.empty()) return;
  canvas.text({frame.left - width_beside(y) + 14, frame.top + frame.height / 2}, y.axis().title,
              {Anchor::middle, 13, false, true});
}

void draw_x_axis(SvgCanvas& canvas, const Frame& frame, const ScaledAxis& x) {
  const double bottom = frame.top + frame.height;
  for (const double tick : x.ticks()) {
    const double at = frame.left + frame.width * x.part(tick);
    canvas.line({at, frame.top}, {at, bottom}, grid);
    canvas.text({at, bottom + 18}, x.label(tick), {Anchor::middle, 12});
  }
  canvas.line({frame.left, bottom}, {frame.left + frame.width, bottom}, frame_line);
  canvas.text({frame.left + frame.width / 2, bottom + 40}, x.axis().title, {Anchor::middle, 13});
}

}  // namespace orrery::bench
