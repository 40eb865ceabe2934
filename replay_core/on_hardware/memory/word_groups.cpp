#include "word_groups.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <link.h>

#include <orrery/replay_core/memory_spool.hpp>

namespace orrery::on_hardware {
namespace {

using By = MemoryGroups::By;

struct ProgramRanges {
  ByteRange code;
  ByteRange variables;
};

int find_ranges(dl_phdr_info* image, std::size_t, void* into) {
  if (image->dlpi_name[0] != '\0') return 0;
  *static_cast<ProgramRanges*>(into) = {loaded_range(*image, PF_X), loaded_range(*image, PF_W)};
  return 1;
}

/// Does a call return there?  By what the compiler writes for calls of functions and of pointers to
/// them.
bool is_behind_call(std::uint64_t place) {
  constexpr unsigned char call = 0xe8;
  constexpr unsigned char call_by_pointer = 0xff;
  const auto* const code = reinterpret_cast<const unsigned char*>(place);
  return code[-5] == call || code[-6] == call_by_pointer || code[-2] == call_by_pointer ||
         code[-3] == call_by_pointer;
}

}  // namespace

WordGroups::Words WordGroups::words_in(const ByteRange& bytes) {
  const std::uint64_t first = bytes.begin / memory_spool::word_bytes;
  const std::uint64_t behind =
      (bytes.begin + bytes.bytes + memory_spool::word_bytes - 1) / memory_spool::word_bytes;
  return {first, behind - first};
}

void WordGroups::begin(const MemoryGroups& groups, const ByteRange& heap) {
  groups_ = groups;
  if (!are_any()) return;
  ProgramRanges program;
  dl_iterate_phdr(find_ranges, &program);
  code_ = program.code;
  variables_ = words_in(program.variables);
  heap_ = words_in(heap);
  if (groups.by == By::block) {
    block_log2_ = static_cast<unsigned>(std::countr_zero(groups.block_bytes)) -
                  std::countr_zero(std::uint64_t{memory_spool::word_bytes});
  }
}

std::uint32_t WordGroups::hashed(std::uint64_t site, std::uint64_t offset) {
  constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
  return static_cast<std::uint32_t>(((site * odd) ^ offset) * odd >> 48U) + 1;
}

void WordGroups::settle_by_word(std::atomic<std::uint32_t>& of_word, std::uintptr_t site) const {
  std::uint32_t group = of_word.load(std::memory_order_acquire);
  if (group != 0) return;
  const bool is_known = groups_.by == By::site && site != 0;
  of_word.compare_exchange_strong(group, is_known ? hashed(site - code_.begin, 0) : alone);
}

/// Larger blocks are arrays, whose elements are all apart in them anyway.  What lay there first
/// counts: who comes to a word later must find it in the same group.
void WordGroups::note_allocated(const void* block, std::size_t bytes, const void* caller,
                                const void* frame, SharedWords& words) {
  constexpr std::uint64_t words_max = 512;
  if (groups_.by != By::allocation) return;
  const std::uintptr_t site = site_of(caller, frame);
  if (site == 0) return;
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(block) / memory_spool::word_bytes;
  const std::uint64_t count = std::min<std::uint64_t>(
      (bytes + memory_spool::word_bytes - 1) / memory_spool::word_bytes, words_max);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint32_t group = 0;
    words.group(first + i).compare_exchange_strong(group, hashed(site - code_.begin, i));
  }
}

/// Where the program asks: itself, or a library for it, as `operator new` does; then the place lies
/// a few words up the stack.  It may be another one there: groups need not be right.
std::uintptr_t WordGroups::site_of(const void* caller, const void* frame) const {
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  if (code_.has(place)) return place;
  constexpr std::uint64_t words_to_look_at = 24;
  const auto* const stack = static_cast<const std::uintptr_t*>(frame);
  for (std::uint64_t i = 2; i < words_to_look_at; ++i) {
    if (code_.has(stack[i]) && code_.has(stack[i] - 8) && is_behind_call(stack[i])) return stack[i];
  }
  return 0;
}

}  // namespace orrery::on_hardware
