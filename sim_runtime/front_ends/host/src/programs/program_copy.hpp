// One rank's own copy of the program, loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <orrery_hooks.h>

#include <orrery/sim_runtime/memory_range.hpp>

#include "executable_variables.hpp"
#include "files/program_files.hpp"
#include "memory/memory_snapshot.hpp"
#include "memory_file.hpp"

namespace orrery::host {

/// A copy of the program and of its project's libraries, each in a file of its own (so that the
/// loader takes it for another one), with a snapshot of what it can write, taken before any of its
/// code has run.  In a process that was taken over, the program that it began as.
class ProgramCopy {
 public:
  using Main = int (*)(int, char**, char**);

  /// One of so many.  Throws `UsageError` with the loader's message.
  ProgramCopy(ProgramFiles& files, std::uint32_t copies, ProgramFile::Extent extent);
  ~ProgramCopy();
  ProgramCopy(const ProgramCopy&) = delete;
  ProgramCopy& operator=(const ProgramCopy&) = delete;

  /// Nothing is unloaded at the end.
  void leave_loaded();
  /// Puts globals back to where they were after loading.
  void restore();
  void call_constructors(int argc, char** argv, char** environment);
  void call_destructors();
  [[nodiscard]] Main main() const { return main_; }
  /// None, but of an ordinary executable.
  [[nodiscard]] const ExecutableVariables& variables() const { return variables_; }
  [[nodiscard]] const ProgramFile& program() const { return files_->program(); }
  /// Of the loader, for the program as a whole.
  [[nodiscard]] void* handle() const { return handle(files_->program_number()); }
  [[nodiscard]] void* handle(std::size_t part) const { return parts_[part].handle; }

  /// What the program opens itself becomes a part, too: the same in each run, and its constructors
  /// run in each that opens it.  Returns the parts that belong to it.  Throws `UsageError`.
  [[nodiscard]] std::vector<std::size_t> load(const std::filesystem::path& library);
  /// Those of them that nobody has open are begun; called as the program's code.
  void* open(const std::vector<std::size_t>& parts, int argc, char** argv, char** environment);
  [[nodiscard]] bool has_open(const std::filesystem::path& library) const;
  /// The parts that this handle stands for; none if it is another's.
  [[nodiscard]] std::vector<std::size_t> opened_by(const void* handle) const;
  /// Calls `end` for each that nobody has open any more: its destructors, and what else must be
  /// done.  It is then as it was when it had been loaded.
  template <typename End>
  void close(const std::vector<std::size_t>& parts, const End& end) {
    for (std::size_t i = parts.size(); i-- > 0;) {
      Part& part = parts_[parts[i]];
      if (part.openings == 0 || --part.openings > 0 || parts[i] <= files_->program_number()) {
        continue;
      }
      end(parts[i]);
      call_destructors(part);
      part.snapshot.restore();
    }
  }
  [[nodiscard]] bool contains(std::size_t part, const void* place) const;

  /// All that is loaded of it, and what of that a run can change.
  [[nodiscard]] std::vector<MemoryRange> ranges() const;
  [[nodiscard]] std::vector<MemoryRange> variable_ranges() const;
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
    void* handle = nullptr;      ///< the loader's
    MemorySnapshot snapshot{};   ///< of one that was opened
    std::uint32_t openings = 0;  ///< how often the run has opened it
    [[nodiscard]] std::byte* address(std::uintptr_t in_file) const {
      return reinterpret_cast<std::byte*>(base + in_file);
    }
    [[nodiscard]] std::string path() const;  ///< as the loader is given it
  };
  [[nodiscard]] bool contains(const Part& part, const void* place) const;
  void load_new_parts(ProgramFile::Extent extent);
  void write_new_parts(ProgramFile::Extent extent);
  static void call_constructors(const Part& part, int argc, char** argv, char** environment);
  static void call_destructors(const Part& part);
  void take(const ProgramFile& program);
  static void* load_or_refuse(const std::string& path, const std::filesystem::path& name);

  ProgramFiles* files_;
  bool is_alone_;
  std::deque<Part> parts_;  ///< as `ProgramFiles` has them, as far as they have been loaded
  Main main_ = nullptr;
  ExecutableVariables variables_;
  MemorySnapshot snapshot_;
};

}  // namespace orrery::host
