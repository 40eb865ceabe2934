#include "table.hpp"

#include <cstring>

namespace {

constexpr Word empty = 0;
constexpr Word erased = -1;
constexpr int counter_words = 1;

enum SlotWord { key_word, count_word, weight_word, label_word };

}  // namespace

Table::Table(MPI_Comm comm, int slots) : slots_(slots) {
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  const MPI_Aint words = counter_words + static_cast<MPI_Aint>(slots) * slot_words;
  MPI_Win_allocate(words * static_cast<MPI_Aint>(sizeof(Word)), sizeof(Word), MPI_INFO_NULL, comm_,
                   &memory_, &window_);
  std::memset(memory_, 0, static_cast<std::size_t>(words) * sizeof(Word));
  MPI_Barrier(comm_);
  MPI_Win_lock_all(0, window_);
}

Table::~Table() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
  MPI_Comm_free(&comm_);
}

int Table::home_rank(Word key) const {
  return static_cast<int>(mixed(static_cast<std::uint64_t>(key)) % static_cast<unsigned>(ranks_));
}

int Table::home_slot(Word key) const {
  const std::uint64_t hash = mixed(static_cast<std::uint64_t>(key)) / static_cast<unsigned>(ranks_);
  return static_cast<int>(hash % static_cast<unsigned>(slots_));
}

MPI_Aint Table::place(int slot, int word) const {
  return counter_words + static_cast<MPI_Aint>(slot) * slot_words + word;
}

Word Table::next_batch() {
  const Word one = 1;
  Word batch = 0;
  MPI_Fetch_and_op(&one, &batch, MPI_INT64_T, 0, 0, MPI_SUM, window_);
  MPI_Win_flush(0, window_);
  return batch;
}

Word Table::swap_key(int rank, int slot, Word expected, Word desired) {
  Word before = 0;
  MPI_Compare_and_swap(&desired, &expected, &before, MPI_INT64_T, rank, place(slot, key_word),
                       window_);
  MPI_Win_flush(rank, window_);
  return before;
}

Word Table::read_key(int rank, int slot) {
  // A plain get would be at odds with others' swaps (section 11.7.1).
  Word key = 0;
  const Word nothing = 0;
  MPI_Fetch_and_op(&nothing, &key, MPI_INT64_T, rank, place(slot, key_word), MPI_NO_OP, window_);
  MPI_Win_flush(rank, window_);
  return key;
}

std::optional<Word> Table::add(Word key, Word weight) {
  const int rank = home_rank(key);
  for (int step = 0; step < slots_; ++step) {
    const int slot = (home_slot(key) + step) % slots_;
    const Word before = swap_key(rank, slot, empty, key);
    if (before != empty && before != key) continue;
    if (before == empty) {
      // The slot is ours to label: nobody else has found it empty.
      const Word label = label_of(key);
      MPI_Put(&label, 1, MPI_INT64_T, rank, place(slot, label_word), 1, MPI_INT64_T, window_);
      MPI_Win_flush_local(rank, window_);
    }
    const Word one = 1;
    Word number = 0;
    MPI_Fetch_and_op(&one, &number, MPI_INT64_T, rank, place(slot, count_word), MPI_SUM, window_);
    MPI_Accumulate(&weight, 1, MPI_INT64_T, rank, place(slot, weight_word), 1, MPI_INT64_T, MPI_SUM,
                   window_);
    MPI_Win_flush(rank, window_);
    return number;
  }
  return std::nullopt;
}

int Table::slot_of(Word key) {
  for (int step = 0; step < slots_; ++step) {
    const int slot = (home_slot(key) + step) % slots_;
    const Word there = read_key(home_rank(key), slot);
    if (there == key) return slot;
    if (there == empty) return -1;
  }
  return -1;
}

std::optional<Slot> Table::find(Word key) {
  const int slot = slot_of(key);
  if (slot < 0) return std::nullopt;
  // Count and weight by one operation that can be waited for, the label by another kind.
  std::array<Word, 2> numbers{};
  Slot found;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Rget(numbers.data(), 2, MPI_INT64_T, home_rank(key), place(slot, count_word), 2, MPI_INT64_T,
           window_, &request);
  MPI_Get(&found.label, 1, MPI_INT64_T, home_rank(key), place(slot, label_word), 1, MPI_INT64_T,
          window_);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(home_rank(key), window_);
  found.key = key;
  found.count = numbers[0];
  found.weight = numbers[1];
  return found;
}

bool Table::erase(Word key) {
  const int slot = slot_of(key);
  return slot >= 0 && swap_key(home_rank(key), slot, key, erased) == key;
}

void Table::meet() {
  MPI_Win_flush_all(window_);
  MPI_Win_sync(window_);
  MPI_Barrier(comm_);
  MPI_Win_sync(window_);
}

std::vector<Slot> Table::own_slots() const {
  std::vector<Slot> slots;
  for (int slot = 0; slot < slots_; ++slot) {
    const Word* const words = memory_ + place(slot, key_word);
    if (words[key_word] == empty || words[key_word] == erased) continue;
    slots.push_back({words[key_word], words[count_word], words[weight_word], words[label_word]});
  }
  return slots;
}
