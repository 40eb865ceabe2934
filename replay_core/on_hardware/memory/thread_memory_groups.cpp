// Accesses to words that share a version and an order of writes with others.
#include <algorithm>

#include "memory_record.hpp"
#include "thread_memory.hpp"

namespace orrery::on_hardware {

/// Each word counts as one access of its group: a replay takes them one after the other.
void ThreadMemory::come_to_groups(const WordRange& range, bool is_write, std::uintptr_t caller) {
  const bool is_read = !is_write && has_readers_;
  if (range.words == 1) {
    const std::uint64_t place = process_.groups().settle(range.first, caller, words_);
    const std::uint32_t variable = use_in_group(range.first, place);
    if (is_read) return read_unit({place, 1}, variable, words_.at(place));
    units_[0] = {place, variable, 1};
    unit_count_ = 1;
  } else {
    find_units(range, caller);
    if (is_read) return read_units(range);
  }
  write_units(caller);
  taken_ = range;
}

/// Each once, in the order of their places: nobody waits in a circle.
void ThreadMemory::find_units(const WordRange& range, std::uintptr_t caller) {
  unit_count_ = 0;
  bool ascends = true;
  for (std::uint64_t word = range.first; word < range.first + range.words; ++word) {
    const std::uint64_t place = process_.groups().settle(word, caller, words_);
    const std::uint32_t variable = use_in_group(word, place);
    if (unit_count_ > 0 && units_[unit_count_ - 1].place == place) {
      ++units_[unit_count_ - 1].words;
      continue;
    }
    ascends = ascends && (unit_count_ == 0 || units_[unit_count_ - 1].place < place);
    units_[unit_count_++] = {place, variable, 1};
  }
  if (ascends) return;
  std::sort(units_, units_ + unit_count_,
            [](const Unit& a, const Unit& b) { return a.place < b.place; });
  std::uint64_t last = 0;
  for (std::uint64_t i = 1; i < unit_count_; ++i) {
    if (units_[i].place == units_[last].place) {
      units_[last].words += units_[i].words;
    } else {
      units_[++last] = units_[i];
    }
  }
  unit_count_ = last + 1;
}

void ThreadMemory::write_units(std::uintptr_t caller) {
  for (std::uint64_t i = 0; i < unit_count_; ++i) {
    const Unit& unit = units_[i];
    SharedWord& shared = words_.at(unit.place);
    const std::uint64_t before = take_for_write(unit.place, shared, unit.variable, caller).state;
    const std::uint64_t version = SharedWord::version(before) + 2 * std::uint64_t{unit.words};
    if (unit.words > 1) {
      // Who reads has been waited for: what it looks at has the version of before.
      shared.state.store(SharedWord::taken_for(version, number()), std::memory_order_release);
    }
    known_[unit.variable] = version + 1;
  }
}

void ThreadMemory::read_units(const WordRange& range) {
  const WordRange places{units_[0].place, unit_count_};
  const bool is_one_range = units_[unit_count_ - 1].place - places.first == unit_count_ - 1;
  if (!is_one_range) {
    while (!reads_scattered()) {
    }
  } else if (!reads_unfenced(places)) {
    while (!reads_fenced(places)) {
    }
  }
  for (std::uint64_t word = range.first; word < range.first + range.words; ++word) {
    const std::uint64_t place =
        unit_count_ == 1 ? places.first : process_.groups().place_of(word, words_);
    const SharedWord& shared = words_.at(place);
    know(shared.number.load(std::memory_order_relaxed),
         shared.state.load(std::memory_order_relaxed));
  }
}

/// As `reads_fenced`; whoever writes to a group that this thread has ever read waits until it is
/// over.
bool ThreadMemory::reads_scattered() {
  reading_[0].exchange(reads_everything);
  for (std::uint64_t i = 0; i < unit_count_; ++i) {
    if (!is_free_for_read(units_[i].place)) return false;
  }
  return true;
}

// --- variables ----------------------------------------------------------------------------------

/// The number of its group, which the thread has used from now on.
std::uint32_t ThreadMemory::use_in_group(std::uint64_t word, std::uint64_t place) {
  SharedWord& shared = words_.at(place);
  if (!WordGroups::is_group(place)) return use(place, shared);
  const std::uint32_t group = shared.number.load(std::memory_order_acquire);
  if (group == 0 || known_[group] == 0) return first_use_in_group(word, shared);
  const bool has_name = process_.has_name(word);
  if (has_name && !process_.groups().are_settled_by_word()) return group;
  const std::uint32_t own = words_.at(word).number.load(std::memory_order_acquire);
  const bool is_used = own != 0 && (has_name || known_[own] != 0);
  return is_used ? group : first_use_in_group(word, shared);
}

std::uint32_t ThreadMemory::first_use_in_group(std::uint64_t word, SharedWord& group) {
  const std::uint32_t number = number_of(group);
  if (known_[number] == 0) known_[number] = 1;
  SharedWord& own = words_.at(word);
  if (process_.has_name(word)) {
    // Once for all threads: this is in the group.
    if (process_.groups().are_settled_by_word()) own.number = number;
    write_name(number, process_.groups().name_of(word));
  } else {
    const std::uint32_t variable = number_of(own);
    known_[variable] = 1;
    flush_fresh();
    write_name(variable, number);
  }
  return number;
}

std::uint32_t ThreadMemory::number_of(SharedWord& word) {
  std::uint32_t number = word.number.load(std::memory_order_acquire);
  if (number != 0) return number;
  const std::uint32_t given = take_number(untold_numbers_, false);
  if (!word.number.compare_exchange_strong(number, given)) return number;
  ++untold_numbers_.next;
  return given;
}

}  // namespace orrery::on_hardware
