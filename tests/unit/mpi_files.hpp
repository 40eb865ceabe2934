// Runs for tests of MPI's files: on the real machine, without the loader, on files of the system.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <unistd.h>

#include <orrery/sim_runtime/orrery.hpp>
#include <orrery/sim_runtime/simulated_runtime.hpp>

#include "../../sim_runtime/front_ends/mpi/include/mpi.h"

extern "C" int orrery_front_end_attach(const OrreryRuntime*);

namespace mpi_files {

using orrery::check;

// Answers every question by a number that goes on from the seed.
class SeededChooser final : public orrery::Chooser {
 public:
  explicit SeededChooser(std::uint64_t seed) : state_(seed) {}
  orrery::Decision choose(const orrery::ChoicePoint& point) override {
    if (state_ == 0) return orrery::Decision::take(point.default_index());
    return orrery::Decision::take(next() % point.alternatives.size());
  }
  std::uint64_t choose_value(const orrery::ValueQuestion& question) override {
    if (state_ == 0) return question.low;
    return question.low + next() % (question.high - question.low + 1);
  }

 private:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 33U;
  }
  std::uint64_t state_;
};

/// A directory of its own, and runs in which ranks are closures.
class Files {
 public:
  Files()
      : directory_(std::filesystem::temp_directory_path() /
                   ("orrery_mpi_files_" + std::to_string(getpid()))) {
    std::filesystem::create_directory(directory_);
  }
  ~Files() { std::filesystem::remove_all(directory_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return directory_ / name; }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(path(name));
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  /// Gives the message of the first finding.
  static std::string run(int ranks, const std::function<void(int)>& program,
                         std::uint64_t seed = 0) {
    orrery::SimulationOptions options;
    if (seed != 0) options.window = orrery::any_order;
    orrery::Simulation simulation(options);
    SeededChooser chooser(seed);
    REQUIRE(orrery_front_end_attach(&orrery::simulated_runtime()) == 0);
    const auto outcome = simulation.run(
        [&](orrery::World& world) {
          world.ranks(static_cast<std::uint32_t>(ranks), [&](orrery::Communicator& comm) {
            MPI_Init(nullptr, nullptr);
            program(comm.rank());
            MPI_Finalize();
          });
        },
        chooser);
    orrery_front_end_attach(nullptr);
    return outcome.findings.empty() ? std::string() : outcome.findings.front().message;
  }

 private:
  std::filesystem::path directory_;
};

inline MPI_File open(const std::string& path, int mode, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_File file = MPI_FILE_NULL;
  check(MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  return file;
}

inline void close(MPI_File& file) {
  check(MPI_File_close(&file) == MPI_SUCCESS);
  check(file == MPI_FILE_NULL);
}

inline constexpr int read_write = MPI_MODE_RDWR | MPI_MODE_CREATE;

inline int count_in(const MPI_Status& status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

inline std::string as_text(const std::vector<int>& values) {
  return {static_cast<const char*>(static_cast<const void*>(values.data())),
          values.size() * sizeof(int)};
}

}  // namespace mpi_files
