#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

#include "measuring.hpp"

namespace orrery::bench {
namespace {

// What Google Benchmark calls a run's values.
constexpr const char* figure_counter = "figure";
constexpr const char* peer_counter = "peer";

void take_sample(const BenchmarkRow& row, benchmark::State& state) {
  Sample sample;
  try {
    for ([[maybe_unused]] auto _ : state) {
      const double start = cpu_seconds();
      sample = row.sample();
      state.SetIterationTime(cpu_seconds() - start);
    }
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return;
  }
  state.counters[figure_counter] = sample.figure;
  state.counters[peer_counter] = sample.peer;
  state.SetLabel(sample.note);
}

std::string number(double value) {
  if (value >= 1e5) return fmt::format("{:.0f}k", value / 1e3);
  if (value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string limit(const Target& target) {
  if (target.of == Target::Of::nothing) return "-";
  if (target.of == Target::Of::error) return fmt::format("error <= {:.0f} %", 100 * target.value);
  return fmt::format("{} {} {}", target.of == Target::Of::ratio ? "ratio" : "figure",
                     target.bound == Target::Bound::at_most ? "<=" : ">=", number(target.value));
}

std::string verdict(const Target& target, double figure, double ratio) {
  if (target.of == Target::Of::nothing) return "-";
  const double value = target.of == Target::Of::ratio   ? ratio
                       : target.of == Target::Of::error ? std::abs(ratio - 1)
                                                        : figure;
  const bool met =
      target.bound == Target::Bound::at_most ? value <= target.value : value >= target.value;
  return met ? "met" : "missed";
}

double median_of(const std::vector<Sample>& samples, double (*part)(const Sample&)) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(part(sample));
  return median(std::move(values));
}

void print_row(const BenchmarkRow& row, std::vector<Sample> samples) {
  const double figure = median_of(samples, [](const Sample& one) { return one.figure; });
  const double peer = median_of(samples, [](const Sample& one) { return one.peer; });
  const double ratio = median_of(samples, [](const Sample& one) { return one.figure / one.peer; });
  const bool has_peer = !row.peer.empty();
  std::ranges::nth_element(samples,
                           samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2), {},
                           &Sample::figure);
  fmt::print("{:36} {:>8} {:11} {:>6}  {:15} {:8} {}\n", row.name, number(figure), row.unit,
             has_peer ? fmt::format("{:.2f}", ratio) : "", limit(row.target),
             verdict(row.target, figure, ratio),
             fmt::format("{}{}{}", has_peer ? fmt::format("{}: {}", row.peer, number(peer)) : "",
                         has_peer && !samples[samples.size() / 2].note.empty() ? "; " : "",
                         samples[samples.size() / 2].note));
}

}  // namespace

void register_rows(const std::vector<BenchmarkRow>& rows) {
  for (const BenchmarkRow& row : rows) {
    benchmark::RegisterBenchmark(row.name.c_str(),
                                 [&row](benchmark::State& state) { take_sample(row, state); })
        ->Iterations(1)
        ->Repetitions(row.repetitions)
        ->UseManualTime();
  }
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string& name = run.run_name.function_name;
    if (run.error_occurred) errors_[name] = run.error_message;
    if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
    samples_[name].push_back(
        {run.counters.at(figure_counter), run.counters.at(peer_counter), run.report_label});
  }
}

void TableReporter::Finalize() {
  fmt::print("{:36} {:>8} {:11} {:>6}  {:15} {:8} {}\n", "", "figure", "unit", "ratio", "target",
             "verdict", "beside it");
  for (const BenchmarkRow& row : rows_) {
    if (const auto error = errors_.find(row.name); error != errors_.end()) {
      fmt::print("{:36} failed: {}\n", row.name, error->second);
    } else if (const auto found = samples_.find(row.name); found != samples_.end()) {
      print_row(row, found->second);
    }
  }
}

}  // namespace orrery::bench
