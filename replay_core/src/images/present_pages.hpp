// Which pages of this process are there?
#pragma once

#include <cstddef>
#include <cstdint>

#include "image_memory.hpp"

namespace orrery::detail {

/// Some pages in a row.
struct PresentPages {
  std::uintptr_t begin;
  std::uintptr_t end;
  bool are_files;  ///< as the file behind the mapping, or shared memory, has them
};

/// Looks them up in the kernel's table for this process.  From Linux 6.7 on the kernel passes over
/// what is not there; before, each entry is read.
class PageFinder {
 public:
  PageFinder(WorkingMemory& memory, bool reads_page_table);

  /// Opens the table; false: it cannot be read.
  bool begin();
  void end();
  /// Calls `found(PresentPages)` for each run of pages that are in memory (or swapped), in order.
  /// Pages that were only read, and are zero, may be missing.
  template <typename Found>
  void for_each(const MemoryRange& range, const Found& found) {
    std::uintptr_t next = range.begin;
    while (next < range.end) {
      next = fill(next, range.end);
      for (const PresentPages& run : runs_) found(run);
    }
  }

 private:
  /// Looks from `begin` on; returns up to where it has looked.
  std::uintptr_t fill(std::uintptr_t begin, std::uintptr_t end);
  std::uintptr_t scan(std::uintptr_t begin, std::uintptr_t end, bool& can_scan);
  std::uintptr_t read_entries(std::uintptr_t begin, std::uintptr_t end);

  static constexpr std::size_t runs_max = 4096;
  static constexpr std::size_t entries_max = 32768;
  struct ScannedRegion {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t categories;
  };

  WorkingArray<PresentPages> runs_;
  ScannedRegion* regions_;
  std::uint64_t* entries_;
  int table_ = -1;
  bool can_scan_;
};

}  // namespace orrery::detail
