// Whose call is it: the program's, or that of MPI's inner workings?
#pragma once

#include <cstdint>

namespace orrery::on_hardware {

/// Objects that are loaded, in two kinds.  The program's: its executable, the libraries that it is
/// linked with, and what it loads itself.  The others: the MPI library, what only that needs or
/// loads, the C library, and this one.
class ProgramCallers {
 public:
  /// What is loaded when the process begins.
  void begin();
  /// What is loaded meanwhile is MPI's.
  void mpi_begins();
  void mpi_has_begun();

  [[nodiscard]] bool is_program(const void* caller) {
    const auto place = reinterpret_cast<std::uintptr_t>(caller);
    if (place >= executable_begin_ && place < executable_end_) return true;
    // Addresses have 47 bits; which places call is soon known.
    const std::uint64_t known = __atomic_load_n(&places_[index_of(place)], __ATOMIC_RELAXED);
    return known >> 1U == place ? (known & 1U) != 0 : look_up(place);
  }
  /// In the C++ library's own code?
  [[nodiscard]] bool is_cxx_library(const void* caller) const {
    const auto place = reinterpret_cast<std::uintptr_t>(caller);
    return place >= cxx_begin_ && place < cxx_end_;
  }

 private:
  struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool is_program = false;
  };
  static constexpr std::size_t ranges_max = 1024;

  static constexpr std::size_t places_max = 256;
  static std::size_t index_of(std::uintptr_t place) { return (place ^ place >> 8U) % places_max; }
  [[nodiscard]] bool look_up(std::uintptr_t place);
  /// Adds those that are not known.
  void add_new();
  [[nodiscard]] const Range* find(std::uintptr_t place) const;

  std::uintptr_t executable_begin_ = 0;
  std::uintptr_t executable_end_ = 0;
  std::uintptr_t cxx_begin_ = 0;
  std::uintptr_t cxx_end_ = 0;
  bool is_mpi_beginning_ = false;
  Range ranges_[ranges_max];
  std::size_t count_ = 0;                  ///< published last: other threads look, one adds
  std::uint64_t places_[places_max] = {};  ///< twice a place, and 1: it is the program's
};

/// Of this process.
ProgramCallers& program_callers();

}  // namespace orrery::on_hardware
