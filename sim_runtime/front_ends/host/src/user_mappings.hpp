// What simulated programs get from mmap: at the same addresses in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace orrery::host {

/// The mappings of the program in this process, one range of addresses for all of them, and the
/// program's break.  The arguments and results are those of the system calls: MAP_FAILED or -1,
/// with `errno`.  What is writable and private counts against the heap's limit.
class UserMappings {
 public:
  UserMappings() = default;
  UserMappings(const UserMappings&) = delete;
  UserMappings& operator=(const UserMappings&) = delete;

  void* map(void* wanted, std::size_t bytes, int protection, int flags, int file, off_t offset);
  int unmap(void* begin, std::size_t bytes);
  /// `target` counts only with MREMAP_FIXED.
  void* remap(void* begin, std::size_t old_bytes, std::size_t new_bytes, int flags, void* target);
  /// As `sbrk`: the break as it was before; null: no room.
  void* move_break(std::ptrdiff_t bytes);
  [[nodiscard]] static std::byte* first_break() {
    return reinterpret_cast<std::byte*>(break_address);
  }

  /// Unmaps all of them.
  void reset();

 private:
  static constexpr std::uintptr_t range_begin = 0x2080'0000'0000;
  static constexpr std::uintptr_t range_end = 0x2180'0000'0000;
  static constexpr std::uintptr_t break_address = 0x2190'0000'0000;
  static constexpr std::size_t break_bytes_max = std::size_t{16} << 30U;

  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
    bool is_charged;
  };
  /// The lowest gap that is wide enough; 0: none.
  [[nodiscard]] std::uintptr_t find_gap(std::size_t bytes) const;
  [[nodiscard]] bool is_free(std::uintptr_t begin, std::uintptr_t end) const;
  void add(Range range);
  void remove(std::uintptr_t begin, std::uintptr_t end);
  [[nodiscard]] bool is_charged_at(std::uintptr_t address) const;
  void* grow(std::uintptr_t from, std::size_t old_bytes, std::size_t new_bytes, bool is_charged);
  void* move(std::uintptr_t from, std::size_t old_bytes, std::size_t new_bytes, std::uintptr_t to);

  std::vector<Range> ranges_;  // in order, none overlaps another
  std::size_t broken_bytes_ = 0;
  bool has_break_ = false;
};

/// Those of this process.
extern UserMappings user_mappings;

}  // namespace orrery::host
