// The debug information of one file.
#pragma once

#include <cstdint>
#include <string>

#include <orrery/sim_runtime/symbolizer.hpp>

// elfutils' own types.
struct Dwfl;
struct Dwfl_Module;

namespace orrery::detail {

/// An open ELF file with its line table and functions, if it has them.  Separate debug files are
/// found where the system keeps them.
class DebugInformation {
 public:
  explicit DebugInformation(const std::string& path);
  ~DebugInformation();
  DebugInformation(const DebugInformation&) = delete;
  DebugInformation& operator=(const DebugInformation&) = delete;

  /// `address` is one in the file: what was added when it was loaded is taken off.  Where memory
  /// runs out less is known of it, here and below.
  [[nodiscard]] SourcePlace place_of(std::uint64_t address) const;
  /// The function there, by the table of symbols; empty if it has none.
  [[nodiscard]] std::string symbol_of(std::uint64_t address) const;

  /// The variable there, and which part of it, as `variable_name` gives it.
  [[nodiscard]] std::string variable_at(std::uint64_t address) const;

 private:
  void find_place(std::uint64_t biased, SourcePlace& place) const;

  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
};

}  // namespace orrery::detail
