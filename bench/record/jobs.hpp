// Jobs of Open MPI: as they are, recorded by `orrery record`, and by a recorder of `orders`.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "../src/temporary_directory.hpp"

namespace orrery::bench {

/// A command line, in the three ways; and what is on disk after the last job that was recorded.
class Jobs {
 public:
  /// Builds what it takes.
  Jobs();

  /// Builds a mini-app, or `receives`; its path.
  [[nodiscard]] std::string mini_app(const std::string& name) const;
  [[nodiscard]] std::string receives() const { return directory_.path() + "/receives"; }

  /// Commands of the shell that run `program`, a path with arguments.  Each has another layout of
  /// the heap and of the stack, by an environment of another size (Mytkowicz, Diwan, Hauswirth and
  /// Sweeney, ASPLOS 2009): one that happened to suit a way would count for or against it every
  /// time.
  [[nodiscard]] std::string bare(int ranks, const std::string& program) const;
  [[nodiscard]] std::string recorded(int ranks, const std::string& program) const;
  [[nodiscard]] std::string ordered(int ranks, const std::string& program) const;

  /// Of the log of the last job that was `recorded`.
  [[nodiscard]] std::uintmax_t recorded_bytes() const;
  /// Of the files of all ranks of the last job that was `ordered`.
  [[nodiscard]] std::uintmax_t ordered_bytes() const;

 private:
  [[nodiscard]] std::string mpirun(int ranks, const std::string& flags) const;
  [[nodiscard]] std::string log() const { return directory_.path() + "/job.orr"; }
  [[nodiscard]] std::string orders() const { return directory_.path() + "/orders"; }

  TemporaryDirectory directory_;
  mutable std::minstd_rand layouts_;
};

}  // namespace orrery::bench
