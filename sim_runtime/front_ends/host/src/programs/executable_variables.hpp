// Variables of libraries that an ordinary executable has copies of.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "ordinary_executable.hpp"

namespace orrery::host {

/// Those of one loaded copy of an executable, which only its own code looks at: `stdout`, `optind`,
/// `std::cout` and the like.  They are kept as a process of its own would have them.
class ExecutableVariables {
 public:
  ExecutableVariables() = default;
  /// Of the copy that was loaded at `base`.  What never changes gets its content here.  Throws
  /// `UsageError` for a variable of which nobody knows when its library changes it.
  ExecutableVariables(const std::vector<CopiedVariable>& copied, std::uintptr_t base,
                      const std::vector<std::string>& libraries,
                      const std::filesystem::path& executable);

  struct Streams {
    std::FILE* output;
    std::FILE* errors;
    std::FILE* input;
  };
  /// As at the start of a process that is called `name`; `short_name` is its end.
  void begin_run(const Streams& streams, char* name, char* short_name) const;

  /// Around a call of getopt, which reads and writes the library's.
  void options_to_library() const;
  void options_from_library() const;

 private:
  struct Variable {
    std::string name;
    void* place;
  };
  std::vector<Variable> variables_;
};

}  // namespace orrery::host
