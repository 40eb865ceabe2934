#include "thread_memory.hpp"

#include <algorithm>
#include <utility>

#include <orrery_hooks.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory_record.hpp"
#include "reserved_memory.hpp"
#include "thread_places.hpp"

namespace orrery::on_hardware {

using Kept = memory_spool::Record;
using memory_spool::Method;
using memory_spool::word_bytes;

namespace {

std::uint64_t folded(std::int64_t number) {
  return static_cast<std::uint64_t>(number) << 1U ^ static_cast<std::uint64_t>(number >> 63U);
}

}  // namespace

ThreadMemory::ThreadMemory(MemoryRecord& process, ThreadRecord& own)
    : process_(process), words_(process.words()), own_(own) {}

bool ThreadMemory::open(const char* directory) {
  if (!spool_.open(directory, memory_spool::memory_file_prefix, number())) return false;
  header_ = reinterpret_cast<memory_spool::Header*>(&spool_.header());
  known_ = reserve<std::uint64_t>(MemoryRecord::variables_max);
  header_->method = process_.method();
  header_->named = process_.named();
  header_->groups = process_.groups().which();
  has_fence_ = process_.has_fence();
  has_readers_ = process_.method() != Method::leap;
  counts_all_ = process_.method() == Method::global_writes;
  own_bit_ = MemoryRecord::bit_of(number());
  own_mark_ = number() + 1;
  own_state_ = SharedWord::owned | own_mark_;
  only_own_bit_ = own_bit_ == MemoryRecord::common_bit ? 0 : own_bit_;
  are_prepared_ = reserve<bool>(MemoryRecord::variables_max / variables_prepared);
  is_on_ = known_ != nullptr && are_prepared_ != nullptr;
  is_in_groups_ = process_.groups().are_any();
  if (is_in_groups_) units_ = reserve<Unit>(WordRange::words_max);
  is_on_ = is_on_ && is_in_groups_ == (units_ != nullptr);
  may_pass_ = has_readers_ && !is_in_groups_;
  has_own_words_ = header_->method == Method::stride && has_fence_ && !is_in_groups_;
  shared_bits_ = has_own_words_ ? SharedWord::shared : 0;
  // What has been counted among the writes of all stays counted.
  may_step_back_ = has_fence_ && !is_in_groups_ && !counts_all_;
  return is_on_;
}

void ThreadMemory::begin() {
  system_thread_ = static_cast<pid_t>(syscall(SYS_gettid));
  locals_ = own_thread_locals();
  process_start_ = process_start();
  const ByteRange stack = own_stack();
  const WordRange words{stack.begin / word_bytes, stack.bytes / word_bytes};
  static_cast<void>(process_.loses_stacks(words));
  if (number() != 0) words_.forget(words.first, words.words);
  stack_first_ = words.first;
  // The C library may put a thread's variables at the end of its stack.
  const bool has_locals = stack.has(locals_.all.begin);
  stack_words_ = has_locals ? locals_.all.begin / word_bytes - words.first : words.words;
}

/// Its stack stays its own, for who still comes there, unless the program asked for that as a
/// block.
void ThreadMemory::end() {
  if (process_.has_name(stack_first_)) stack_words_ = 0;
  is_free_ = false;
  is_quick_ = false;
  system_thread_ = 0;
  reading_[0] = 0;
  reading_[1] = 0;
}

bool ThreadMemory::loses_stack(const WordRange& to) {
  const WordRange stack{stack_first_, stack_words_};
  if (stack.words == 0 || !stack.meets(to)) return false;
  stack_words_ = 0;
  end();
  return true;
}

/// Destructors of what a thread has of its own may come behind its end.
void ThreadMemory::come_back() {
  system_thread_ = static_cast<pid_t>(syscall(SYS_gettid));
}

// --- accesses -----------------------------------------------------------------------------------

void ThreadMemory::come_to(std::uint64_t address, std::uint64_t bytes, bool is_write,
                           std::uintptr_t caller) {
  if (!is_on_) return give_back_last();
  enter_hook();
  const std::uint64_t first = address / word_bytes;
  const WordRange range{first, (address + bytes - 1) / word_bytes - first + 1};
  if (system_thread_.load(std::memory_order_relaxed) == 0) come_back();
  const bool assigns = release_before(range, bytes, is_write, caller);
  answer();
  const bool is_anew = assigns && steps_back_for(range);
  if (std::exchange(is_behind_others_, false)) own_.before_access();
  if (range.words > 1) write_wide(range.words);
  if (!is_anew) begin_with(accesses());
  const bool is_read = !is_write && has_readers_;
  count_access(!is_read);
  // Each word is counted when its version is known.
  if (is_read) --more_known_reads_;
  if (is_in_groups_) {
    come_to_groups(range, is_write, caller);
  } else if (is_anew) {
    assign(range, caller);
  } else if (has_own_words_ && comes_to_own(range, is_write)) {
    // Nobody else is near.
    if (is_write) keep_before(range, caller, /*is_own=*/true);
  } else if (!is_read) {
    // An atomic has no source to wait for.
    if (counts_all_ && !holds_writes_) wait_to_assign(range);
    write(range, caller);
  } else {
    read_any(range);
  }
  waits_in_order_ = false;
  is_whole();
  note_access(bytes, is_write, caller);
  leave_hook();
  if (is_write && range.words > 1) keep_content(address, bytes);
}

/// What it is at is still recorded, and others go on, until they come to such a word.
void ThreadMemory::end_record() {
  spool_.cut(static_cast<rank_spool::Cut>(memory_spool::too_many_writes));
  is_on_ = false;
}

/// A function of the C library tells of all that it will access before it does any of it: of what
/// it reads, and then of what it writes, or of long ranges.  So does gcc where a structure is
/// assigned (`orrery_is_assignment`), the other way round.
bool ThreadMemory::release_before(const WordRange& range, std::uint64_t bytes, bool is_write,
                                  std::uintptr_t caller) {
  constexpr std::uint64_t words_of_an_instruction = 2;
  const bool copies_on = caller == last_caller_ && last_written_bytes_ == 0 &&
                         (is_write || range.words > words_of_an_instruction);
  // Who reads what it has just written assigns nothing, and would wait for itself.
  const bool assigns = !is_write && !range.meets(taken_) &&
                       orrery_is_assignment(last_written_bytes_, last_caller_, bytes, caller) != 0;
  const bool goes_on = last_caller_ != 0 && caller != 0 && (copies_on || assigns);
  if (!goes_on) {
    give_back_all();
    before_.range = {};
    return false;
  }
  give_back(kept_);
  keep_for_next();
  return assigns && !copies_on;
}

/// What the last access has, while it comes to the next one.
void ThreadMemory::keep_for_next() {
  kept_ = std::exchange(taken_, {});
  reading_[1].store(reading_[0].load(std::memory_order_relaxed));
}

/// Nothing more is recorded.
void ThreadMemory::give_back_last() {
  if (taken_.words != 0 || kept_.words != 0) release();
}

void ThreadMemory::release() {
  enter_hook();
  give_back_all();
  answer();
  leave_hook();
}

void ThreadMemory::leave_hook() {
  if (may_pass_) {
    is_free_ = is_on_ && !is_behind_others_ && !is_within_another();
    is_quick_ = is_free_ && taken_.words == 0 && leaf_ != nullptr;
  }
  if (!stays_in_hook_) is_in_hook_.store(false, std::memory_order_release);
}

void ThreadMemory::give_back_all() {
  if (taken_.words != 0) give_back(taken_);
  if (kept_.words != 0) give_back(kept_);
  for (auto& range : reading_) {
    if (range.load(std::memory_order_relaxed) != 0) range.store(0, std::memory_order_release);
  }
  if (std::exchange(may_assign_, false)) {
    std::uint32_t own = own_mark_;
    process_.assigning().compare_exchange_strong(own, 0);
  }
  last_caller_ = 0;
}

void ThreadMemory::give_back(WordRange& range) {
  const bool is_alone = has_fence_ && revoking_.load(std::memory_order_acquire) == 0;
  for (; range.words > 0; ++range.first, --range.words) {
    const std::uint64_t place =
        is_in_groups_ ? process_.groups().place_of(range.first, words_) : range.first;
    SharedWord& word = words_.at(place);
    std::uint64_t state = word.state.load(std::memory_order_relaxed);
    const bool is_ours = SharedWord::is_taken(state) && SharedWord::writer(state) == number() + 1;
    // Who waited for long may have taken it away, and the next access has it where they meet.
    if (!is_ours || (&range == &kept_ && taken_.has(range.first))) continue;
    if (is_alone) {
      word.state.store(state + SharedWord::one_version, std::memory_order_release);
    } else {
      word.state.compare_exchange_strong(state, state + SharedWord::one_version);
    }
  }
}

/// Each word has its turn, in the order of addresses: nobody waits in a circle.
void ThreadMemory::write(const WordRange& range, std::uintptr_t caller) {
  const std::uint64_t behind = range.first + range.words;
  // What steps back takes back turns, and no first uses.
  for (std::uint64_t place = range.first; range.words > 1 && place < behind; ++place) {
    static_cast<void>(use(place, words_.at(place)));
  }
  const bool keeps = range.words > 1 && keep_before(range, caller, /*is_own=*/false);
  taken_ = {range.first, 0};
  for (std::uint64_t place = range.first; place < behind; ++place) {
    SharedWord& word = words_.at(place);
    const Before::Word before = take_for_write(place, word, use(place, word), caller);
    if (keeps) before_.words[taken_.words] = before;
    ++taken_.words;
  }
  if (counts_all_) count_writes(range);
}

ThreadMemory::Before::Word ThreadMemory::take_for_write(std::uint64_t place, SharedWord& word,
                                                        std::uint32_t variable,
                                                        std::uintptr_t caller) {
  Before::Word before;
  // Those are to be there when it has taken the word, which waits for all that comes before.
  if (has_readers_) __builtin_prefetch(&words_.readers(place));
  before.state = take(word);
  before.known = known_[variable];
  before.marks = word.marks.load(std::memory_order_relaxed);
  const std::uint32_t writer = SharedWord::writer(before.state);
  const bool is_others = writer != number() + 1 && writer != 0;
  if (is_others && !counts_all_) take_over(word, variable, before.state, caller);
  known_[variable] = SharedWord::version(before.state) + 2 + 1;
  if (has_readers_) before.readers = wait_to_write(place, word);
  return before;
}

/// Whoever reads the word, which this thread has taken, is waited for.
std::uint64_t ThreadMemory::wait_to_write(std::uint64_t place, const SharedWord& word) {
  const std::uint64_t readers = words_.readers(place).load();
  const std::uint64_t others = readers & ~only_own_bit_;
  if (others != 0) wait_for_readers(place, word, others);
  return others;
}

void ThreadMemory::take_over(SharedWord& word, std::uint32_t variable, std::uint64_t before,
                             std::uintptr_t caller) {
  const std::uint32_t marks = word.marks.load(std::memory_order_relaxed);
  // Whoever comes without a word first must be waited for by a lock or the like.
  if (marks != SharedWord::has_turns && process_.quiet_sites().has(caller)) {
    return word.marks.store(SharedWord::has_quiet_turns, std::memory_order_relaxed);
  }
  word.marks.store(SharedWord::has_turns, std::memory_order_relaxed);
  const bool is_known = marks != SharedWord::has_quiet_turns;
  write_turn(variable, before, is_known ? SharedWord::writer(before) - 1 : memory_spool::nobody);
  learn_from(SharedWord::writer(before) - 1);
}

/// By `leap` who copies within a word has it for what is read, when he comes to write there.
std::uint64_t ThreadMemory::take(SharedWord& word) {
  for (;;) {
    std::uint64_t state = word.state.load(std::memory_order_acquire);
    if (SharedWord::is_taken(state)) {
      if (SharedWord::writer(state) != own_mark_) {
        wait_for_writer(word);
      } else if (is_in_groups_) {
        give_back(kept_);
      } else if (word.state.compare_exchange_strong(state, state + SharedWord::two_versions)) {
        return state + SharedWord::one_version;
      }
      continue;
    }
    const std::uint64_t taken = SharedWord::taken_from(state, own_mark_);
    if (!word.state.compare_exchange_weak(state, taken)) continue;
    if ((state & SharedWord::worn) != 0) end_record();
    return state;
  }
}

void ThreadMemory::read_any(const WordRange& range) {
  range.words == 1 ? read_word(range) : read(range);
}

/// Most accesses are to one: as `read`, which takes a fifth longer for it.
void ThreadMemory::read_word(const WordRange& range) {
  SharedWord& word = words_.at(range.first);
  read_unit(range, use(range.first, word), word);
}

void ThreadMemory::read(const WordRange& range) {
  const std::uint64_t behind = range.first + range.words;
  for (std::uint64_t place = range.first; place < behind; ++place) {
    static_cast<void>(use(place, words_.at(place)));
  }
  if (!reads_unfenced(range)) {
    while (!reads_fenced(range)) {
    }
  }
  for (std::uint64_t place = range.first; place < behind; ++place) {
    const SharedWord& word = words_.at(place);
    know(word.number.load(std::memory_order_relaxed), word.state.load(std::memory_order_relaxed));
  }
}

/// Says that it reads without a fence, which each writer is to pass for both; false: that is not
/// enough.  A word that others read and somebody writes is dearer so than with fences.
bool ThreadMemory::reads_unfenced(const WordRange& range) {
  if (!has_fence_) return false;
  const std::uint64_t behind = range.first + range.words;
  for (std::uint64_t place = range.first; place < behind; ++place) {
    if (!is_reader_of(place)) return false;
  }
  say_unfenced(range);
  for (std::uint64_t place = range.first; place < behind; ++place) {
    const SharedWord& word = words_.at(place);
    const bool is_quiet = word.fences.load(std::memory_order_acquire) == SharedWord::unfenced;
    if (!is_quiet || SharedWord::is_taken(word.state.load(std::memory_order_acquire))) return false;
  }
  return true;
}

/// Says that it reads so that every writer hears it; false: it had to wait for one.
bool ThreadMemory::reads_fenced(const WordRange& range) {
  const std::uint64_t behind = range.first + range.words;
  reading_[0].exchange(range.packed());
  for (std::uint64_t place = range.first; place < behind; ++place) {
    if (!is_free_for_read(place)) return false;
  }
  return true;
}

/// Says besides that it reads there at all.  False: it had to wait.
bool ThreadMemory::is_free_for_read(std::uint64_t place) {
  SharedWord& word = words_.at(place);
  while (!SharedWord::is_taken(word.state.load(std::memory_order_acquire))) {
    // If a writer takes this back it comes after the state, which is looked at again.
    if (is_reader_of(place)) return true;
    words_.readers(place).fetch_or(own_bit_);
  }
  // Whoever writes may wait for all that read.
  reading_[0].store(0, std::memory_order_release);
  wait_for_writer(word);
  return false;
}

/// A read has this version, or the one before if somebody has taken the word since.
void ThreadMemory::know(std::uint32_t variable, std::uint64_t state) {
  const std::uint64_t version = SharedWord::version(state) & ~std::uint64_t{1};
  const std::uint64_t known = counts_all_ ? known_writes_ : known_[variable] - 1;
  known_[variable] = version + 1;
  if (known == version || (counts_all_ && version < known)) {
    ++more_known_reads_;
    return;
  }
  write_bound(version - known);
  known_writes_ = version;
  if (SharedWord::is_taken(state)) return learn_from_all();
  const std::uint32_t writer = SharedWord::writer(state);
  if (writer != 0) learn_from(writer - 1);
}

// --- variables ----------------------------------------------------------------------------------

std::uint32_t ThreadMemory::first_use(std::uint64_t place, SharedWord& word) {
  ThreadMemory* owner = has_on_stack(place) ? this : nullptr;
  for (std::uint32_t i = 0; owner == nullptr && i < process_.thread_count(); ++i) {
    ThreadMemory* const other = process_.thread(i);
    if (other != nullptr && other->has_on_stack(place)) owner = other;
  }
  const bool is_told = owner == nullptr && !process_.has_name(place);
  words_.prepare(place);
  Numbers& numbers = is_told ? numbers_ : untold_numbers_;
  std::uint32_t variable = word.number.load(std::memory_order_acquire);
  bool is_new = false;
  if (variable == 0) {
    const std::uint32_t given = take_number(numbers, is_told);
    is_new = word.number.compare_exchange_strong(variable, given);
    variable = is_new ? given : variable;
    numbers.next += is_new ? 1 : 0;
  }
  prepare_for(variable);
  write_first_use(variable, place, is_new, owner);
  known_[variable] = 1;
  std::uint64_t nobodys = 0;
  if (wants_own_words()) word.state.compare_exchange_strong(nobodys, own_state_);
  return variable;
}

void ThreadMemory::prepare_for(std::uint32_t variable) {
  const std::uint32_t group = variable / variables_prepared;
  if (std::exchange(are_prepared_[group], true)) return;
  use_at_once(&known_[group * variables_prepared], variables_prepared);
}

/// `owner`: whose stack it lies on, if on any.
void ThreadMemory::write_first_use(std::uint32_t variable, std::uint64_t place, bool is_new,
                                   const ThreadMemory* owner) {
  // The one order of all writes has those of what is a thread's own, too.
  if (owner != nullptr) {
    if (owner == this && !counts_all_) return;
    spool_.append(first_number(Kept::stack, variable));
    spool_.append(owner->number());
    spool_.append(folded(static_cast<std::int64_t>(owner->stack_line_ / word_bytes - place)));
  } else if (process_.has_name(place)) {
    if (is_new && !counts_all_ && !is_in_groups_) return;
    return write_name(variable, place);
  } else if (is_new) {
    return __atomic_store_n(&header_->fresh, header_->fresh + 1, __ATOMIC_RELAXED);
  } else {
    flush_fresh();
    spool_.append(first_number(Kept::use, variable));
  }
  spool_.end();
}

std::uint32_t ThreadMemory::take_number(Numbers& numbers, bool is_told) {
  if (numbers.next < numbers.end) return numbers.next;
  const std::uint32_t first = process_.take_numbers(memory_spool::batch);
  if (first == 0) {
    // The last number is everything's: what comes from now on is not in the log.
    spool_.cut(static_cast<rank_spool::Cut>(memory_spool::too_many_variables));
    is_on_ = false;
    return MemoryRecord::variables_max - 1;
  }
  numbers = {first, first + memory_spool::batch};
  if (is_told) {
    flush_fresh();
    spool_.append(first_number(Kept::batch, first));
    spool_.end();
  }
  return first;
}

// --- records ------------------------------------------------------------------------------------

void ThreadMemory::write_turn(std::uint32_t variable, std::uint64_t state, std::uint32_t before) {
  spool_.append(first_number(Kept::turn, variable));
  spool_.append(SharedWord::version(state) / 2);
  spool_.append(before);
  spool_.end();
}

void ThreadMemory::write_name(std::uint32_t number, std::uint64_t name) {
  spool_.append(first_number(Kept::named, number));
  spool_.append(folded(static_cast<std::int64_t>(name - std::exchange(last_name_, name))));
  spool_.end();
}

void ThreadMemory::write_bound(std::uint64_t ahead) {
  spool_.append(first_number(Kept::bound, header_->reads + more_known_reads_));
  spool_.append(ahead);
  spool_.end();
  more_known_reads_ = 0 - header_->reads;
}

void ThreadMemory::write_wide(std::uint64_t words) {
  spool_.append(first_number(Kept::wide, accesses() - behind_wide_));
  spool_.append(words);
  spool_.end();
  behind_wide_ = accesses() + 1;
}

void ThreadMemory::flush_fresh() {
  if (header_->fresh == 0) return;
  spool_.append(first_number(Kept::fresh, header_->fresh));
  header_->fresh = 0;
  spool_.end();
}

}  // namespace orrery::on_hardware
