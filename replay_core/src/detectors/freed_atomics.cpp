#include "freed_atomics.hpp"

#include <algorithm>

namespace orrery::detail {
namespace {

Epoch epoch_of(TaskId task, const VectorClock& clock) {
  return {task.value, clock.of(task.value)};
}

}  // namespace

void FreedAtomics::clear() {
  atomics_.clear();
  free_count_ = 0;
  access_words_.clear();
  accesses_.clear();
  unused_accesses_.clear();
  freed_.clear();
  frees_.clear();
  last_free_ = 0;
}

std::vector<FreedAtomics::Past>& FreedAtomics::list_of(std::uint32_t& number) {
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

void FreedAtomics::access_atomic(const Event& event, const VectorClock& clock) {
  auto& atomic = atomics_.at(event.object);
  if (atomic.address == 0) return;
  if (atomic.kept.accesses == nullptr) {
    atomic.kept = {&access_words_.at(atomic.address), freed_.place_of(atomic.address)};
  }
  const TaskId task = event.id.task;
  const MemoryAccess now = bytes_of(event, atomic.address);
  const PlaceNumber place = places_.number_of(event.where);
  const Free* const free = free_of(freed_.number(atomic.kept.free));
  if (free != nullptr && !clock.covers(free->epoch)) {
    tell({task, place, now.kind() == AccessKind::write},
         {TaskId{free->epoch.task}, free->place, true}, now);
  }
  std::vector<Past>& pasts = list_of(*atomic.kept.accesses);
  const Past latest{epoch_of(task, clock), place, now};
  // Who does not know those that we know of does not know us.
  if (pasts.size() == 1 && clock.covers(pasts.front().epoch)) {
    pasts.front() = latest;
    return;
  }
  std::erase_if(pasts, [&](const Past& past) { return clock.covers(past.epoch); });
  pasts.push_back(latest);
}

void FreedAtomics::look_for_frees(TaskId task, std::span<const MemoryAccess> accesses,
                                  const VectorClock& clock) {
  AddressRange block;
  ProgramCounter counter = 0;
  for (const MemoryAccess& one : accesses) {
    // No block is smaller, and larger ones come in pieces of multiples of that.
    const bool may_free = one.kind() == AccessKind::write && one.size_bytes() >= 2 * word_bytes;
    if (!may_free || !frees_memory_at(one.counter())) continue;
    const Address end = one.address() + one.size_bytes();
    if (one.address() == block.end && one.counter() == counter) {
      block.end = end;
      continue;
    }
    free(task, block, counter, clock);
    block = {one.address(), end};
    counter = one.counter();
  }
  free(task, block, counter, clock);
}

void FreedAtomics::free(TaskId task, AddressRange block, ProgramCounter counter,
                        const VectorClock& clock) {
  if (block.begin == block.end) return;
  const PlaceNumber place = places_.number_of(counter);
  access_words_.for_each_in(block.begin, block.end, [&](std::uint32_t& list) {
    if (list == 0) return;
    for (const Past& past : accesses_[list - 1]) {
      if (clock.covers(past.epoch)) continue;
      tell({task, place, true},
           {TaskId{past.epoch.task}, past.place, past.access.kind() == AccessKind::write},
           past.access);
    }
  });
  freed_.free(block.begin, block.end, number_of({epoch_of(task, clock), place}));
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

void FreedAtomics::forget(Address address, std::uint64_t size_bytes) {
  const Address begin = (address + word_bytes - 1) & ~(word_bytes - 1);
  const Address end = (address + size_bytes) & ~(word_bytes - 1);
  freed_.forget(begin, end);
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
