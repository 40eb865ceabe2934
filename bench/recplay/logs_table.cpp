#include <array>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../plots/chart.hpp"
#include "../src/csv.hpp"
#include "../src/thread_program.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

constexpr std::array methods{
    "choices",       "lamport-order", "lamport-order:objects=yes", "instant-replay", "leap",
    "global-writes", "stride",        "stride:group=block:64"};

/// Chosen once, and replayed under each recorder: so all of them keep one and the same run.
class RecordedRun {
 public:
  RecordedRun(const ThreadProgram& program, const char* first_method)
      : program_(program), first_(program.file("first.orr")) {
    record(fmt::format("run --preempt all --window 20us --seed 1 --record '{}' --method {}", first_,
                       first_method),
           fmt::format("'{}'", program.path()));
  }
  /// The bytes of its log by another method.
  std::uintmax_t log_bytes(const char* method) {
    record(fmt::format("replay --record '{}' --method '{}'", program_.log(), method),
           fmt::format("'{}'", first_));
    return std::filesystem::file_size(program_.log());
  }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  void record(const std::string& command, const std::string& what) {
    const std::string told =
        output_of(fmt::format("'{}' {} --json {}", ORRERY_BINARY, command, what));
    steps_ = nlohmann::json::parse(told).at("steps").get<std::uint64_t>();
  }

  const ThreadProgram& program_;
  std::string first_;
  std::uint64_t steps_ = 0;  // of the last one
};

}  // namespace

void print_logs(const RecplayBench& bench) {
  fmt::print(
      "\nWhole logs of one and the same run in simulation (--preempt all --window 20us --seed 1, "
      "then replayed): bytes, and bytes\na step\n\n{:6} {:>8}",
      "", "steps");
  for (const char* const method : methods) fmt::print(" {:>25}", method);
  fmt::print("\n");
  Csv csv("kernel,method,steps,log_bytes");
  BarChart chart{.title = "Logs of one run by each method",
                 .y = {.title = "bytes a step"},
                 .categories = {},
                 .series = {}};
  for (const char* const method : methods) chart.series.push_back({method, {}});
  for (const Kernel& kernel : bench.kernels()) {
    const ThreadProgram program(kernel.name, "");
    RecordedRun run(program, methods.front());
    fmt::print("{:6} {:8}", kernel.name, run.steps());
    chart.categories.emplace_back(kernel.name);
    for (std::size_t i = 0; i < methods.size(); ++i) {
      const std::uintmax_t bytes = run.log_bytes(methods[i]);
      const double bytes_a_step = static_cast<double>(bytes) / static_cast<double>(run.steps());
      fmt::print(" {:>25}", fmt::format("{} ({:.3f})", bytes, bytes_a_step));
      std::fflush(stdout);
      csv.add({kernel.name, methods[i], fmt::to_string(run.steps()), fmt::to_string(bytes)});
      chart.series[i].values.push_back(bytes_a_step);
    }
    fmt::print("\n");
  }
  if (bench.kernels().size() == 1) return;
  csv.write(bench.pictures / "recplay-logs.csv");
  write_whole(bench.pictures / "recplay-logs.svg", svg(chart));
}

}  // namespace orrery::bench
