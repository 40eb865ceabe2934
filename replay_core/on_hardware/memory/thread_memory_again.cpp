// Accesses to words that are everybody's, where nobody else has come since.
#include "memory_record.hpp"
#include "thread_memory.hpp"

namespace orrery::on_hardware {

inline bool ThreadMemory::knows_as_reader(std::uint64_t place, const SharedWord& word,
                                          std::uint64_t state) const {
  const auto& readers = leaf_->readers[place % SharedWords::leaf_words];
  if ((readers.load(std::memory_order_acquire) & own_bit_) == 0) return false;
  // Others may have said so who have the same bit.
  return only_own_bit_ != 0 ||
         known_[word.number.load(std::memory_order_relaxed)] == SharedWord::version(state) + 1;
}

/// A word that it has said it reads: whoever wrote it since would have taken that back.
inline bool ThreadMemory::reads_again(std::uint64_t place, const SharedWord& word,
                                      std::uint64_t state) {
  if (SharedWord::is_taken(state) || !knows_as_reader(place, word, state)) return false;
  if (word.fences.load(std::memory_order_relaxed) != SharedWord::unfenced) {
    reading_[0].exchange(WordRange{place, 1}.packed());
    if (fenced_reads_.are_many_with(place, header_->reads)) words_.unfence(place);
  } else {
    say_unfenced({place, 1});
    if (word.fences.load(std::memory_order_acquire) != SharedWord::unfenced) return false;
  }
  if (word.state.load(std::memory_order_acquire) != state) return false;
  count_access(/*is_write=*/false);
  return true;
}

/// A word that this thread wrote last, if anybody did.
inline bool ThreadMemory::writes_again(std::uint64_t place, SharedWord& word, std::uint64_t state) {
  // Those are to be there when it has taken the word, which waits for all that comes before.
  const std::atomic<std::uint64_t>& readers = leaf_->readers[place % SharedWords::leaf_words];
  __builtin_prefetch(&readers);
  const std::uint32_t variable = word.number.load(std::memory_order_acquire);
  const std::uint32_t writer = SharedWord::writer(state);
  // What it has written it has used.
  const bool is_known = writer == own_mark_ || (writer == 0 && known_[variable] != 0);
  if (SharedWord::is_taken(state) || !is_known || counts_all_) return false;
  reading_[0].store(0, std::memory_order_release);
  if (!word.state.compare_exchange_strong(state, SharedWord::taken_from(state, own_mark_))) {
    return false;
  }
  taken_ = {place, 1};
  is_quick_ = false;
  known_[variable] = SharedWord::version(state) + 2 + 1;
  const std::uint64_t others = readers.load() & ~only_own_bit_;
  if (others != 0) wait_for_readers(place, word, others);
  count_access(/*is_write=*/true);
  return true;
}

bool ThreadMemory::comes_again(std::uint64_t address, std::uint64_t bytes, bool is_write,
                               std::uintptr_t caller) {
  if (!is_one_step(address, bytes, is_write, caller)) return false;
  const std::uint64_t place = address / memory_spool::word_bytes;
  leaf_ = &words_.leaf(place);
  leaf_number_ = place / SharedWords::leaf_words;
  SharedWord& word = leaf_->words[place % SharedWords::leaf_words];
  enter_hook();
  if (taken_.words != 0) give_back(taken_);
  is_quick_ = true;
  answer();
  const std::uint64_t state = word.state.load(std::memory_order_acquire);
  if (is_own_for_long(state)) {
    if (!comes_to_own_word(place, word, is_write)) return turns_back();
  } else if ((state & (SharedWord::owned | SharedWord::shared | SharedWord::worn)) !=
             shared_bits_) {
    return turns_back();
  } else if (is_write ? !writes_again(place, word, state) : !reads_again(place, word, state)) {
    return turns_back();
  }
  note_access(bytes, is_write, caller);
  is_in_hook_.store(false, std::memory_order_release);
  return true;
}

}  // namespace orrery::on_hardware
