// MPI programs on the real machine, without the loader: ranks are closures.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include <orrery/network_model/constant_network.hpp>
#include <orrery/sim_runtime/orrery.hpp>
#include <orrery/sim_runtime/simulated_runtime.hpp>

#include "../../sim_runtime/front_ends/mpi/include/mpi.h"

extern "C" int orrery_front_end_attach(const OrreryRuntime*);

namespace mpi_machine {

/// Answers every question by a hash of the seed and the question; seed 0: the undisturbed answer.
class HashChooser final : public orrery::Chooser {
 public:
  explicit HashChooser(std::uint64_t seed) : seed_(seed) {}
  orrery::Decision choose(const orrery::ChoicePoint& point) override {
    if (seed_ == 0) return orrery::Decision::take(point.default_index());
    return orrery::Decision::take(next() % point.alternatives.size());
  }
  std::uint64_t choose_value(const orrery::ValueQuestion& question) override {
    if (seed_ == 0) return question.low;
    return question.low + next() % (question.high - question.low + 1);
  }

 private:
  std::uint64_t next() {
    seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
    return seed_ >> 33U;
  }
  std::uint64_t seed_;
};

struct Settings {
  int ranks = 4;
  std::uint64_t seed = 0;   ///< not 0: any order, chosen by it
  std::uint32_t hosts = 0;  ///< 0: one for each rank
  std::uint64_t eager_bytes = 64 * 1024;
  orrery::CollectiveCounts* counts = nullptr;  ///< filled in, if it is there
};

inline void run_ranks(orrery::World& world, int ranks, const std::function<void(int)>& program) {
  world.ranks(static_cast<std::uint32_t>(ranks), [&](orrery::Communicator& comm) {
    MPI_Init(nullptr, nullptr);
    program(comm.rank());
    MPI_Finalize();
  });
}

inline orrery::Outcome run(const Settings& settings, const std::function<void(int)>& program) {
  orrery::SimulationOptions options;
  options.eager_threshold_bytes = settings.eager_bytes;
  options.window = settings.seed == 0 ? orrery::VirtualDuration::zero() : orrery::any_order;
  if (settings.hosts != 0) {
    options.network = [hosts = settings.hosts] {
      return std::make_unique<orrery::ConstantNetwork>(hosts);
    };
  }
  orrery::Simulation simulation(options);
  HashChooser chooser(settings.seed);
  REQUIRE(orrery_front_end_attach(&orrery::simulated_runtime()) == 0);
  auto outcome = simulation.run(
      [&](orrery::World& world) { run_ranks(world, settings.ranks, program); }, chooser);
  if (settings.counts != nullptr) *settings.counts = simulation.collective_counts();
  orrery_front_end_attach(nullptr);
  return outcome;
}

inline std::string first_message(const orrery::Outcome& outcome) {
  return outcome.findings.empty() ? std::string() : outcome.findings.front().message;
}

}  // namespace mpi_machine
