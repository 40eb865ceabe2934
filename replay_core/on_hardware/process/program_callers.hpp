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
  /// `orrery cc` has built the program: in simulation it is loaded into a process that has some
  /// libraries already, and what these allocate is that process's.
  void note_built_by_us() { is_built_by_us_ = true; }
  /// What is loaded meanwhile is MPI's.
  void mpi_begins();
  void mpi_has_begun();

  [[nodiscard]] bool is_program(const void* caller) {
    const auto place = reinterpret_cast<std::uintptr_t>(caller);
    if (place >= executable_begin_ && place < executable_end_) return true;
    // Addresses have 47 bits; which places call is soon known.
    return (kind_of(place) & program_bit) != 0;
  }
  /// Is what it allocates the program's in simulation?
  [[nodiscard]] bool allocates_for_program(const void* caller) {
    const auto place = reinterpret_cast<std::uintptr_t>(caller);
    if (place >= executable_begin_ && place < executable_end_) return true;
    return (kind_of(place) & allocates_bit) != 0;
  }
  /// Does the address lie in a library that in simulation all programs have in common: the C and
  /// C++ libraries, and what unwinds stacks?
  [[nodiscard]] bool is_common(const void* address) {
    const Range* const found = known(reinterpret_cast<std::uintptr_t>(address));
    return found != nullptr && (found->is_system || is_cxx_library(address));
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
    bool is_system = false;
    bool is_hosts = false;   ///< the simulating process has it, too
    bool is_openmp = false;  ///< whose functions are ours in simulation
  };
  static constexpr std::size_t ranges_max = 1024;
  static constexpr std::uint64_t program_bit = 1;
  static constexpr std::uint64_t allocates_bit = 2;
  static constexpr unsigned kind_bits = 2;

  static constexpr std::size_t places_max = 256;
  static std::size_t index_of(std::uintptr_t place) { return (place ^ place >> 8U) % places_max; }
  /// Bits of them.
  [[nodiscard]] std::uint64_t kind_of(std::uintptr_t place) {
    const std::uint64_t known = __atomic_load_n(&places_[index_of(place)], __ATOMIC_RELAXED);
    return known >> kind_bits == place ? known : look_up(place);
  }
  [[nodiscard]] std::uint64_t look_up(std::uintptr_t place);
  /// Adds those that are not known.
  void add_new();
  [[nodiscard]] const Range* find(std::uintptr_t place) const;
  /// The same, if it has been loaded since.
  [[nodiscard]] const Range* known(std::uintptr_t place);

  std::uintptr_t executable_begin_ = 0;
  std::uintptr_t executable_end_ = 0;
  std::uintptr_t cxx_begin_ = 0;
  std::uintptr_t cxx_end_ = 0;
  bool is_mpi_beginning_ = false;
  bool is_built_by_us_ = false;
  Range ranges_[ranges_max];
  std::size_t count_ = 0;                  ///< published last: other threads look, one adds
  std::uint64_t places_[places_max] = {};  ///< a place, and bits of what it is
};

/// Of this process.
ProgramCallers& program_callers();

}  // namespace orrery::on_hardware
