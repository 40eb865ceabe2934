// The random MPI program of tests/programs, run in this process by whatever chooser.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/network_model/firmware_hook.hpp>
#include <orrery/network_model/networks.hpp>
#include <orrery/program_host/hosted_program.hpp>
#include <orrery/replay_core/recorders.hpp>
#include <orrery/replay_core/saved_run.hpp>

#include "golden/command_runner.hpp"
#include "replay/same_run.hpp"

namespace orrery::test {

/// As many in a campaign as its variable says: `./dev campaign`.
inline std::uint64_t program_count(std::uint64_t otherwise) {
  const char* const wanted = std::getenv("ORRERY_CAMPAIGN_PROGRAMS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

inline std::uint64_t first_seed() {
  const char* const wanted = std::getenv("ORRERY_CAMPAIGN_SEED");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1;
}

struct Machine {
  std::uint64_t seed = 0;
  VirtualDuration window;
  std::string network;
  std::uint64_t eager_threshold_bytes = std::uint64_t{64} * 1024;
  std::shared_ptr<FirmwareHook> firmware = nullptr;  ///< on its cards
};

struct Run {
  Outcome outcome;
  NamedRun seen;
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

/// As a log would hold them: through their bytes.
inline SavedRun saved(const RecorderKind& method, const std::vector<RecordedBlock>& blocks) {
  Log log;
  log.path = "test";
  log.blocks.push_back({BlockKind::run, BlockNeed::required, 0, encode_settings({})});
  const std::string name(method.name);
  const auto text = std::as_bytes(std::span(name));
  log.blocks.push_back({BlockKind::method, BlockNeed::required, 0, {text.begin(), text.end()}});
  for (const RecordedBlock& block : blocks) {
    log.blocks.push_back({block.kind, BlockNeed::required, 0, block.content});
  }
  return load_run(log);
}

}  // namespace orrery::test
