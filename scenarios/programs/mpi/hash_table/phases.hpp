// What all ranks do with the table, one thing after the other, and what must be true of it.
#pragma once

#include "input.hpp"
#include "table.hpp"

/// What this rank did.
struct Work {
  long operations = 0;
  long numbers = 0;  ///< the sum of what its keys had been counted up to
  long refused = 0;  ///< for want of a slot
  long wrong = 0;    ///< answers that were not right
  long erased = 0;   ///< keys that it took out
};

/// Adds the keys of batches of the input, as long as there are any.
void add_all(Table& table, const Input& input, Work& work);

/// Looks all keys up, each rank in another order, and some that are not there.
void find_all(Table& table, const Input& input, int rank, Work& work);

/// All ranks try to take out every other key.
void erase_some(Table& table, const Input& input, Work& work);

/// Compares this rank's part with the serial table.  Returns how many slots it has, and adds to the
/// hash of their contents.
long check_own(const Table& table, const Input& input, std::uint64_t& hash, Work& work);
