// A hash table in windows of all ranks, with linear search within a rank.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <mpi.h>

#include "input.hpp"

/// The words of a slot, in the window.
struct Slot {
  Word key = 0;
  Word count = 0;
  Word weight = 0;
  Word label = 0;
};
inline constexpr int slot_words = 4;

class Table {
 public:
  /// Collective.  All ranks are in an epoch with all from now on.
  Table(MPI_Comm comm, int slots);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// Takes the number of the next batch that nobody has.
  [[nodiscard]] Word next_batch();

  /// Adds an occurrence of a key.  Returns how many there were before it; nothing if the rank that
  /// the key belongs to has no slot left.
  [[nodiscard]] std::optional<Word> add(Word key, Word weight);

  /// The key's slot, of whoever has it; nothing if it is not there.
  [[nodiscard]] std::optional<Slot> find(Word key);

  /// Takes a key out.  Whether it was there, and nobody else was faster.
  [[nodiscard]] bool erase(Word key);

  /// Waits until all have come here, and what they did is in the windows.
  void meet();

  /// The slots of this rank.
  [[nodiscard]] std::vector<Slot> own_slots() const;

 private:
  /// Where a key's search begins.
  [[nodiscard]] int home_rank(Word key) const;
  [[nodiscard]] int home_slot(Word key) const;
  [[nodiscard]] MPI_Aint place(int slot, int word) const;
  /// Puts `desired` where the key of a slot is `expected`.  Returns what it was.
  Word swap_key(int rank, int slot, Word expected, Word desired);
  [[nodiscard]] Word read_key(int rank, int slot);
  /// The slot of a key; -1 if there is none.
  [[nodiscard]] int slot_of(Word key);

  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  Word* memory_ = nullptr;  ///< the counter of batches, then the slots
  int rank_ = 0;
  int ranks_ = 0;
  int slots_ = 0;
};
