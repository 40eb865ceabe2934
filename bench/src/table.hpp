// The one table that `./dev bench` prints.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmark_row.hpp"

namespace orrery::bench {

/// Registers each row with Google Benchmark: an iteration is a sample, a repetition another one.
void register_rows(const std::vector<BenchmarkRow>& rows);

/// Collects all repetitions and prints medians when everything was measured.
class TableReporter final : public benchmark::BenchmarkReporter {
 public:
  explicit TableReporter(const std::vector<BenchmarkRow>& rows) : rows_(rows) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  const std::vector<BenchmarkRow>& rows_;
  std::map<std::string, std::vector<Sample>> samples_;
  std::map<std::string, std::string> errors_;
};

}  // namespace orrery::bench
