#include <array>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "../src/csv.hpp"
#include "../src/thread_program.hpp"
#include "tables.hpp"

namespace orrery::bench {
namespace {

constexpr std::array methods{
    "choices",       "lamport-order", "lamport-order:objects=yes", "instant-replay", "leap",
    "global-writes", "stride",        "stride:group=block:64"};

}  // namespace

void print_logs(const RecplayBench& bench) {
  fmt::print(
      "\nWhole logs of one and the same run in simulation (--preempt all --window 20us --seed 1): "
      "bytes, and bytes a step\n\n{:6} {:>8}",
      "", "steps");
  for (const char* const method : methods) fmt::print(" {:>25}", method);
  fmt::print("\n");
  Csv csv("kernel,method,steps,log_bytes");
  for (const Kernel& kernel : bench.kernels()) {
    const ThreadProgram program(kernel.name, "");
    for (const char* const method : methods) {
      const std::string told = output_of(
          fmt::format("'{}' run --json --preempt all --window 20us --seed 1 --record '{}' --method "
                      "'{}' '{}'",
                      ORRERY_BINARY, program.log(), method, program.path()));
      const auto steps = nlohmann::json::parse(told).at("steps").get<std::uint64_t>();
      const std::uintmax_t bytes = std::filesystem::file_size(program.log());
      if (method == methods.front()) fmt::print("{:6} {:8}", kernel.name, steps);
      fmt::print(" {:>25}", fmt::format("{} ({:.3f})", bytes,
                                        static_cast<double>(bytes) / static_cast<double>(steps)));
      std::fflush(stdout);
      csv.add({kernel.name, method, fmt::to_string(steps), fmt::to_string(bytes)});
    }
    fmt::print("\n");
  }
  if (bench.kernels().size() > 1) csv.write(bench.pictures / "recplay-logs.csv");
}

}  // namespace orrery::bench
