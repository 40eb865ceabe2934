#include "memory_histories.hpp"

#include <algorithm>

namespace orrery::detail {

/// One access to one word.
struct MemoryHistories::Step {
  AccessKind kind;
  const Access& access;
  const VectorClock& known;
  SharedReads& shared;
  std::vector<Race>& races;

  void to(Part& part) const {
    if (kind == AccessKind::write) {
      part.history.write(access, known, shared, races);
    } else {
      part.history.read(access, known, shared, races);
    }
  }

  void to(Word& word, ByteMask bytes) const {
    if (word.first.bytes == 0) word.first.bytes = bytes;
    if (word.first.bytes == bytes) return to(word.first);
    if (word.more == nullptr) word.more = std::make_unique<std::vector<Part>>();
    auto& more = *word.more;
    ByteMask untouched = bytes;
    for (std::size_t i = 0; i <= more.size(); ++i) {
      Part& part = i == 0 ? word.first : more[i - 1];
      const auto both = static_cast<ByteMask>(part.bytes & bytes);
      if (both == 0) continue;
      untouched = static_cast<ByteMask>(untouched & ~both);
      if (both == part.bytes) {
        to(part);
        continue;
      }
      part.bytes = static_cast<ByteMask>(part.bytes & ~both);
      Part split{both, part.history.part(shared)};
      to(split);
      // Put where the loop has been: it holds none of the bytes of another part.
      more.insert(more.begin(), split);
      ++i;
    }
    if (untouched == 0) return;
    more.push_back({untouched, {}});
    to(more.back());
  }
};

void MemoryHistories::clear() {
  pages_.clear();
  last_page_ = nullptr;
}

MemoryHistories::Page& MemoryHistories::page_at(Address number) {
  if (last_page_ != nullptr && last_number_ == number) return *last_page_;
  auto& page = pages_[number];
  if (page == nullptr) page = std::make_unique<Page>();
  last_number_ = number;
  last_page_ = page.get();
  return *page;
}

void MemoryHistories::access(Address address, std::uint32_t size_bytes, AccessKind kind,
                             const Access& access, const VectorClock& known, SharedReads& shared,
                             std::vector<Race>& races) {
  const Step step{kind, access, known, shared, races};
  const Address end = address + size_bytes;
  while (address < end) {
    const Address first = address % word_bytes;
    const Address count = std::min(word_bytes - first, end - address);
    const auto bytes = static_cast<ByteMask>(((1U << count) - 1U) << first);
    step.to(page_at(address / page_bytes)[address % page_bytes / word_bytes], bytes);
    address += count;
  }
}

void MemoryHistories::forget(Address address, std::uint64_t size_bytes) {
  const Address end = (address + size_bytes) & ~(word_bytes - 1);
  address = (address + word_bytes - 1) & ~(word_bytes - 1);
  while (address < end) {
    const Address number = address / page_bytes;
    const Address page_end = std::min(end, (number + 1) * page_bytes);
    if (page_end - address == page_bytes) {
      pages_.erase(number);
      if (last_number_ == number) last_page_ = nullptr;
    } else if (const auto found = pages_.find(number); found != pages_.end()) {
      for (Address word = address; word < page_end; word += word_bytes) {
        (*found->second)[word % page_bytes / word_bytes] = Word{};
      }
    }
    address = page_end;
  }
}

}  // namespace orrery::detail
