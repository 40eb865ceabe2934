#include "machine_flags.hpp"

#include <memory>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/network_model/usage_error.hpp>

#include "files.hpp"

namespace orrery::cli {
namespace {

constexpr std::uint64_t ranks_max = 100'000;
constexpr std::uint64_t stack_bytes_min = std::uint64_t{16} << 10U;
// A program's start alone takes some: blocks of each size come from 16 KiB and more.
constexpr std::uint64_t memory_limit_bytes_min = std::uint64_t{1} << 20U;
constexpr std::uint64_t stack_bytes_max = std::uint64_t{1} << 30U;
// Where a program makes as many processes as it likes: a host for each.
constexpr std::uint32_t host_count_otherwise = 1U << 20U;

}  // namespace

void MachineFlags::declare(Flags& flags) {
  flags.whole_number("-n", ranks, "ranks of an MPI program", 1, ranks_max);
  flags.text("--platform", platform, "NAME|FILE", "the network: see orrery list networks");
  flags.text("--map", map, "MAP",
             "where ranks run: round-robin, block[:N], or a host for each, as in a*2,b");
  flags.text("--hostfile", host_file, "FILE", "the same from a file: HOST [slots=N] on a line");
  flags.text("--compute", computing, "HOW",
             "what computing takes a program: none, cost[=PRICE] a basic block, measured[=SCALE]");
  flags.text("--preempt", preemption, "WHERE",
             "where a program may lose its turn: sync, shared (also at accesses to memory that "
             "several tasks have touched), all");
  flags.text("--mpi-checks", mpi_checks, "WHAT",
             "wrong use of MPI that is looked for: all, or arguments (which costs less)");
  flags.whole_number("--seed", seed, "seed of every draw (0)");
  flags.duration("--window", window,
                 "reorder window: events so near to each other compete; inf for any order");
  flags.whole_number("--step-limit", step_limit, "end a run after so many steps", 1);
  flags.duration("--virtual-limit", virtual_limit, "end a run at this virtual time");
  flags.duration("--wall-limit", wall_limit, "end a run after so much real time");
  flags.size("--stack-size", stack_bytes, "stack of each task (8MiB for programs)", stack_bytes_min,
             stack_bytes_max);
  flags.size("--memory-limit", memory_limit_bytes,
             "what the ranks of a program can allocate, all together", memory_limit_bytes_min,
             UINT64_MAX);
  flags.size("--eager-threshold", eager_threshold_bytes,
             "longer messages wait for their receive; 0: every send does (64KiB)", 0, UINT64_MAX);
  flags.toggle("--threads", takes_foreign_programs,
               "PROGRAM was not built with orrery cc: switches at synchronisation only");
  flags.toggle("--spurious-wakeups", spurious_wakeups,
               "condition variables may wake without a notification");
  flags.text("--expect-output", expected_output_path, "FILE",
             "anything else on standard output is a finding");
}

void MachineFlags::apply_to(SimulationOptions& options, std::uint32_t given_ranks) const {
  place(options, given_ranks);
  if (computing) options.computing = parse_computing_time(*computing, "--compute");
  if (preemption) options.preemption = parse_preemption(*preemption, "--preempt");
  if (mpi_checks) options.mpi_checks = parse_mpi_checks(*mpi_checks, "--mpi-checks");
  if (seed) options.seed = *seed;
  if (window) options.window = *window;
  if (step_limit) options.step_limit = *step_limit;
  if (virtual_limit) options.virtual_limit = *virtual_limit;
  if (wall_limit) options.wall_limit = *wall_limit;
  if (stack_bytes) options.stack_bytes = *stack_bytes;
  if (memory_limit_bytes) options.memory_limit_bytes = *memory_limit_bytes;
  if (eager_threshold_bytes) options.eager_threshold_bytes = *eager_threshold_bytes;
  if (spurious_wakeups) options.spurious_wakeups = true;
  if (expected_output_path) {
    options.expected_output = read_whole_file(*expected_output_path, "--expect-output");
  }
}

void MachineFlags::place(SimulationOptions& options, std::uint32_t given_ranks) const {
  if (!map && !host_file) return;
  if (map && host_file) {
    throw UsageError("cannot be used together with --hostfile", "--map", "give one of them");
  }
  const auto network =
      options.network ? options.network() : std::make_unique<ConstantNetwork>(host_count_otherwise);
  std::optional<std::uint32_t> known;
  if (given_ranks > 0) known = given_ranks;
  options.placement = map ? parse_placement(*map, *network, known, "--map")
                          : read_host_file(*host_file, *network, known);
}

void WantedNetwork::begin() {
  if (!text_.empty() && !request_) request_.emplace(text_, "--platform");
}

NetworkFactory WantedNetwork::factory(std::uint32_t ranks) {
  begin();
  return request_ ? request_->factory(ranks == 0 ? host_count_otherwise : ranks) : nullptr;
}

}  // namespace orrery::cli
