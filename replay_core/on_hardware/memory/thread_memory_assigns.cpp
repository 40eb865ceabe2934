// Structures that are assigned: gcc tells of what it will write, then of what it will read, and
// does both after that.  A thread that has the one while it waits for the other must not be waited
// for by whom it waits for: so it comes to both in the order of addresses.
#include <algorithm>
#include <cstring>

#include <sys/syscall.h>
#include <unistd.h>

#include "memory_record.hpp"
#include "thread_memory.hpp"

namespace orrery::on_hardware {

/// What has been counted among the writes of all stays counted: then one thread at a time has a
/// target while it waits for a source.
void ThreadMemory::wait_to_assign(const WordRange& range) {
  const bool has_others = kept_.words != 0 || reading_[0] != 0 || reading_[1] != 0;
  if (range.words < 2 || range.words > memory_spool::assigned_words_max || has_others) return;
  std::uint32_t nobody = 0;
  while (!process_.assigning().compare_exchange_strong(nobody, own_mark_)) {
    wait_until_none_assigns();
    nobody = 0;
  }
  may_assign_ = true;
}

/// The thread is about to have those words for a write, or has them as its own.
bool ThreadMemory::keep_before(const WordRange& range, std::uintptr_t caller, bool is_own) {
  const bool keeps = may_step_back_ && range.words > 1 && range.words <= before_.words.size();
  before_.range = keeps ? range : WordRange{};
  before_.caller = caller;
  before_.was_own = is_own;
  before_.record_bytes = spool_.length();
  return keeps;
}

/// Where a number of two words is written, and another is read by the next instructions, that looks
/// like an assignment; but then the write is done before the read is told of.  Whoever steps back
/// undoes it, and does it again where it comes to it again.
void ThreadMemory::keep_content(std::uint64_t address, std::uint64_t bytes) {
  if (before_.range.words == 0) return;
  before_.address = address;
  before_.bytes = bytes;
  std::memcpy(before_.content.data(), reinterpret_cast<const void*>(address), bytes);
}

/// Must it come to what it will write again, after or before this?  Then it has stepped back.
bool ThreadMemory::steps_back_for(const WordRange& from) {
  const WordRange& to = before_.range;
  // What is its own keeps nobody waiting.
  if (to.words == 0 || from.meets(to) || (has_own_words_ && are_own(from))) return false;
  waits_in_order_ = may_hold_before(from);
  if (waits_in_order_ || !can_step_back()) return false;
  step_back();
  waits_in_order_ = true;
  return true;
}

/// Who waits in the order of addresses, and asks nobody for his own words, may have others wait.
bool ThreadMemory::may_hold_before(const WordRange& from) {
  return from.first >= before_.range.first && (!has_own_words_ || are_everybodys(from));
}

/// Not if others have taken it away.
bool ThreadMemory::can_step_back() {
  if (!spool_.can_go_back(before_.record_bytes)) return false;
  // Whoever looks now sees that this thread is in its hook, and takes nothing away any more.
  while (revoking_.load(std::memory_order_acquire) != 0) syscall(SYS_sched_yield);
  const WordRange& to = before_.range;
  // Nobody changes what is its own as long as it says that it is there.
  if (before_.was_own) return reading_[1].load(std::memory_order_relaxed) == to.packed();
  for (std::uint64_t place = to.first; place < to.first + to.words; ++place) {
    const std::uint64_t state = words_.at(place).state.load(std::memory_order_relaxed);
    if (!SharedWord::is_taken(state) || SharedWord::writer(state) != own_mark_) return false;
  }
  return true;
}

/// Nobody has seen what it was about to write: all is as before, and nothing is written down.
void ThreadMemory::step_back() {
  const WordRange to = before_.range;
  begin_with(accesses() - 1);
  auto* const target = reinterpret_cast<std::byte*>(before_.address);
  std::swap_ranges(target, target + before_.bytes, before_.content.begin());
  for (std::uint64_t i = 0; i < to.words; ++i) {
    SharedWord& word = words_.at(to.first + i);
    if (before_.was_own) {
      const std::uint64_t state = word.state.load(std::memory_order_relaxed);
      word.state.store(state - SharedWord::two_versions, std::memory_order_relaxed);
      continue;
    }
    const Before::Word& before = before_.words[i];
    known_[word.number.load(std::memory_order_relaxed)] = before.known;
    word.marks.store(before.marks, std::memory_order_relaxed);
    words_.readers(to.first + i).fetch_or(before.readers);
    word.state.store(before.state, std::memory_order_release);
  }
  kept_ = {};
  for (auto& range : reading_) range.store(0, std::memory_order_release);
  spool_.go_back(before_.record_bytes);
}

/// Comes to both: nobody is asked for his own words by who has others wait.
void ThreadMemory::assign(const WordRange& from, std::uintptr_t caller) {
  const WordRange to = before_.range;
  const std::uintptr_t writer = before_.caller;
  for (std::uint64_t place = from.first; place < from.first + from.words; ++place) {
    static_cast<void>(use(place, words_.at(place)));
    if (has_own_words_) share(place, /*is_write=*/false);
  }
  const auto come_to_source = [&] { has_readers_ ? read_any(from) : write(from, caller); };
  const auto come_to_target = [&] {
    if (!has_own_words_ || !comes_to_own(to, /*is_write=*/true)) write(to, writer);
  };
  const bool ascends = to.first < from.first;
  ascends ? come_to_target() : come_to_source();
  keep_for_next();
  ascends ? come_to_source() : come_to_target();
  // Where it has not been written yet, all of it will be.
  std::memcpy(reinterpret_cast<void*>(before_.address), before_.content.data(), before_.bytes);
}

}  // namespace orrery::on_hardware
