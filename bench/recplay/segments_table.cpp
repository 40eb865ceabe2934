#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../plots/chart.hpp"
#include "../src/csv.hpp"
#include "../src/thread_program.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

constexpr double paper_held_percent = 8.0;
constexpr int threads = 4;

/// Counts of one replay with `recplay`.
struct Segments {
  double created = 0;
  double held_max = 0;
  double needed_max = 0;
  double compared = 0;
  double bytes_max = 0;
};

Segments segments_of(const ThreadProgram& program, const std::string& options) {
  const std::string told =
      output_of(program.replayed("--json --stats --detect 'recplay:" + options + "'"));
  const nlohmann::json counts = nlohmann::json::parse(told).at("stats").at("detection");
  const auto number = [&](const char* name) { return counts.at(name).get<double>(); };
  return {number("segments"), number("segments_held_max"), number("segments_needed_max"),
          number("segments_compared"), number("segments_bytes_max")};
}

/// Figures 2 and 3 of the paper: the segments that are held, their bytes, and bytes a segment.
std::string picture_of(const std::string& kernel, const std::string& series) {
  std::array<LineChart, 3> charts;
  const std::array<const char*, 3> titles{"segments", "kB of bitmaps", "bytes a segment"};
  for (std::size_t i = 0; i < charts.size(); ++i) {
    charts[i].title = kernel + ": " + titles[i];
    charts[i].x.title = "segments that have ended";
    charts[i].y.title = titles[i];
    charts[i].series.push_back({.name = i == 0 ? "held" : "", .points = {}, .colour = 0});
  }
  charts[0].series.push_back(
      {.name = "needed", .look = Look::dashed_line, .points = {}, .colour = 1});
  std::istringstream lines(series);
  std::string line;
  std::getline(lines, line);  // names
  while (std::getline(lines, line)) {
    std::array<double, 4> field{};
    const char* at = line.c_str();
    for (double& one : field) {
      char* end = nullptr;
      one = std::strtod(at, &end);
      at = *end == ',' ? end + 1 : end;
    }
    const auto [ended, held, needed, bytes] = field;
    charts[0].series[0].points.push_back({ended, held});
    charts[0].series[1].points.push_back({ended, needed});
    charts[1].series[0].points.push_back({ended, bytes / 1000});
    if (held > 0) charts[2].series[0].points.push_back({ended, bytes / held});
  }
  return svg(charts);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace

void print_segments(const RecplayBench& bench) {
  fmt::print(
      "\nRecPlay's table 2: segments of four threads, recorded on real cores and replayed; needed: "
      "the exact live set\n\n{:6} {:>9} {:>18} {:>18} {:>13} {:>10} {:>22}\n",
      "", "created", "held at most", "needed at most", "compared", "bitmaps kB",
      "kB without dropping");
  Csv csv("kernel,created,held_max,needed_max,compared,bytes_max,bytes_max_without_dropping");
  double held_percent = 0;
  double needed_percent = 0;
  const std::vector<Kernel> kernels = bench.kernels();
  for (const Kernel& kernel : kernels) {
    // Of millions of operations of locks, a list that drops nothing would fill the memory.
    const bool is_small = bench.options.is_quick || !kernel.is_of_paper;
    const ThreadProgram program(kernel.name, kernel.sized(is_small));
    static_cast<void>(output_of(program.recorded(threads, "--quiet")));
    const std::string series = program.file("series.csv");
    const Segments with = segments_of(program, "series=" + series);
    const Segments without = segments_of(program, "matrix_clocks=no");
    const auto percent = [&](double count) { return 100 * count / with.created; };
    fmt::print("{:6} {:9.0f} {:9.0f} ({:5.1f}%) {:9.0f} ({:5.1f}%) {:13.0f} {:10.0f} {:22.0f}\n",
               kernel.name, with.created, with.held_max, percent(with.held_max), with.needed_max,
               percent(with.needed_max), with.compared, with.bytes_max / 1000,
               without.bytes_max / 1000);
    std::fflush(stdout);
    csv.add({kernel.name, fmt::to_string(with.created), fmt::to_string(with.held_max),
             fmt::to_string(with.needed_max), fmt::to_string(with.compared),
             fmt::to_string(with.bytes_max), fmt::to_string(without.bytes_max)});
    const std::string picture = fmt::format("recplay-segments-{}", kernel.name);
    const std::string table = content_of(series);
    write_whole(bench.pictures / (picture + ".svg"), picture_of(kernel.name, table));
    held_percent += percent(with.held_max) / static_cast<double>(kernels.size());
    needed_percent += percent(with.needed_max) / static_cast<double>(kernels.size());
  }
  if (kernels.size() == 1) return;
  fmt::print("held at most, on average {:.1f} % (needed {:.1f} %); the paper's {} %\n",
             held_percent, needed_percent, paper_held_percent);
  csv.write(bench.pictures / "recplay-segments.csv");
}

}  // namespace orrery::bench
