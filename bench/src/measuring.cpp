#include "measuring.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/orrery.hpp>

namespace orrery::bench {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

double cpu_seconds() {
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  return static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) * 1e-9 +
         seconds_of(children.ru_utime) + seconds_of(children.ru_stime);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> ask_own_program(const char* argument, std::size_t count) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = fmt::format("'{}' {}", self, argument);
  std::FILE* const helper = popen(command.c_str(), "r");
  std::vector<double> figures(count);
  bool was_read = helper != nullptr;
  for (double& figure : figures) was_read = was_read && std::fscanf(helper, "%lf", &figure) == 1;
  if (helper == nullptr || pclose(helper) != 0 || !was_read) {
    throw UsageError("the helper process failed", command);
  }
  return figures;
}

SimulationOptions boundless(VirtualDuration window) {
  SimulationOptions options;
  options.window = window;
  options.step_limit = std::numeric_limits<std::uint64_t>::max() / 2;
  options.wall_limit = std::chrono::hours(1);
  return options;
}

Program storing_threads(std::uint32_t threads, std::uint32_t stores_each) {
  return [=](World& world) {
    Latch all_started(world, threads);
    Latch gate(world, 1);
    std::vector<Thread> all;
    all.reserve(threads);
    for (std::uint32_t i = 0; i < threads; ++i) {
      all.push_back(world.thread("storing", [&, stores_each] {
        Atomic<std::uint32_t> own(world);
        all_started.count_down();
        gate.wait();
        for (std::uint32_t value = 0; value < stores_each; ++value) own.store(value);
      }));
    }
    all_started.wait();
    gate.count_down();
  };
}

TimedRuns::TimedRuns(const SimulationOptions& options, std::string_view strategy)
    : strategy_(make_strategy(strategy)), chooser_(strategy_->chooser({})), simulation_(options) {}

TimedRuns::TimedRuns(const SimulationOptions& options, std::unique_ptr<Chooser> chooser)
    : chooser_(std::move(chooser)), simulation_(options) {}

RunCosts TimedRuns::run(const Program& program, std::uint64_t runs,
                        std::span<Observer* const> observers) {
  RunCosts costs;
  costs.runs = runs;
  const double start = cpu_seconds();
  for (std::uint64_t i = 0; i < runs; ++i) {
    simulation_.set_run(/*seed=*/1, next_index_++);
    const Outcome outcome = simulation_.run(program, *chooser_, observers);
    costs.steps += outcome.steps;
    costs.questions += outcome.questions;
    costs.preemptions += outcome.preemptions;
  }
  costs.seconds = cpu_seconds() - start;
  return costs;
}

Program three_threads_with_four_locks() {
  return [](World& world) {
    Mutex mutex(world);
    const auto body = [&mutex] {
      for (int i = 0; i < 4; ++i) {
        mutex.lock();
        mutex.unlock();
      }
    };
    const Thread threads[] = {world.thread("a", body), world.thread("b", body),
                              world.thread("c", body)};
  };
}

Program three_processes_with_ten_messages() {
  return [](World& world) {
    // Each sends ten and receives ten: 30 messages a run.
    world.ranks(3, [](Communicator& comm) {
      const std::int32_t next = (comm.rank() + 1) % 3;
      for (int i = 0; i < 10; ++i) {
        comm.send(next, 0, i);
        check(comm.receive<int>().value == i);
      }
    });
  };
}

}  // namespace orrery::bench
