// What is recorded of one thread's accesses to memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <sys/types.h>

#include <orrery/replay_core/memory_spool.hpp>

#include "fenced_reads.hpp"
#include "own_lock.hpp"
#include "shared_words.hpp"
#include "spool_writer.hpp"
#include "thread_places.hpp"
#include "thread_record.hpp"

namespace orrery::on_hardware {

class MemoryRecord;

/// So many words of memory, one after the other.
struct WordRange {
  std::uint64_t first = 0;
  std::uint64_t words = 0;
  static constexpr std::uint64_t words_max = 1U << 16U;

  [[nodiscard]] bool has(std::uint64_t word) const { return word - first < words; }
  [[nodiscard]] bool meets(const WordRange& other) const {
    return first < other.first + other.words && other.first < first + words;
  }
  [[nodiscard]] std::uint64_t packed() const { return first << words_bits | words; }
  [[nodiscard]] static WordRange unpacked(std::uint64_t packed) {
    return {packed >> words_bits, packed & ((std::uint64_t{1} << words_bits) - 1)};
  }

 private:
  static constexpr unsigned words_bits = 16;
};

/// By `leap` (Huang, Liu and Zhang 2010) a thread has a word while it accesses it, and who had it
/// before is written down if that was another.
///
/// By `stride` (Zhou, Xiao and Zhang 2012) a word has a version, which a write makes odd before and
/// even after; a read takes no lock, and its version is written down where the thread did not know
/// it.  Where we differ: the compiler calls us before an access and never after it, so a write is
/// over when its thread comes to its next hook, and what a read got cannot be seen.  So a reader
/// says where it reads, in a word of its own; a writer waits until nobody does (as with hazard
/// pointers: Michael 2004).  Then each bound is exact, and no value has to be kept.
///
/// A word that one thread alone has come to is its own: it says there, too, that it reads or
/// writes, and nothing more.  Who comes second has all threads pass a fence, and waits until the
/// owner is elsewhere (as biased locks do: Kawachiya, Koseki and Onodera 2002); then it is
/// everybody's.
///
/// By `global-writes` (Cantin, Lipasti and Smith 2005) the same is done, but a word's version is
/// how many writes there had been to all words when it was written, and a read's bound is that of
/// its word, where the thread did not know of so many.  The word is the thread's while it is
/// counted, so that the one order of writes is that of each word, too: nobody need have a lock for
/// all of them until its access is over.
///
/// Lives as long as the process; its thread alone calls it, where nothing else is said.
class ThreadMemory {
 public:
  ThreadMemory(MemoryRecord& process, ThreadRecord& own);
  ThreadMemory(const ThreadMemory&) = delete;
  ThreadMemory& operator=(const ThreadMemory&) = delete;
  /// False, with `errno`, if its file or its tables cannot be made.  By any thread, once.
  bool open(const char* directory);
  /// The thread has begun.
  void begin();
  void end();
  /// Something else lies there from now on.  False: that is not on its stack; else it has ended.
  [[nodiscard]] bool loses_stack(const WordRange& to);

  /// The program is about to access memory.  `caller`: where in its code.
  void come_to(std::uint64_t address, std::uint64_t bytes, bool is_write, std::uintptr_t caller);
  /// The same where no more is to be done than to say so: the word is the thread's own.  False: not
  /// that has been done.  Of all that a program does most accesses come here: no calls.
  [[nodiscard]] bool passes(std::uint64_t address, std::uint64_t bytes, bool is_write,
                            std::uintptr_t caller);
  /// The same of a word that is everybody's, and that nobody else has written since this thread
  /// came to it.
  [[nodiscard]] bool passes_among_others(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                         std::uintptr_t caller) {
    return is_free_ && comes_again(address, bytes, is_write, caller);
  }
  /// The same of an access that is done at once, by `execute`, which gets a stamp there: nobody
  /// takes it for done before.  By `global-writes` nobody else's write comes between it and its
  /// stamp: else these could tell a replay to have one wait for the other.
  template <typename Execute>
  void do_access(std::uint64_t address, std::uint64_t bytes, bool is_write,
                 const Execute& execute) {
    holds_writes_ = counts_all_ && is_write && is_on_;
    stays_in_hook_ = true;
    come_to(address, bytes, is_write, 0);
    execute();
    stays_in_hook_ = false;
    if (holds_writes_) stop_holding_writes();
    release();
  }
  /// The thread has done what it was about to do.
  void release();
  /// Where the frames of the program begin on its stack: others are counted from there.
  [[nodiscard]] std::uintptr_t& stack_line() { return stack_line_; }
  /// What libraries have of the thread's own, and what the process found when it began: in
  /// simulation, too, nobody is told of that.
  [[nodiscard]] bool is_left_out(std::uint64_t address) const {
    return (locals_.all.has(address) && !locals_.of_program.has(address)) ||
           process_start_.has(address);
  }

  // Of any thread's doing

  [[nodiscard]] std::uint32_t number() const { return own_.number(); }
  [[nodiscard]] std::uint64_t clock() const { return own_.shared_clock(); }
  [[nodiscard]] pid_t system_thread() const { return system_thread_.load(); }
  /// Is it still to come to the access that it has told of?
  [[nodiscard]] bool is_in_hook() const { return is_in_hook_.load(); }
  /// The range with this word that it reads, or that is its own, packed; 0: none, as far as anybody
  /// knows.
  [[nodiscard]] std::uint64_t reading_of(std::uint64_t word) const;
  /// Of what lies in several places: all.
  static constexpr std::uint64_t reads_everything = ~std::uint64_t{0};
  /// How many accesses it has told of.
  [[nodiscard]] std::uint64_t accesses() const {
    return __atomic_load_n(&header_->reads, __ATOMIC_ACQUIRE) +
           __atomic_load_n(&header_->others, __ATOMIC_ACQUIRE);
  }
  /// Another thread takes away by `take` what this one has not given back; not if it has come to a
  /// hook since it had told of so many accesses.  A function that copies has what it reads still,
  /// when it has come to the hook for what it writes.  False: it has come to a hook.
  template <typename Take>
  bool revoke(std::uint64_t accesses, const Take& take);
  /// It does not read that range any more, whatever it says.
  void has_read(std::uint64_t range);
  [[nodiscard]] bool has_on_stack(std::uint64_t word) const {
    return word - stack_first_.load(std::memory_order_relaxed) <
           stack_words_.load(std::memory_order_relaxed);
  }

 private:
  /// Numbers that variables get from this thread.
  struct Numbers {
    std::uint32_t next = 0;
    std::uint32_t end = 0;
  };

  /// A write of several words as it was before, should it have to step back.
  struct Before {
    struct Word {
      std::uint64_t state = 0;
      std::uint64_t known = 0;
      std::uint64_t readers = 0;  ///< that it has waited for
      std::uint8_t marks = 0;
    };
    WordRange range;  ///< none: it cannot
    std::uintptr_t caller = 0;
    bool was_own = false;
    std::uint64_t record_bytes = 0;
    std::array<Word, memory_spool::assigned_words_max> words;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::array<std::byte, memory_spool::assigned_words_max * memory_spool::word_bytes> content;
  };

  /// Is this the second part of an assignment, which is done together with the one before?
  [[nodiscard]] bool release_before(const WordRange& range, std::uint64_t bytes, bool is_write,
                                    std::uintptr_t caller);
  [[gnu::noinline]] void come_back();
  /// Before it looks whether somebody takes something away from it.
  void enter_hook() {
    is_in_hook_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void leave_hook();
  void give_back_all();
  void give_back(WordRange& range);
  void write(const WordRange& range, std::uintptr_t caller);
  void read_any(const WordRange& range);
  // Assignments
  /// False: it cannot step back from that.
  bool keep_before(const WordRange& range, std::uintptr_t caller, bool is_own);
  void keep_content(std::uint64_t address, std::uint64_t bytes);
  void wait_to_assign(const WordRange& range);
  [[nodiscard]] bool steps_back_for(const WordRange& from);
  [[nodiscard]] bool may_hold_before(const WordRange& from);
  [[nodiscard]] bool can_step_back();
  void step_back();
  void assign(const WordRange& from, std::uintptr_t caller);
  void keep_for_next();
  void take_over(SharedWord& word, std::uint32_t variable, std::uint64_t before,
                 std::uintptr_t caller);
  void count_writes(const WordRange& range);
  void note_writes_before(std::uint64_t state);
  void stop_holding_writes();
  /// What is counted behind so many accesses is not whole, should the process die now.
  void begin_with(std::uint64_t accesses) {
    if (counts_all_) header_->writes_before = 0;
    __atomic_store_n(&header_->whole, accesses + 1, __ATOMIC_RELEASE);
  }
  void is_whole() { __atomic_store_n(&header_->whole, 0, __ATOMIC_RELEASE); }
  /// Says what it reads, or has of its own, so that who has all threads pass a fence hears it.
  void say_unfenced(const WordRange& range) {
    reading_[0].store(range.packed(), std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  /// It does not pass: what it has said is taken back by whoever takes back the access before.
  bool turns_back() {
    is_in_hook_.store(false, std::memory_order_release);
    return false;
  }
  /// A function that copies tells of what it writes where it has told of what it reads: then that
  /// is not over.
  [[nodiscard]] bool is_one_step(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                 std::uintptr_t caller) const {
    const bool copies_on = is_write && last_written_bytes_ == 0 && caller == last_caller_;
    return address % memory_spool::word_bytes + bytes <= memory_spool::word_bytes && !copies_on;
  }
  void count_access(bool is_write) {
    std::uint64_t& counted = is_write ? header_->others : header_->reads;
    __atomic_store_n(&counted, counted + 1, __ATOMIC_RELAXED);
  }
  /// It is known where the last access came from.
  void note_access(std::uint64_t bytes, bool is_write, std::uintptr_t caller) {
    last_caller_ = caller;
    last_written_bytes_ = is_write ? bytes : 0;
  }
  [[nodiscard]] bool comes_again(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                 std::uintptr_t caller);
  [[nodiscard]] bool comes_to_own_word(std::uint64_t place, SharedWord& word, bool is_write);
  [[nodiscard]] bool reads_again(std::uint64_t place, const SharedWord& word, std::uint64_t state);
  [[nodiscard]] bool knows_as_reader(std::uint64_t place, const SharedWord& word,
                                     std::uint64_t state) const;
  // Words whose versions are used up
  [[gnu::cold]] void end_record();
  void give_back_last();
  // Words of its own
  [[nodiscard]] bool comes_to_own(const WordRange& range, bool is_write);
  [[nodiscard]] bool has_own(const WordRange& range, bool is_write);
  [[nodiscard]] bool are_own(const WordRange& range);
  [[nodiscard]] bool are_everybodys(const WordRange& range);
  /// Is what it told of before still to be done, together with what it tells of now?
  [[nodiscard]] bool is_within_another() const {
    return kept_.words != 0 || reading_[1].load(std::memory_order_relaxed) != 0;
  }
  [[nodiscard]] bool is_own(std::uint64_t state) const {
    return (state & (SharedWord::owned | SharedWord::writer_mask)) == own_state_;
  }
  /// And can it be written on and on?
  [[nodiscard]] bool is_own_for_long(std::uint64_t state) const {
    constexpr std::uint64_t looked_at =
        SharedWord::owned | SharedWord::worn | SharedWord::writer_mask;
    return (state & looked_at) == own_state_;
  }
  /// Is a word worth having that others have to ask for?  That takes them as long as so many
  /// accesses gain.
  [[nodiscard]] bool wants_own_words() const {
    constexpr std::uint64_t accesses_of_an_ask = 1024;
    return has_own_words_ &&
           asks_.load(std::memory_order_relaxed) * accesses_of_an_ask <= accesses();
  }
  /// For some of its own words: it comes to none of these until that is over.
  static constexpr std::uint32_t asked_for_words = 1;
  /// To pass a fence.
  static constexpr std::uint32_t asked_to_fence = 2;
  /// It is at a hook, or waits there.
  void answer() {
    if (asked_.load(std::memory_order_relaxed) != 0) pass_asked_fence();
  }
  [[gnu::noinline]] void pass_asked_fence();
  void have_fenced(ThreadMemory& other);
  void have_all_fenced();
  template <typename Answered>
  [[nodiscard]] bool is_answered(const Answered& have_answered);
  void share(std::uint64_t place, bool is_write);
  void share_own(std::uint64_t place);
  void ask_owner(std::uint64_t place, ThreadMemory& owner, bool is_write);
  void have_others_wait(ThreadMemory& owner);
  void take_own_of(ThreadMemory& owner, std::uint64_t first, bool is_write);
  void become_everybodys(std::uint64_t place);
  // The same where words are in groups
  /// What an access comes to: a group, or a word by itself.
  struct Unit {
    std::uint64_t place = 0;
    std::uint32_t variable = 0;
    std::uint32_t words = 0;
  };
  [[gnu::noinline]] void come_to_groups(const WordRange& range, bool is_write,
                                        std::uintptr_t caller);
  void find_units(const WordRange& range, std::uintptr_t caller);
  void write_units(std::uintptr_t caller);
  void read_units(const WordRange& range);
  [[nodiscard]] bool reads_scattered();
  std::uint32_t use_in_group(std::uint64_t word, std::uint64_t place);
  std::uint32_t first_use_in_group(std::uint64_t word, SharedWord& group);
  std::uint32_t number_of(SharedWord& word);
  void write_name(std::uint32_t number, std::uint64_t name);
  void read(const WordRange& range);
  void read_word(const WordRange& range);
  /// The one word of a range, or what is at the one place.
  void read_unit(const WordRange& range, std::uint32_t variable, const SharedWord& word) {
    if (has_fence_ && is_reader_of(range.first)) {
      say_unfenced(range);
      if (word.fences.load(std::memory_order_acquire) == SharedWord::unfenced) {
        const std::uint64_t state = word.state.load(std::memory_order_acquire);
        if (!SharedWord::is_taken(state)) return know(variable, state);
      }
    }
    while (!reads_fenced(range)) {
    }
    know(variable, word.state.load(std::memory_order_relaxed));
  }
  [[nodiscard]] bool reads_unfenced(const WordRange& range);
  [[nodiscard]] bool reads_fenced(const WordRange& range);
  [[nodiscard]] bool is_free_for_read(std::uint64_t place);
  /// Does whoever writes there look whether this thread reads?
  [[nodiscard]] bool is_reader_of(std::uint64_t place) {
    return (words_.readers(place).load(std::memory_order_acquire) & own_bit_) != 0;
  }
  /// Has the word in its turn, which nobody reads then; how it was before.
  Before::Word take_for_write(std::uint64_t place, SharedWord& word, std::uint32_t variable,
                              std::uintptr_t caller);
  /// Whom it has waited for.
  std::uint64_t wait_to_write(std::uint64_t place, const SharedWord& word);
  [[nodiscard]] bool writes_again(std::uint64_t place, SharedWord& word, std::uint64_t state);
  /// Has the word, which nobody else has then; what its state was.
  std::uint64_t take(SharedWord& word);
  void know(std::uint32_t variable, std::uint64_t state);
  void wait_for_writer(SharedWord& word);
  void wait_until_not_asked(const ThreadMemory& owner);
  void wait_until_none_assigns();
  void wait_for_reader(ThreadMemory& reader, std::uint64_t place);
  void wait_for_owner(ThreadMemory& owner, std::uint64_t place);
  void wait_for_readers(std::uint64_t place, const SharedWord& word, std::uint64_t readers);
  template <typename Place>
  void wait(Place place);
  void learn_from(std::uint32_t thread);
  /// Whose write that was is not known any more.
  void learn_from_all();
  /// Which variable it is, which the thread has used from now on.
  std::uint32_t use(std::uint64_t place, SharedWord& word) {
    const std::uint32_t variable = word.number.load(std::memory_order_acquire);
    return variable != 0 && known_[variable] != 0 ? variable : first_use(place, word);
  }
  [[gnu::noinline]] std::uint32_t first_use(std::uint64_t place, SharedWord& word);
  void prepare_for(std::uint32_t variable);
  void write_first_use(std::uint32_t variable, std::uint64_t place, bool is_new,
                       const ThreadMemory* owner);
  std::uint32_t take_number(Numbers& numbers, bool is_told);
  [[nodiscard]] static std::uint64_t first_number(memory_spool::Record kind, std::uint64_t number) {
    return number << rank_spool::kind_bits | static_cast<std::uint64_t>(kind);
  }
  void write_turn(std::uint32_t variable, std::uint64_t state, std::uint32_t before);
  void write_bound(std::uint64_t ahead);
  void write_wide(std::uint64_t words);
  void flush_fresh();

  MemoryRecord& process_;
  SharedWords& words_;
  ThreadRecord& own_;
  SpoolWriter spool_;
  memory_spool::Header* header_ = nullptr;
  /// By variable: the version that it knows, + 1; 0: not used.
  std::uint64_t* known_ = nullptr;
  bool* are_prepared_ = nullptr;  ///< of so many variables each: has `known_` memory there?
  static constexpr std::uint32_t variables_prepared = 4096;
  FencedReads fenced_reads_;
  Unit* units_ = nullptr;  ///< of this access
  std::uint64_t unit_count_ = 0;
  std::uint64_t own_bit_ = 0;
  std::uint64_t only_own_bit_ = 0;  ///< the same; none if others have it, too
  ThreadLocals locals_;
  ByteRange process_start_;
  Numbers numbers_;
  Numbers untold_numbers_;          ///< of words that others know otherwise
  std::uint64_t known_writes_ = 0;  ///< by `global-writes`: the version that it knows
  /// What is to be added to the reads that are counted to get the words that were read since the
  /// last bound that was written.
  std::uint64_t more_known_reads_ = 0;
  std::uint64_t last_name_ = 0;    ///< that was written
  std::uint64_t behind_wide_ = 0;  ///< accesses up to the last one of several words
  WordRange taken_;                ///< by the last access
  WordRange kept_;                 ///< by the one before, which is not over
  Before before_;                  ///< of the last access
  std::uintptr_t last_caller_ = 0;
  std::uint64_t last_written_bytes_ = 0;  ///< 0: it was a read
  std::uint32_t own_mark_ = 0;            ///< its number + 1
  std::uint64_t own_state_ = 0;           ///< what says in a state that the word is its own
  std::uint64_t shared_bits_ = 0;         ///< of the states of words that are everybody's
  std::uint64_t leaf_number_ = 0;         ///< the last that it came to
  SharedWords::Leaf* leaf_ = nullptr;
  bool may_pass_ = false;  ///< by the method
  bool is_free_ = false;   ///< nothing of before is to be waited for, or over
  bool is_quick_ = false;  ///< nor to be given back
  bool is_on_ = false;
  bool stays_in_hook_ = false;  ///< until what it has come to is done
  bool is_in_groups_ = false;   ///< what it comes to
  bool has_fence_ = false;      ///< others can have this thread pass one
  bool has_readers_ = false;    ///< which writers wait for
  bool has_own_words_ = false;
  bool counts_all_ = false;        ///< writes of all words, as one
  bool holds_writes_ = false;      ///< others' are not counted now
  bool is_behind_others_ = false;  ///< by its last access
  bool may_step_back_ = false;     ///< by the method
  bool waits_in_order_ = false;    ///< has nothing now that others wait for who are waited for
  bool may_assign_ = false;        ///< nobody else may

  // What others look at
  alignas(64) std::array<std::atomic<std::uint64_t>, 2> reading_{};  ///< ranges; the latest first
  std::atomic<pid_t> system_thread_ = 0;
  std::atomic<bool> is_in_hook_ = false;
  std::atomic<std::uint32_t> revoking_ = 0;  ///< who take something away from it now
  std::atomic<std::uint32_t> asked_ = 0;     ///< what others ask of it now: those bits
  std::atomic<std::uint64_t> asks_ = 0;      ///< how often that has been so
  /// Whoever has it changes the thread's own words, and waits for nobody meanwhile.
  OwnLock own_words_lock_;
  // Others look at those while it does not come there.
  alignas(64) std::uintptr_t stack_line_ = 0;
  std::atomic<std::uint64_t> stack_first_ = 0;
  std::atomic<std::uint64_t> stack_words_ = 0;
};

inline bool ThreadMemory::passes(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                 std::uintptr_t caller) {
  if (!is_quick_ || !is_one_step(address, bytes, is_write, caller)) return false;
  const std::uint64_t place = address / memory_spool::word_bytes;
  // The processor goes on before it knows where the leaf is.
  if (place / SharedWords::leaf_words != leaf_number_) return false;
  SharedWord& word = leaf_->words[place % SharedWords::leaf_words];
  enter_hook();
  if (!comes_to_own_word(place, word, is_write)) return turns_back();
  note_access(bytes, is_write, caller);
  is_in_hook_.store(false, std::memory_order_release);
  return true;
}

/// False: the word is not its own, or another thread asks for it.
inline bool ThreadMemory::comes_to_own_word(std::uint64_t place, SharedWord& word, bool is_write) {
  say_unfenced({place, 1});
  if (asked_.load(std::memory_order_acquire) != 0) return false;
  const std::uint64_t state = word.state.load(std::memory_order_acquire);
  if (!is_own_for_long(state)) return false;
  // Nobody else looks at its state now.
  if (is_write) word.state.store(state + SharedWord::two_versions, std::memory_order_relaxed);
  count_access(is_write);
  return true;
}

}  // namespace orrery::on_hardware
