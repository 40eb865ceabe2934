// A program that was not built for Orrery.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What the file of such a program says about running it with our library preloaded.
struct ForeignProgram {
  std::filesystem::path path;
  std::vector<std::string> libraries;  ///< that it names, without those of C, C++ and OpenMP
  bool has_thread_locals = false;      ///< variables of its own
  /// Functions that it calls, of libraries that make threads, or wait, where we do not see it.
  std::vector<std::string> hidden_calls;

  /// What a run does not see of it, a sentence each.
  [[nodiscard]] std::vector<std::string> unseen() const;
};

/// Did `orrery cc` make it (some version of it)?
[[nodiscard]] bool is_built_for_orrery(const std::filesystem::path& path);

/// Does another MPI's compiler seem to have made it?  Such a program is loaded once for each rank,
/// as those of `orrery cc` are.
[[nodiscard]] bool is_ordinary_mpi_program(const std::filesystem::path& path);

/// Throws `UsageError` for what cannot be: static ones, those of MPICH, those that bring their own
/// allocator or a sanitizer.
[[nodiscard]] ForeignProgram ordinary_mpi_program(const std::filesystem::path& path);

/// Throws `UsageError` for what our library cannot be preloaded into, or should not be: scripts,
/// programs for other processors, static ones, those that run as another user, that bring their
/// own allocator or a sanitizer, or that are MPI's.
///
///     for (const auto& sentence : orrery::foreign_program("/usr/bin/xz").unseen()) ...
[[nodiscard]] ForeignProgram foreign_program(const std::filesystem::path& path);

}  // namespace orrery
