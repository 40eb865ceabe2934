// One rank's own copy of the program, loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <orrery_hooks.h>

#include "memory_file.hpp"
#include "memory_snapshot.hpp"
#include "program_files.hpp"

namespace orrery::host {

/// A copy of the program and of its project's libraries, each in a file of its own (so that the
/// loader takes it for another one), with a snapshot of what it can write, taken before any of its
/// code has run.  In a process that was taken over, the program that it began as.
class ProgramCopy {
 public:
  using Main = int (*)(int, char**, char**);

  /// One of so many.  Throws `UsageError` with the loader's message.
  ProgramCopy(const ProgramFiles& files, std::uint32_t copies);
  ~ProgramCopy();
  ProgramCopy(const ProgramCopy&) = delete;
  ProgramCopy& operator=(const ProgramCopy&) = delete;

  /// Puts globals back to where they were after loading.
  void restore();
  void call_constructors(int argc, char** argv, char** environment) const;
  void call_destructors() const;
  [[nodiscard]] Main main() const { return main_; }
  /// Does it lie in this copy, rather than in a library of others?
  [[nodiscard]] bool contains(const void* place) const;
  /// Is it a part of this copy that can be executed?
  [[nodiscard]] bool is_code(const void* place) const;
  /// Where the functions of that name begin, also those that the compiler has made from it.
  [[nodiscard]] std::vector<std::byte*> functions(const std::string& name) const;
  /// What its atomics and accesses call; until the next `restore`.
  void attach(OrreryHooks& hooks) const;
  /// Where the guards of function-local statics are, in no order.
  [[nodiscard]] std::vector<std::uintptr_t> guards() const;

 private:
  struct Part {
    const ProgramFile* file;
    std::optional<MemoryFile> memory;  ///< what was loaded, where we have loaded it
    std::uintptr_t base = 0;
    [[nodiscard]] std::byte* address(std::uintptr_t in_file) const {
      return reinterpret_cast<std::byte*>(base + in_file);
    }
    [[nodiscard]] std::string path() const;  ///< as the loader is given it
  };
  void write_parts(const ProgramFiles& files);
  void load();
  void take(const ProgramFile& program);
  static void* load_or_refuse(const std::string& path, const std::filesystem::path& name);

  std::vector<Part> parts_;  ///< as `ProgramFiles` has them: last the program
  void* handle_ = nullptr;
  Main main_ = nullptr;
  MemorySnapshot snapshot_;
};

}  // namespace orrery::host
