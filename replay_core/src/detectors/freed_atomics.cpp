#include "freed_atomics.hpp"

#include <algorithm>

namespace orrery::detail {
namespace {

Epoch epoch_of(TaskId task, const VectorClock& clock) {
  return {task.value, clock.of(task.value)};
}

}  // namespace

void FreedAtomics::clear() {
  accessed_.clear();
  free_count_ = 0;
  access_words_.clear();
  accesses_.clear();
  unused_accesses_.clear();
  free_words_.clear();
  frees_.clear();
  last_free_ = 0;
}

std::vector<FreedAtomics::Past>& FreedAtomics::accesses_at(Address address) {
  std::uint32_t& number = access_words_.at(address);
  if (number == 0) {
    if (unused_accesses_.empty()) {
      accesses_.emplace_back();
      unused_accesses_.push_back(static_cast<std::uint32_t>(accesses_.size()));
    }
    number = unused_accesses_.back();
    unused_accesses_.pop_back();
  }
  return accesses_[number - 1];
}

void FreedAtomics::access(const Event& event, const MemoryAccess& now, const VectorClock& clock) {
  const TaskId task = event.id.task;
  const bool writes = now.kind() == AccessKind::write;
  const PlaceNumber place = places_.number_of(event.where);
  const Free* const free = free_at(now.address());
  if (free != nullptr && !clock.covers(free->epoch)) {
    tell({task, place, writes}, {TaskId{free->epoch.task}, free->place, true}, now);
  }
  std::vector<Past>& pasts = accesses_at(now.address());
  // Who does not know those that we know of does not know us.
  std::erase_if(pasts, [&](const Past& past) { return clock.covers(past.epoch); });
  pasts.push_back({epoch_of(task, clock), place, now});
}

void FreedAtomics::look_for_frees(TaskId task, std::span<const MemoryAccess> accesses,
                                  const VectorClock& clock) {
  for (const MemoryAccess& one : accesses) {
    // No block is smaller, and larger ones come in pieces of multiples of that.
    const bool may_free = one.kind() == AccessKind::write && one.size_bytes() >= 2 * word_bytes;
    if (may_free && frees_memory_at(one.counter())) free(task, one, clock);
  }
}

void FreedAtomics::free(TaskId task, const MemoryAccess& block, const VectorClock& clock) {
  const PlaceNumber place = places_.number_of(block.counter());
  const Address end = block.address() + block.size_bytes();
  access_words_.for_each_in(block.address(), end, [&](std::uint32_t& list) {
    if (list == 0) return;
    for (const Past& past : accesses_[list - 1]) {
      if (clock.covers(past.epoch)) continue;
      tell({task, place, true},
           {TaskId{past.epoch.task}, past.place, past.access.kind() == AccessKind::write},
           past.access);
    }
  });
  const std::uint32_t number = number_of({epoch_of(task, clock), place});
  // Only words in use are gone through: first one of each page is put to use.
  for (Address address = block.address(); address < end; address += page_bytes) {
    free_words_.at(address) = number;
  }
  free_words_.at(end - word_bytes) = number;
  free_words_.for_each_in(block.address(), end, [&](std::uint32_t& word) { word = number; });
}

std::uint32_t FreedAtomics::number_of(const Free& free) {
  if (last_free_ != 0) {
    const Free& last = frees_[last_free_ % frees_max];
    if (last.epoch == free.epoch && last.place == free.place) return last_free_;
  }
  ++last_free_;
  const std::uint32_t slot = last_free_ % frees_max;
  if (slot >= frees_.size()) frees_.resize(std::size_t{slot} + 1);
  frees_[slot] = free;
  return last_free_;
}

const FreedAtomics::Free* FreedAtomics::free_at(Address address) {
  std::uint32_t number = 0;
  const Address word = address / word_bytes * word_bytes;
  free_words_.for_each_in(word, word + word_bytes, [&](std::uint32_t one) { number = one; });
  const bool is_kept = number != 0 && last_free_ - number < frees_max;
  return is_kept ? &frees_[number % frees_max] : nullptr;
}

void FreedAtomics::forget(Address address, std::uint64_t size_bytes) {
  const Address begin = (address + word_bytes - 1) & ~(word_bytes - 1);
  const Address end = (address + size_bytes) & ~(word_bytes - 1);
  free_words_.for_each_in(begin, end, [](std::uint32_t& number) { number = 0; });
  access_words_.for_each_in(begin, end, [&](std::uint32_t& list) {
    if (list == 0) return;
    accesses_[list - 1].clear();
    unused_accesses_.push_back(list);
    list = 0;
  });
}

void FreedAtomics::tell(const RacingAccess& now, const RacingAccess& earlier,
                        const MemoryAccess& atomic) {
  if (!found_.is_new(now.place, earlier.place)) return;
  found_.add("nothing orders an atomic access to " + memory_text(atomic.size_bytes()) +
                 " and the free of its block",
             now, earlier, places_, RacedMemory::of(atomic));
}

}  // namespace orrery::detail
