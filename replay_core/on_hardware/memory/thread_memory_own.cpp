// Words that one thread alone has come to, and what others do who come to them.
#include <mutex>

#include "memory_record.hpp"
#include "thread_memory.hpp"

namespace orrery::on_hardware {

/// False: not all of them are its own; then they all are everybody's.
bool ThreadMemory::comes_to_own(const WordRange& range, bool is_write) {
  if (are_everybodys(range)) {
    reading_[0].store(0, std::memory_order_release);
    return false;
  }
  const std::uint64_t behind = range.first + range.words;
  for (std::uint64_t place = range.first; place < behind; ++place) {
    static_cast<void>(use(place, words_.at(place)));
  }
  while (are_own(range)) {
    say_unfenced(range);
    answer();
    if ((asked_.load(std::memory_order_acquire) & asked_for_words) == 0) {
      if (has_own(range, is_write)) return true;
    } else if (is_within_another()) {
      // Whoever asks may wait for what this thread has told of before and does only after this.
      const std::lock_guard hold(own_words_lock_);
      if (has_own(range, is_write)) return true;
    } else {
      reading_[0].store(0, std::memory_order_release);
      wait_until_not_asked(*this);
    }
  }
  reading_[0].store(0, std::memory_order_release);
  for (std::uint64_t place = range.first; place < behind; ++place) share(place, is_write);
  return false;
}

/// Nobody else changes what is its own, and nobody does as long as it says that it is there.
bool ThreadMemory::has_own(const WordRange& range, bool is_write) {
  if (!are_own(range)) return false;
  for (std::uint64_t place = range.first; is_write && place < range.first + range.words; ++place) {
    auto& state = words_.at(place).state;
    const std::uint64_t before = state.load(std::memory_order_relaxed);
    if ((before & SharedWord::worn) != 0) end_record();
    state.store(before + SharedWord::two_versions, std::memory_order_relaxed);
  }
  if (!is_write) more_known_reads_ += range.words;
  return true;
}

bool ThreadMemory::are_own(const WordRange& range) {
  for (std::uint64_t place = range.first; place < range.first + range.words; ++place) {
    if (!is_own(words_.at(place).state.load(std::memory_order_acquire))) return false;
  }
  return true;
}

bool ThreadMemory::are_everybodys(const WordRange& range) {
  for (std::uint64_t place = range.first; place < range.first + range.words; ++place) {
    const std::uint64_t state = words_.at(place).state.load(std::memory_order_acquire);
    if ((state & SharedWord::shared) == 0) return false;
  }
  return true;
}

/// `is_write`: whoever reads it is to fence himself from now on, as who writes would ask for.
void ThreadMemory::share(std::uint64_t place, bool is_write) {
  SharedWord& word = words_.at(place);
  for (;;) {
    std::uint64_t state = word.state.load(std::memory_order_acquire);
    if ((state & SharedWord::shared) != 0) return;
    if (is_own(state)) {
      share_own(place);
    } else if ((state & SharedWord::owned) == 0) {
      word.state.compare_exchange_strong(state, state | SharedWord::shared);
    } else if (ThreadMemory* const owner = process_.thread(SharedWord::writer(state) - 1)) {
      ask_owner(place, *owner, is_write);
    }
  }
}

/// One at a time asks, and nobody begins to come to a word of his own meanwhile.
void ThreadMemory::have_others_wait(ThreadMemory& owner) {
  while ((owner.asked_.fetch_or(asked_for_words) & asked_for_words) != 0) {
    wait_until_not_asked(owner);
  }
}

void ThreadMemory::share_own(std::uint64_t place) {
  const std::lock_guard hold(own_words_lock_);
  if (is_own(words_.at(place).state.load(std::memory_order_acquire))) become_everybodys(place);
}

/// Asks for the words around it, too.  Not all are had that way: who wants one looks again.
void ThreadMemory::ask_owner(std::uint64_t place, ThreadMemory& owner, bool is_write) {
  have_others_wait(owner);
  // Who has asked before may have had it: then the owner comes there as often as he likes.
  if (owner.is_own(words_.at(place).state.load(std::memory_order_acquire))) {
    // Whoever is about to come to a word of his own has said so, or finds that he is asked.
    have_fenced(owner);
    owner.asks_.fetch_add(1, std::memory_order_relaxed);
    wait_for_owner(owner, place);
    take_own_of(owner, SharedWords::first_at_once(place), is_write);
  }
  owner.asked_.fetch_and(~asked_for_words);
}

void ThreadMemory::take_own_of(ThreadMemory& owner, std::uint64_t first, bool is_write) {
  const std::lock_guard hold(owner.own_words_lock_);
  for (std::uint64_t place = first; place < first + SharedWords::words_at_once; ++place) {
    SharedWord& word = words_.at(place);
    const bool is_its_own = owner.is_own(word.state.load(std::memory_order_acquire));
    if (!is_its_own || owner.reading_of(place) != 0) continue;
    if (is_write) word.fences.store(SharedWord::fenced, std::memory_order_release);
    owner.become_everybodys(place);
  }
}

/// By whoever holds the owner's words.  It knows the last version, and may have read it.
void ThreadMemory::become_everybodys(std::uint64_t place) {
  SharedWord& word = words_.at(place);
  const std::uint64_t own = word.state.load(std::memory_order_relaxed);
  const std::uint64_t version = SharedWord::version(own);
  known_[word.number.load(std::memory_order_relaxed)] = version + 1;
  words_.readers(place).fetch_or(own_bit_);
  const std::uint64_t state = version == 0 ? 0 : own & ~SharedWord::owned;
  word.state.store(state | SharedWord::shared, std::memory_order_release);
}

}  // namespace orrery::on_hardware
