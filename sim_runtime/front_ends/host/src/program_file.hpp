// A program as a file: is it one that can be hosted, and where are its parts?
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

namespace orrery::host {

/// A range of addresses in the file's own numbering (0: where it is loaded).
struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// A program that `orrery cc` made, read and checked.
///
/// `bytes` is what the copies are made of: the file, with two changes that only a loader sees.
/// Its constructors and destructors are not called by the loader, but by the host, in the rank and
/// in each run anew; and symbols of type STB_GNU_UNIQUE (static members of templates, inline
/// variables), of which a process has one, become ordinary ones, so that each rank has its own.
class ProgramFile {
 public:
  /// Throws `UsageError`: missing, not a program, not for this machine, not built for Orrery.
  explicit ProgramFile(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& build_id() const { return build_id_; }  ///< hexadecimal
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  std::vector<AddressRange> writable;  ///< what a run can change
  std::uintptr_t loaded_end = 0;       ///< of everything that is loaded
  std::uintptr_t initialiser = 0;      ///< of DT_INIT; 0: none
  std::uintptr_t finaliser = 0;        ///< of DT_FINI; 0: none
  AddressRange initialisers;           ///< the array of DT_INIT_ARRAY
  AddressRange finalisers;             ///< the array of DT_FINI_ARRAY
  bool has_thread_locals = false;
  bool counts_blocks = false;       ///< built with -fsanitize-coverage=trace-pc
  AddressRange thread_local_image;  ///< what is in the file; the rest is zero
  std::size_t thread_local_bytes = 0;

 private:
  void read();
  void check_header() const;
  void check_note(bool was_found, std::uint32_t version) const;
  void read_segments();
  void read_notes(std::size_t offset, std::size_t size, bool& was_found, std::uint32_t& version);
  void take_over_constructors(std::size_t offset, std::size_t size);
  void make_symbols_ordinary();
  /// From the string table that is the section `table`.
  [[nodiscard]] std::string_view symbol_name(const Elf64_Ehdr& header, std::size_t table,
                                             const Elf64_Sym& symbol) const;

  template <typename T>
  [[nodiscard]] T at(std::size_t offset) const;

  std::filesystem::path path_;
  std::string build_id_;
  std::vector<std::byte> bytes_;
};

}  // namespace orrery::host
