// One rank's own copy of the program, loaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory_file.hpp"
#include "memory_snapshot.hpp"
#include "program_file.hpp"

namespace orrery::host {

/// A copy of the program in a file of its own (so that the loader takes it for another library),
/// with a snapshot of what it can write, taken before any of its code has run.
class ProgramCopy {
 public:
  using Main = int (*)(int, char**, char**);

  /// One of so many.  Throws `UsageError` with the loader's message.
  ProgramCopy(const ProgramFile& file, std::uint32_t copies);
  ~ProgramCopy();
  ProgramCopy(const ProgramCopy&) = delete;
  ProgramCopy& operator=(const ProgramCopy&) = delete;

  /// Puts globals and thread-locals of the calling thread back to where they were after loading.
  void restore();
  void call_constructors(int argc, char** argv, char** environment) const;
  void call_destructors() const;
  [[nodiscard]] Main main() const { return main_; }
  /// Does it lie in this copy, rather than in a library?
  [[nodiscard]] bool contains(const void* place) const {
    const auto at = reinterpret_cast<std::uintptr_t>(place);
    return at >= base_ && at - base_ < file_->loaded_end;
  }

 private:
  void load();
  [[nodiscard]] std::byte* address(std::uintptr_t in_file) const {
    return reinterpret_cast<std::byte*>(base_ + in_file);
  }

  const ProgramFile* file_;
  MemoryFile memory_;
  void* handle_ = nullptr;
  std::uintptr_t base_ = 0;
  Main main_ = nullptr;
  MemorySnapshot snapshot_;
  std::size_t thread_local_module_ = 0;
};

}  // namespace orrery::host
