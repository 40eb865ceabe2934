// What many tasks and many messages cost.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include <orrery/sim_runtime/orrery.hpp>

#include "benchmark_row.hpp"
#include "measuring.hpp"

namespace orrery::bench {
namespace {

constexpr std::uint32_t many_tasks = 10'000;
constexpr std::uint32_t stores_in_all = 200'000;

/// A row of `/proc/self/status`, in bytes: `VmHWM` is the most memory that was ever resident.
double own_status_bytes(const char* field) {
  std::FILE* const file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return 0;
  std::array<char, 256> line{};
  double kibibytes = 0;
  const std::size_t length = std::strlen(field);
  while (std::fgets(line.data(), line.size(), file) != nullptr) {
    if (std::strncmp(line.data(), field, length) == 0 && line[length] == ':') {
      kibibytes = std::strtod(line.data() + length + 1, nullptr);
    }
  }
  std::fclose(file);
  return kibibytes * 1024;
}

Sample memory_of_many_tasks() {
  return {ask_own_program(memory_helper_flag, 1).at(0) / 1e6, 0, {}};
}

/// Starting and joining the tasks counts: all steps of the run are operations.
double ns_per_operation(std::uint32_t tasks, std::uint64_t runs_counted) {
  const Program program = storing_threads(tasks, stores_in_all / tasks);
  TimedRuns runs(boundless(), "random");
  runs.run(program, 1);  // stacks are kept from run to run
  return runs.run(program, runs_counted).ns_per_step();
}

Sample many_tasks_beside_ten() {
  return {ns_per_operation(many_tasks, 1), ns_per_operation(10, 1), {}};
}

/// Takes the first alternative: the machine's own cost, without a strategy's.
class FirstChooser final : public Chooser {
 public:
  Decision choose(const ChoicePoint&) override { return Decision::take(0); }
};

/// A program in which all of so many messages are under way before the first is received.  In the
/// timed simulation sending takes no time, so the clock stands still until all are sent.
using MessageProgram = Program (*)(std::int32_t messages);

Program one_channel(std::int32_t messages) {
  return [messages](World& world) {
    world.ranks(2, [messages](Communicator& comm) {
      for (std::int32_t i = 0; i < messages; ++i) {
        if (comm.rank() == 0) {
          comm.send(1, 0, i);
        } else {
          comm.receive<std::int32_t>(0, 0);
        }
      }
    });
  };
}

Program tags_in_reverse(std::int32_t messages) {
  return [messages](World& world) {
    world.ranks(2, [messages](Communicator& comm) {
      for (std::int32_t i = 0; i < messages; ++i) {
        if (comm.rank() == 0) {
          comm.send(1, i, i);
        } else {
          comm.receive<std::int32_t>(0, messages - 1 - i);
        }
      }
    });
  };
}

Program many_senders(std::int32_t messages) {
  // As many senders as messages each, so that both grow: 100 for 10^4, 1,000 for 10^6.
  std::int32_t senders = 1;
  while (senders * senders < messages) ++senders;
  return [messages, senders](World& world) {
    world.ranks(static_cast<std::uint32_t>(senders) + 1, [=](Communicator& comm) {
      if (comm.rank() == senders) {
        for (std::int32_t i = 0; i < messages; ++i) comm.receive<std::int32_t>();
      } else {
        const std::int32_t left = messages - comm.rank() * senders;
        for (std::int32_t i = 0; i < std::min(senders, left); ++i) comm.send(senders, 0, i);
      }
    });
  };
}

double ns_per_message(MessageProgram program, std::int32_t messages) {
  // As many messages in all, so that each figure is of about as much work.
  const std::uint64_t runs = messages >= 100'000 ? 1 : 10;
  TimedRuns timed(boundless(VirtualDuration::zero()), std::make_unique<FirstChooser>());
  const RunCosts costs = timed.run(program(messages), runs);
  return costs.seconds * 1e9 / static_cast<double>(runs) / messages;
}

Sample messages_in_flight(MessageProgram program) {
  const double small_ns = ns_per_message(program, 10'000);
  const double middle_ns = ns_per_message(program, 100'000);
  const double large_ns = ns_per_message(program, 1'000'000);
  return {large_ns, small_ns, fmt::format("{:.0f} ns at 10^5", middle_ns)};
}

}  // namespace

void print_memory_of_many_tasks() {
  TimedRuns runs(boundless(), "random");
  runs.run(storing_threads(many_tasks, 2), 1);
  std::printf("%.0f\n", own_status_bytes("VmHWM"));
}

std::vector<BenchmarkRow> scale_rows() {
  // n log n gives 1.5; the rest is room for what no longer fits in a cache.  A quadratic algorithm
  // would give 100, and n sqrt(n) 10.
  constexpr double growth_max = 4;
  return {
      {"memory of 10,000 tasks", "MB", "", figure_at_most(200), 1, memory_of_many_tasks},
      {"operation among 10,000 tasks", "ns", "among 10 tasks", ratio_at_most(6), 5,
       many_tasks_beside_ten},
      {"10^6 in flight: one channel", "ns/message", "10^4 in flight", ratio_at_most(growth_max), 3,
       [] { return messages_in_flight(one_channel); }},
      {"10^6 in flight: tags in reverse", "ns/message", "10^4 in flight", ratio_at_most(growth_max),
       3, [] { return messages_in_flight(tags_in_reverse); }},
      {"10^6 in flight: 1,000 senders, any", "ns/message", "10^4 in flight",
       ratio_at_most(growth_max), 3, [] { return messages_in_flight(many_senders); }},
  };
}

}  // namespace orrery::bench
