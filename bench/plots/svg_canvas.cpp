#include "svg_canvas.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace orrery::bench {
namespace {

constexpr double legend_row_height = 20;
constexpr double legend_sign_width = 24;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string stroke_text(const Stroke& stroke) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{:g}\"{}", stroke.colour, stroke.width,
                     stroke.dashed ? " stroke-dasharray=\"7 4\"" : "");
}

}  // namespace

std::string_view colour(std::size_t number) {
  static constexpr std::array<std::string_view, 8> all{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                       "#000000", "#e69f00", "#56b4e9", "#8c6d31"};
  return all[number % all.size()];
}

double text_width(std::string_view text, double size) {
  // Bytes that continue a UTF-8 letter have no width of their own.
  const auto letters =
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; });
  constexpr double letter_width = 0.58;  // of DejaVu Sans, which is wide
  return letter_width * size * static_cast<double>(letters);
}

SvgCanvas::SvgCanvas(double width, double height) {
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
      "viewBox=\"0 0 {0:g} {1:g}\"\n font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, "
      "sans-serif\" fill=\"#222222\">\n",
      width, height);
  rectangle({0, 0}, width, height, "#ffffff");
}

void SvgCanvas::line(Point from, Point to, const Stroke& stroke) {
  body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n",
                       from.x, from.y, to.x, to.y, stroke_text(stroke));
}

void SvgCanvas::polyline(std::span<const Point> points, const Stroke& stroke) {
  body_ +=
      "<polyline fill=\"none\" stroke-linejoin=\"round\" " + stroke_text(stroke) + " points=\"";
  for (const Point& point : points) body_ += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
  body_.back() = '"';
  body_ += "/>\n";
}

void SvgCanvas::rectangle(Point corner, double width, double height, std::string_view fill) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
      corner.x, corner.y, width, height, fill);
}

void SvgCanvas::dot(Point centre, std::size_t kind) {
  constexpr double radius = 4.5;
  const auto [x, y] = centre;
  // White around it, so that it stands out from the line below it.
  const std::string look =
      fmt::format("fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"1.5\"", colour(kind));
  const double r = radius;
  switch (kind % 4) {
    case 0:
      body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" {}/>\n", x, y, r, look);
      break;
    case 1:
      body_ += fmt::format("<path d=\"M{:.1f} {:.1f}h{:g}v{:g}h-{:g}z\" {}/>\n", x - r, y - r,
                           2 * r, 2 * r, 2 * r, look);
      break;
    case 2:
      body_ += fmt::format("<path d=\"M{:.1f} {:.1f}l{:g} {:g}h-{:g}z\" {}/>\n", x, y - 1.2 * r,
                           1.2 * r, 2.1 * r, 2.4 * r, look);
      break;
    default:
      body_ += fmt::format("<path d=\"M{:.1f} {:.1f}l{:g} {:g}l-{:g} {:g}l-{:g} -{:g}z\" {}/>\n", x,
                           y - 1.3 * r, 1.3 * r, 1.3 * r, 1.3 * r, 1.3 * r, 1.3 * r, 1.3 * r, look);
  }
}

void SvgCanvas::text(Point where, std::string_view text, const TextStyle& style) {
  const std::string_view anchor = style.anchor == Anchor::start    ? ""
                                  : style.anchor == Anchor::middle ? " text-anchor=\"middle\""
                                                                   : " text-anchor=\"end\"";
  const std::string turn =
      style.upwards ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", where.x, where.y)
                    : "";
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\"{}{}{}>{}</text>\n",
                       where.x, where.y, style.size, style.bold ? " font-weight=\"bold\"" : "",
                       anchor, turn, escaped(text));
}

std::string SvgCanvas::finished() const {
  return body_ + "</svg>\n";
}

void Legend::add(const std::string& name, std::function<void(SvgCanvas&, Point)> draw) {
  constexpr double text_size = 13;
  const double needed = legend_sign_width + 6 + text_width(name, text_size) + 10;
  int row = entries_.empty() ? 0 : entries_.back().row;
  if (next_x_ > 0 && next_x_ + needed > width_) {
    next_x_ = 0;
    ++row;
  }
  entries_.push_back({name, std::move(draw), next_x_, row});
  next_x_ += needed;
}

double Legend::height() const {
  return entries_.empty() ? 0 : legend_row_height * (entries_.back().row + 1);
}

void Legend::draw(SvgCanvas& canvas, Point corner) const {
  for (const Entry& entry : entries_) {
    const Point at{corner.x + entry.x, corner.y + entry.row * legend_row_height};
    entry.draw(canvas, at);
    canvas.text({at.x + legend_sign_width + 6, at.y + 12}, entry.name);
  }
}

}  // namespace orrery::bench
