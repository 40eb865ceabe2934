// A command whose MPI ranks or threads are recorded while it runs on the real machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <orrery/sim_runtime/program_inputs.hpp>

#include "recorded_method.hpp"

namespace orrery::cli {

/// The directory, beside a log that is to be, in which ranks write while they run.  One recorder
/// has it at a time.
class SpoolDirectory {
 public:
  /// `FILE.ranks`.  Throws `UsageError` if another recorder has it, or it cannot be made.  What a
  /// recorder has left there that was killed stays, if `keeps_old`.
  SpoolDirectory(const std::string& log_path, bool keeps_old);
  ~SpoolDirectory();
  SpoolDirectory(const SpoolDirectory&) = delete;
  SpoolDirectory& operator=(const SpoolDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// It is no longer needed.
  void remove();

 private:
  std::string path_;
  int lock_ = -1;
};

/// Short sleeps before sends and receives; of threads, before locks and the like.
struct InjectedDelays {
  std::uint64_t max_ns = 0;
  std::uint64_t seed = 0;
};

/// What becomes of a command's standard output.
enum class RecordedOutput : std::uint8_t {
  untouched,
  given_back,           ///< to whoever has started it
  given_and_passed_on,  ///< likewise, and it goes where it would have gone
};

/// How a command is started.
struct RecordedStart {
  std::vector<std::string> command;  ///< looked for in PATH
  std::string spool_directory;       ///< absolute
  RecordedMethod method;
  std::optional<InjectedDelays> delays;
  InputPolicy inputs;
  RecordedOutput output = RecordedOutput::untouched;
};

/// How it has ended.
struct RecordedEnd {
  int status = 0;      ///< as a shell has it: 128 + n for signal n
  double seconds = 0;  ///< from its start on
  std::string output;  ///< if it is given back
};

/// Runs it to its end.  Throws `UsageError` if it cannot be started.
[[nodiscard]] RecordedEnd run_recorded(const RecordedStart& start);

}  // namespace orrery::cli
