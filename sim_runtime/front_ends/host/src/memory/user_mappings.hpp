// What simulated programs get from mmap: at the same addresses in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace orrery::host {

/// The addresses for mappings and for the break; without more, all that there are.
struct MappingWindow {
  static constexpr std::uintptr_t breaks_end = 0x2200'0000'0000;
  std::uintptr_t begin = 0x2080'0000'0000;
  std::uintptr_t end = 0x2180'0000'0000;
  std::uintptr_t break_begin = 0x2190'0000'0000;
  std::uintptr_t break_bytes = std::size_t{16} << 30U;
};

/// The mappings of the program in this process, one range of addresses for all of them, and the
/// program's break.  The arguments and results are those of the system calls: MAP_FAILED or -1,
/// with `errno`.  What is writable and private counts against the heap's limit.
class UserMappings {
 public:
  /// One mapping, or a part of it, or the break.
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
    bool is_charged;
  };

  UserMappings() = default;
  explicit UserMappings(const MappingWindow& window) : window_(window) {}
  UserMappings(const UserMappings&) = delete;
  UserMappings& operator=(const UserMappings&) = delete;

  void* map(void* wanted, std::size_t bytes, int protection, int flags, int file, off_t offset);
  int unmap(void* begin, std::size_t bytes);
  /// `target` counts only with MREMAP_FIXED.
  void* remap(void* begin, std::size_t old_bytes, std::size_t new_bytes, int flags, void* target);
  /// As `sbrk`: the break as it was before; null: no room.
  void* move_break(std::ptrdiff_t bytes);
  [[nodiscard]] const MappingWindow& window() const { return window_; }
  /// All that there is now, in order; the break last.
  [[nodiscard]] std::vector<Range> ranges() const;

  /// Unmaps all of them.
  void reset();

 private:
  /// The lowest gap that is wide enough; 0: none.
  [[nodiscard]] std::uintptr_t find_gap(std::size_t bytes) const;
  [[nodiscard]] bool is_free(std::uintptr_t begin, std::uintptr_t end) const;
  void add(Range range);
  void remove(std::uintptr_t begin, std::uintptr_t end);
  [[nodiscard]] bool is_charged_at(std::uintptr_t address) const;
  void* grow(std::uintptr_t from, std::size_t old_bytes, std::size_t new_bytes, bool is_charged);
  void* move(std::uintptr_t from, std::size_t old_bytes, std::size_t new_bytes, std::uintptr_t to);

  MappingWindow window_;
  std::vector<Range> ranges_;  // in order, none overlaps another
  std::size_t broken_bytes_ = 0;
  bool has_break_ = false;
};

/// Those of this process.
extern UserMappings user_mappings;

}  // namespace orrery::host
