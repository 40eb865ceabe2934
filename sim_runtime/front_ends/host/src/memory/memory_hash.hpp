// What memory holds, as one number: the same in a run and when a part of it is done again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <orrery/program_host/program_image.hpp>
#include <orrery/sim_runtime/memory_range.hpp>

namespace orrery::host {

/// Adds up memory, page by page, in any order.
///
/// Zero counts nothing, so memory that was never touched is as memory that is zero.  Words that
/// look like addresses of the process's libraries, its stack or the C library's heap count all
/// the same: what lies there is the host's (streams, handles of MPI), and may lie elsewhere when a
/// rank goes on alone.  So may what lies within `own`: it counts by its range and its place there.
class MemoryHash {
 public:
  explicit MemoryHash(std::span<const MemoryRange> own) : own_(own) {}

  enum class Pages : std::uint8_t {
    all,      ///< reads all of it
    present,  ///< passes over those that were never touched: they are zero
    changed,  ///< only what was changed since it was mapped from a file
  };
  void add(const MemoryRange& range, Pages pages) { add(range, pages, range.begin); }
  /// As if it lay at `place`.
  void add(const MemoryRange& range, Pages pages, std::uintptr_t place);
  /// What a word counts as.
  [[nodiscard]] std::uint64_t named(std::uint64_t word) const;
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void add_page(const std::byte* begin, std::size_t bytes, std::uintptr_t place);
  void add_words(const std::uint64_t* words, std::uintptr_t place);

  std::span<const MemoryRange> own_;
  std::uint64_t value_ = 0;
};

class RankContext;

/// Of a rank that is kept apart, as `ProgramImage::hash_memory` says.
[[nodiscard]] RankMemoryHash hash_rank(const RankContext& context, std::uintptr_t frames_begin);

}  // namespace orrery::host
