#include "memory_hash.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fcntl.h>

#include <orrery/sim_runtime/word_hash.hpp>

#include "files/system_calls.hpp"
#include "pages.hpp"
#include "program_memory.hpp"
#include "programs/program_copy.hpp"
#include "programs/static_thread_locals.hpp"
#include "ranks/rank_context.hpp"

namespace orrery::host {
namespace {

constexpr std::size_t page_words = page_bytes / sizeof(std::uint64_t);
// Where Linux puts executables, libraries, what mmap gives, and the stack.  The program's heap,
// mappings and stacks of tasks have other places: `HeapSpans`, `UserMappings`, `FiberPool`, whose
// are in between.
constexpr std::uint64_t others_begin = 0x5000'0000'0000;
constexpr std::uint64_t stacks_begin = 0x6800'0000'0000;
constexpr std::uint64_t stacks_end = 0x7000'0000'0000;
constexpr std::uint64_t others_end = 0x8000'0000'0000;
constexpr std::uint64_t others_word = 0x7fff'ffff'ffff;
// What the rank's own copy of the program counts as, wherever it has been loaded.
constexpr std::uint64_t own_begin = 0x5000'0000'0000;
constexpr std::uint64_t own_bytes_max = std::uint64_t{1} << 36U;

/// Is there any such word in the page?  Looks at the upper halves of all words at once.
bool may_name_others(const std::byte* page) {
  constexpr auto first = static_cast<std::int32_t>(others_begin >> 32U);
  constexpr auto end = static_cast<std::int32_t>(others_end >> 32U);
  constexpr std::size_t part = 64;
  std::array<std::int32_t, part> halves{};
  std::int32_t found = 0;
  for (std::size_t at = 0; at < page_bytes && found == 0; at += sizeof halves) {
    std::memcpy(halves.data(), page + at, sizeof halves);
    for (std::size_t j = 0; j < part; ++j) {
      const std::int32_t is_upper = -static_cast<std::int32_t>(j & 1U);
      found |= (halves[j] >= first ? is_upper : 0) & (halves[j] < end ? is_upper : 0);
    }
  }
  return found != 0;
}

/// The kernel's table of this process's pages, a part at a time.
class PageEntries {
 public:
  PageEntries() : file_(system_calls::open("/proc/self/pagemap", O_RDONLY)) {}
  ~PageEntries() {
    if (file_ >= 0) system_calls::close(file_);
  }
  PageEntries(const PageEntries&) = delete;
  PageEntries& operator=(const PageEntries&) = delete;

  /// Is there anything to hash?  Yes, where the table cannot be read.
  [[nodiscard]] bool counts(std::uintptr_t place, MemoryHash::Pages pages) {
    if (pages == MemoryHash::Pages::all) return true;
    const std::uintptr_t page = place / page_bytes;
    if (page < first_ || page >= first_ + count_) read_from(page);
    if (page >= first_ + count_) return true;
    const std::uint64_t entry = entries_[page - first_];
    if ((entry & (is_present | is_swapped)) == 0) return false;
    return pages == MemoryHash::Pages::present || (entry & is_of_file) == 0;
  }

 private:
  static constexpr std::uint64_t is_present = std::uint64_t{1} << 63U;
  static constexpr std::uint64_t is_swapped = std::uint64_t{1} << 62U;
  static constexpr std::uint64_t is_of_file = std::uint64_t{1} << 61U;

  void read_from(std::uintptr_t page) {
    const ssize_t bytes = system_calls::pread(file_, entries_.data(), sizeof entries_,
                                              static_cast<off_t>(page * sizeof(std::uint64_t)));
    first_ = page;
    count_ = bytes <= 0 ? 0 : static_cast<std::size_t>(bytes) / sizeof(std::uint64_t);
  }

  int file_;
  std::uintptr_t first_ = 0;
  std::size_t count_ = 0;
  std::array<std::uint64_t, 512> entries_{};
};

}  // namespace

std::uint64_t MemoryHash::named(std::uint64_t word) const {
  if (word < others_begin || word >= others_end) return word;
  if (word >= stacks_begin && word < stacks_end) return word;
  const auto own = std::find_if(own_.begin(), own_.end(), [word](const MemoryRange& range) {
    return word >= range.begin && word < range.end;
  });
  if (own == own_.end()) return others_word;
  const auto number = static_cast<std::uint64_t>(own - own_.begin());
  return own_begin + number * own_bytes_max + (word - own->begin);
}

void MemoryHash::add(const MemoryRange& range, Pages pages, std::uintptr_t place) {
  PageEntries entries;
  for (std::uintptr_t begin = range.begin; begin < range.end;) {
    const std::uintptr_t end = std::min(range.end, (begin / page_bytes + 1) * page_bytes);
    if (entries.counts(begin, pages)) {
      add_page(reinterpret_cast<const std::byte*>(begin), end - begin,
               place + (begin - range.begin));
    }
    begin = end;
  }
}

void MemoryHash::add_page(const std::byte* begin, std::size_t bytes, std::uintptr_t place) {
  const bool is_whole = bytes == page_bytes && place % sizeof(std::uint64_t) == 0 &&
                        reinterpret_cast<std::uintptr_t>(begin) % sizeof(std::uint64_t) == 0;
  if (is_whole && !may_name_others(begin)) {
    add_words(reinterpret_cast<const std::uint64_t*>(begin), place);
    return;
  }
  std::array<std::uint64_t, page_words> words{};
  const std::size_t offset = place % sizeof(std::uint64_t);
  // The last bytes of a range that is not aligned may not fit behind the first.
  const std::size_t fitting = std::min(bytes, page_bytes - offset);
  std::memcpy(reinterpret_cast<std::byte*>(words.data()) + offset, begin, fitting);
  for (std::uint64_t& word : words) {
    word = named(word);
  }
  add_words(words.data(), place - offset);
  if (fitting < bytes) add_page(begin + fitting, bytes - fitting, place + fitting);
}

void MemoryHash::add_words(const std::uint64_t* words, std::uintptr_t place) {
  const orrery::detail::WordHash hash = orrery::detail::hash_words(words, page_words);
  if (hash.is_zero) return;
  constexpr std::uint64_t multiplier = 0x9e37'79b9'7f4a'7c15;
  std::uint64_t mixed = (hash.value ^ place * multiplier) * multiplier;
  mixed ^= mixed >> 32U;
  value_ += mixed * multiplier;
}

RankMemoryHash hash_rank(const RankContext& context, std::uintptr_t frames_begin) {
  const std::vector<MemoryRange> own = context.copy().ranges();
  RankMemoryHash result;
  MemoryHash variables(own);
  for (const MemoryRange& range : context.copy().variable_ranges()) {
    variables.add(range, MemoryHash::Pages::all, variables.named(range.begin));
  }
  // Wherever they are now, they count by thread and number.
  std::uintptr_t place = 0;
  for (const ThreadContext& thread : context.threads) {
    for (const MemoryRange& range : static_thread_locals().ranges_of(thread)) {
      variables.add(range, MemoryHash::Pages::all, place);
      place += (range.end - range.begin + page_bytes) / page_bytes * page_bytes;
    }
  }
  result.variables = variables.value();

  MemoryHash heap(own);
  for (const MemoryRange& range : rank_memory.heap_ranges(context.rank())) {
    heap.add(range, MemoryHash::Pages::present);
  }
  result.heap = heap.value();

  MemoryHash mappings(own);
  for (const auto& range : rank_memory.mappings_of(context.rank()).ranges()) {
    mappings.add({range.begin, range.end},
                 range.is_charged ? MemoryHash::Pages::present : MemoryHash::Pages::changed);
  }
  result.mappings = mappings.value();

  const ThreadContext* const thread = running().thread;
  if (frames_begin == 0 || thread == nullptr || &thread->rank() != &context) return result;
  MemoryHash frames(own);
  frames.add({frames_begin, thread->first_frame}, MemoryHash::Pages::all);
  result.frames = frames.value();
  return result;
}

}  // namespace orrery::host
