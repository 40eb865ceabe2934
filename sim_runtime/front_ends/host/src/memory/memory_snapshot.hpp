// What some memory held, to be put back again and again.
#pragma once

#include <cstddef>
#include <vector>

namespace orrery::host {

/// Pages of a program's variables as they were, and the quickest way back for each of them: a copy,
/// or, where there are many, mappings that fall back to what they were when they are given up.  So
/// a run costs what it touches, not what the program has.
class MemorySnapshot {
 public:
  MemorySnapshot() = default;
  MemorySnapshot(MemorySnapshot&&) noexcept = default;
  MemorySnapshot& operator=(MemorySnapshot&&) noexcept = default;

  /// As many bytes, over all calls of `add`, are worth a copy.
  static constexpr std::size_t copied_bytes_max = std::size_t{2} << 20U;
  explicit MemorySnapshot(std::size_t copied_bytes) : copied_bytes_left_(copied_bytes) {}

  /// Takes what lies there now.  The memory must be writable, private to this process, and stay
  /// mapped.  Throws `UsageError` if there is no room; `owner` names whose memory it is.
  void add(std::byte* begin, std::size_t bytes, const char* owner);
  void restore() const;

 private:
  struct Part {
    std::byte* begin;
    std::size_t bytes;
    /// Of a part that is copied.  Without: all zero.
    std::vector<std::byte> content;
    bool is_mapped;  ///< whole pages, which fall back
  };
  void add_part(std::byte* begin, std::size_t bytes, bool is_zero, const char* owner);
  static void map_over(std::byte* begin, std::size_t bytes, bool is_zero, const char* owner);

  std::vector<Part> parts_;
  std::size_t copied_bytes_left_ = copied_bytes_max;
};

}  // namespace orrery::host
