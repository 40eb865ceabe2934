// A program as a file: is it one that can be hosted, and where are its parts?
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

#include <orrery/program_host/program_image.hpp>

#include "memory_file.hpp"
#include "ordinary_executable.hpp"

namespace orrery::host {

/// A range of addresses in the file's own numbering (0: where it is loaded).
struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// A program, or a library of its project, that `orrery cc` made, read and checked: one of its
/// images.  Or any program, in the process that it began as.
///
/// `bytes` is what copies are made of: the file, with two changes that only a loader sees.
/// Its constructors and destructors are not called by the loader, but by the host, in the rank and
/// in each run anew; and symbols of type STB_GNU_UNIQUE (static members of templates, inline
/// variables), of which a process has one, become ordinary ones, so that each rank has its own.
class ProgramFile {
 public:
  enum class Role {
    program,
    library,
    foreign,   ///< a library that was not built with `orrery cc`, which the program opens itself
    taken,     ///< the program that this process began as: any program will do
    ordinary,  ///< an MPI program that was not built with `orrery cc`: changed so that it can be
               ///< loaded
  };
  /// Throws `UsageError`: missing, not a program, not for this machine, not built for Orrery, or
  /// without that image.
  explicit ProgramFile(std::filesystem::path path, ImageKind kind = ImageKind::plain,
                       Role role = Role::program);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] Role role() const { return role_; }
  /// In hexadecimal; the same for both images.
  [[nodiscard]] const std::string& build_id() const { return build_id_; }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  std::vector<AddressRange> writable;  ///< what a run can change
  AddressRange code;                   ///< what can be executed
  AddressRange loaded;                 ///< everything that is loaded
  std::uintptr_t initialiser = 0;      ///< of DT_INIT; 0: none
  std::uintptr_t finaliser = 0;        ///< of DT_FINI; 0: none
  AddressRange initialisers;           ///< the array of DT_INIT_ARRAY
  AddressRange finalisers;             ///< the array of DT_FINI_ARRAY
  bool counts_blocks = false;          ///< built with -fsanitize-coverage=trace-pc
  bool uses_mpi = false;               ///< calls functions of MPI
  bool uses_openmp = false;            ///< calls functions of gcc's OpenMP
  std::uintptr_t hooks_slot = 0;       ///< of its hooks, an `OrreryHooks*`; 0: it has none
  std::vector<std::uintptr_t> guards;  ///< of function-local statics, in order
  std::vector<std::string> needed;     ///< libraries, as it names them
  std::string directories;             ///< where it says that they are, with colons between
  std::vector<std::string> foreign;    ///< objects in it that were not built with `orrery cc`
  OrdinaryExecutable ordinary;         ///< of such a one

  /// Has the loader look for the library `needed[index]` under another name.
  struct Renaming {
    std::size_t index;
    std::string name;
  };
  /// How much of the file a copy has.
  enum class Extent {
    loaded,  ///< what the loader needs
    whole,   ///< symbols and debug information, too
  };
  /// Writes a copy, with other names for some libraries.  It is whole, whatever is asked for, if
  /// nothing in what is loaded tells that it is of this file.  Throws `UsageError` if there is no
  /// room for the names.
  void write_copy(const MemoryFile& copy, Extent extent,
                  const std::vector<Renaming>& renamings) const;

 private:
  void read();
  void read_notes();
  void take_second_image();
  void read_sections();
  void refuse_script() const;
  void check_header() const;
  void check_notes() const;
  void read_segments();
  void read_notes(const Elf64_Phdr& segment);
  void take_over_constructors(std::size_t offset, std::size_t size);
  void make_symbols_ordinary();
  /// From the string table that is the section `table`.
  [[nodiscard]] std::string_view symbol_name(const Elf64_Ehdr& header, std::size_t table,
                                             const Elf64_Sym& symbol) const;

  template <typename T>
  [[nodiscard]] T at(std::size_t offset) const;

  /// Bytes of the image that nobody uses: see orrery_hooks.h.
  struct Room {
    std::uintptr_t address = 0;
    std::size_t size = 0;
  };
  [[nodiscard]] std::size_t offset_of(std::uintptr_t address) const;
  void rename(const MemoryFile& copy, const std::vector<Renaming>& renamings) const;

  std::filesystem::path path_;
  Role role_;
  std::uint32_t version_ = 0;        ///< of the way in which it was linked; 0: it has no note
  std::uint32_t hooks_version_ = 0;  ///< 0: it has no hooks
  Room room_;
  std::uintptr_t strings_ = 0;          ///< of the names of libraries
  std::vector<std::size_t> needed_at_;  ///< in the file: the entries for `needed`
  std::string build_id_;
  bool has_loaded_build_id_ = false;  ///< the image itself, which is what `Symbolizer` looks for
  std::size_t loaded_bytes_ = 0;      ///< of the file: up to the last one that is loaded
  std::vector<std::byte> bytes_;
};

}  // namespace orrery::host
