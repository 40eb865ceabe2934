// Which program a log is of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

/// What a log has to know of the program to run it again: the content of its block `program`, the
/// only one that may differ between logs of the same run.  A value type.
struct ProgramInfo {
  enum class Kind : std::uint8_t {
    scenario = 0,  ///< built into the command; `name` says which
    binary,        ///< an unmodified program; `path` is its file
    test,          ///< a closure in a C++ program; `path` is the program, `name` the search's name
  };
  /// One loaded file and the build id that its linker gave it, in hexadecimal; empty: it has none.
  struct BuildId {
    std::string path;
    std::string hex;
    friend bool operator==(const BuildId&, const BuildId&) = default;
  };

  Kind kind = Kind::scenario;
  std::string name;
  std::string path;                    ///< absolute; empty for scenarios
  std::vector<BuildId> build_ids;      ///< the program's first, then its libraries'
  std::vector<std::string> arguments;  ///< without the program's own name
  /// The variables that the program read, with what it got: see `ProgramInputs::environment`.
  std::vector<std::pair<std::string, std::string>> environment;
  std::uint32_t ranks = 0;  ///< of an MPI program; 0: not one
  std::string platform;     ///< `NAME[:key=value,...]` or a file's path; empty: the default network
  std::string host;         ///< `this_host_id()` of the machine that made the log
  std::string directory;    ///< in which a binary was started; empty: not known

  friend bool operator==(const ProgramInfo&, const ProgramInfo&) = default;
};
[[nodiscard]] std::string_view name(ProgramInfo::Kind kind);

/// A name of this machine that does not give away its real one: a hash of its machine id.  A replay
/// runs a log's own path only where this is the same.  Empty if the machine has none.
[[nodiscard]] std::string this_host_id();

/// The content of a block `program`, and back.  `where` names the source in errors; throws
/// `UsageError` with the offset.
[[nodiscard]] std::vector<std::byte> encode_program(const ProgramInfo& program);
[[nodiscard]] ProgramInfo decode_program(std::span<const std::byte> bytes,
                                         std::string_view where = "program");

}  // namespace orrery
