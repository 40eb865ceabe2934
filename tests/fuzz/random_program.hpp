// The random MPI program of tests/programs, run in this process by whatever chooser.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/program_host/hosted_program.hpp>

#include "fuzz/campaign.hpp"
#include "golden/command_runner.hpp"

namespace orrery::test {

struct Machine {
  std::uint64_t seed = 0;
  VirtualDuration window;
  std::string network;
  std::uint64_t eager_threshold_bytes = std::uint64_t{64} * 1024;
  std::shared_ptr<FirmwareHook> firmware = nullptr;  ///< on its cards
};

/// The random program, loaded once for each number of ranks.
class RandomProgram {
 public:
  RandomProgram() {
    const auto built = here_.shell("'" ORRERY_BINARY "' cc -std=gnu11 -O1 -g " ORRERY_SOURCE_DIR
                                   "/tests/programs/random_mpi/*.c -o app");
    INFO(built.err);
    REQUIRE(built.status == 0);
  }

  Run run(std::uint64_t seed, const Machine& machine, Chooser& chooser,
          std::initializer_list<Observer*> others) {
    return run({std::to_string(seed)}, static_cast<std::uint32_t>(2 + seed % 7), machine, chooser,
               others);
  }

  Run run(const std::vector<std::string>& arguments, std::uint32_t ranks, const Machine& machine,
          Chooser& chooser, std::initializer_list<Observer*> others) {
    std::shared_ptr<ProgramImage>& image = images_[ranks];
    if (image == nullptr) {
      image = std::make_shared<ProgramImage>(here_.path() / "app", ranks,
                                             ProgramImageOptions{front_end_beside(ORRERY_BINARY)});
    }
    SimulationOptions options;
    options.seed = machine.seed;
    options.window = machine.window;
    options.stack_bytes = hosted_stack_bytes;
    options.eager_threshold_bytes = machine.eager_threshold_bytes;
    options.network = network_factory(machine.network, ranks);
    if (machine.firmware != nullptr) {
      options.network = with_firmware(options.network, machine.firmware);
    }
    Simulation simulation(options);
    Run result;
    EventStream events;
    std::vector<Observer*> observers{&events, &result.seen.paths};
    for (Observer* const one : others) {
      if (one != nullptr) observers.push_back(one);
    }
    result.outcome = simulation.run(hosted_program(image, arguments), chooser, observers);
    result.seen.events.assign(events.entries().begin(), events.entries().end());
    return result;
  }

 private:
  WorkingDirectory here_;
  std::map<std::uint32_t, std::shared_ptr<ProgramImage>> images_;
};

}  // namespace orrery::test
