// The few SVG elements that a chart is made of.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "chart.hpp"

namespace orrery::bench {

enum class Anchor { start, middle, end };

/// What a text looks like; sizes in pixels.
struct TextStyle {
  Anchor anchor = Anchor::start;
  double size = 13;
  bool bold = false;
  bool upwards = false;  ///< turned by a quarter to the left
};

/// What a stroke looks like.
struct Stroke {
  std::string_view colour = "#222222";
  double width = 1;
  bool dashed = false;
};

/// Collects elements; coordinates are pixels from the upper left corner.
class SvgCanvas {
 public:
  SvgCanvas(double width, double height);
  void line(Point from, Point to, const Stroke& stroke);
  void polyline(std::span<const Point> points, const Stroke& stroke);
  void rectangle(Point corner, double width, double height, std::string_view fill);
  /// A dot that can be told from the others without its colour.
  void dot(Point centre, std::size_t kind);
  void text(Point where, std::string_view text, const TextStyle& style = {});
  /// The whole file.
  [[nodiscard]] std::string finished() const;

 private:
  std::string body_;
};

/// Colours that differ for colour-blind eyes and in grey (Okabe and Ito 2008), by number.
[[nodiscard]] std::string_view colour(std::size_t number);

/// About how wide a text is: the fonts of those who look are not known here.
[[nodiscard]] double text_width(std::string_view text, double size);

/// A legend's lines from left to right, in rows of at most `width`; gives the rows' height.
class Legend {
 public:
  explicit Legend(double width) : width_(width) {}
  /// `draw` gets the place of a sign 24 wide, 16 high.
  void add(const std::string& name, std::function<void(SvgCanvas&, Point)> draw);
  [[nodiscard]] double height() const;
  void draw(SvgCanvas& canvas, Point corner) const;

 private:
  struct Entry {
    std::string name;
    std::function<void(SvgCanvas&, Point)> draw;
    double x = 0;
    int row = 0;
  };
  double width_;
  double next_x_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace orrery::bench
