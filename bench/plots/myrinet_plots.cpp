#include "myrinet_plots.hpp"

#include <fmt/format.h>

#include <orrery/network_model/myrinet_calibration.hpp>

#include "chart.hpp"

namespace orrery::bench {
namespace {

constexpr double small_bytes = 8;  // the size of what was called a small message
constexpr double megabyte = 1e6;

/// 1 B to 4 MB, twelve to a decade and the edges of fragments.
std::vector<std::uint64_t> sizes() {
  std::vector<std::uint64_t> result;
  constexpr double ratio = 1.2115276586285884;  // the twelfth root of 10
  for (double size = 1; size < 4.1e6; size *= ratio) {
    const auto whole = static_cast<std::uint64_t>(size + 0.5);
    if (!result.empty() && whole == result.back()) continue;
    for (const std::uint64_t edge : {4'096, 4'097, 8'192, 8'193}) {
      if (!result.empty() && result.back() < edge && edge < whole) result.push_back(edge);
    }
    result.push_back(whole);
  }
  return result;
}

std::string size_label(double bytes) {
  if (bytes < 1e3) return fmt::format("{:g} B", bytes);
  if (bytes < 1e6) return fmt::format("{:g} kB", bytes / 1e3);
  return fmt::format("{:g} MB", bytes / 1e6);
}

Axis size_axis() {
  return {"message size", Scale::logarithmic, size_label, 1, 4.2e6};
}

double latency_us(const MyrinetParameters& parameters, std::uint64_t size) {
  return static_cast<double>(myrinet_latency(parameters, size).picoseconds()) / 1e6;
}

Series latency_curve(const MyrinetMeasurement& card, std::string name, std::size_t colour) {
  Series series{std::move(name), Look::line, {}, colour};
  for (const std::uint64_t size : sizes()) {
    series.points.push_back(
        {static_cast<double>(size), latency_us(myrinet_preset(card.preset), size)});
  }
  return series;
}

Series streaming_curve(const MyrinetMeasurement& card, std::string name, std::size_t colour) {
  Series series{std::move(name), Look::line, {}, colour};
  for (const std::uint64_t size : sizes()) {
    series.points.push_back({static_cast<double>(size),
                             myrinet_streaming_rate(myrinet_preset(card.preset), size) / megabyte});
  }
  return series;
}

/// One message at a time: size over latency.
Series single_curve(const MyrinetMeasurement& card) {
  Series series{"one at a time", Look::dashed_line, {}, 2};
  for (const std::uint64_t size : sizes()) {
    series.points.push_back(
        {static_cast<double>(size),
         static_cast<double>(size) / latency_us(myrinet_preset(card.preset), size)});
  }
  return series;
}

Series published_latency(const MyrinetMeasurement& card, std::string name, std::size_t colour) {
  return {std::move(name), Look::dots, {{small_bytes, card.latency_us}}, colour};
}

Series published_rates(const MyrinetMeasurement& card, std::string name, std::size_t colour) {
  Series series{std::move(name), Look::dots, {{megabyte, card.megabytes_per_second}}, colour};
  if (card.half_bandwidth_bytes > 0) {
    series.points.push_back({card.half_bandwidth_bytes, card.megabytes_per_second / 2});
  }
  return series;
}

LineChart latency_chart(std::string title) {
  return {
      std::move(title), size_axis(), {"one-way latency, µs", Scale::logarithmic, {}, {}, {}}, {}};
}

LineChart rate_chart(std::string title) {
  return {std::move(title), size_axis(), {"bandwidth, MB/s", Scale::logarithmic, {}, {}, {}}, {}};
}

Picture picture_of(const MyrinetMeasurement& card) {
  const std::string name(card.preset);
  LineChart latency = latency_chart(name + ": latency");
  latency.series = {latency_curve(card, "simulated", 0), published_latency(card, "published", 1)};
  LineChart rate = rate_chart(name + ": bandwidth");
  rate.series = {streaming_curve(card, "simulated, streaming", 0), single_curve(card),
                 published_rates(card, "published", 1)};
  return {name + ".svg", svg(std::vector{latency, rate})};
}

Picture picture_of_all() {
  LineChart latency = latency_chart("latency, simulated (lines) and published (dots)");
  LineChart rate = rate_chart("streaming bandwidth, simulated and published");
  std::size_t colour = 0;
  std::vector<Series> latency_dots;
  std::vector<Series> rate_dots;
  for (const MyrinetMeasurement& card : myrinet_measurements()) {
    const std::string name(card.preset.substr(card.preset.find('-') + 1));
    latency.series.push_back(latency_curve(card, name, colour));
    latency.series.push_back(published_latency(card, {}, colour));
    rate.series.push_back(streaming_curve(card, name, colour));
    rate.series.push_back(published_rates(card, {}, colour));
    ++colour;
  }
  return {"myrinet-all.svg", svg(std::vector{latency, rate})};
}

}  // namespace

std::vector<Picture> myrinet_pictures() {
  std::vector<Picture> pictures;
  for (const MyrinetMeasurement& card : myrinet_measurements()) {
    pictures.push_back(picture_of(card));
  }
  pictures.push_back(picture_of_all());
  return pictures;
}

}  // namespace orrery::bench
