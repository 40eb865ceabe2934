// What an unchanged program takes in from outside of the simulated machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <orrery/sim_runtime/clock_kinds.hpp>

namespace orrery {

/// How much of what a program reads is kept in a log.
enum class InputKeeping : std::uint8_t {
  content,  ///< all of it: a replay needs no files
  hash,     ///< enough to notice that a file has changed
  none,     ///< what it was, not what was in it
  unread,   ///< the program has not looked into it
};

/// A file or directory that a program has looked at, as it was.  A value type.
struct InputFile {
  enum class Kind : std::uint8_t {
    absent,  ///< the program has asked for it, and it was not there
    file,
    directory,  ///< its content: the names in it, each with a zero byte behind it
    other,      ///< a device and the like
  };
  std::string path;  ///< absolute
  Kind kind = Kind::absent;
  InputKeeping keeping = InputKeeping::content;
  std::uint32_t mode = 0;  ///< as `stat` has it
  std::uint64_t bytes = 0;
  std::int64_t modified_s = 0;
  std::uint64_t hash = 0;  ///< of the content; see `hash_input`
  std::string content;     ///< where it is kept

  friend bool operator==(const InputFile&, const InputFile&) = default;
};
[[nodiscard]] std::uint64_t hash_input(std::string_view content);

/// All that one run has taken in, besides arguments, which are known before.  A value type.
struct ProgramInputs {
  std::vector<InputFile> files;  ///< sorted by path
  /// Variables that it has asked for, sorted; what was not set has the value `unset`, and what is
  /// not to be kept `redacted`: no variable can have these.
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;  ///< in which it was started
  bool has_standard_input = false;
  std::string standard_input;  ///< as far as it was read
  /// Who finds it there; for the others it is empty.
  std::int32_t standard_input_rank = 0;
  /// Of a run on a real machine that has read clocks, by rank; empty: as in simulated runs.
  std::vector<ClockOrigins> clock_origins;

  static constexpr std::int32_t no_rank = -1;
  static constexpr std::int32_t every_rank = -2;  ///< each reads all of it
  static inline const std::string unset = std::string(1, '\0');
  static inline const std::string redacted = std::string(2, '\0');

  friend bool operator==(const ProgramInputs&, const ProgramInputs&) = default;
};

/// What to keep of it.
struct InputPolicy {
  InputKeeping keeping = InputKeeping::content;
  /// Files and variables whose content is left out, as a shell's patterns of paths and names.
  std::vector<std::string> redacted;
};

}  // namespace orrery
