#include "phases.hpp"

namespace {

constexpr int batch_operations = 5;

/// Every other key is taken out.
bool is_erased(Word key) {
  return key % 2 == 0;
}

}  // namespace

void add_all(Table& table, const Input& input, Work& work) {
  for (;;) {
    const Word batch = table.next_batch();
    if (batch * batch_operations >= input.operations) return;
    for (int k = 0; k < batch_operations; ++k) {
      const int i = static_cast<int>(batch) * batch_operations + k;
      if (i >= input.operations) break;
      const std::optional<Word> number = table.add(input.key(i), input.weight(i));
      ++work.operations;
      work.refused += number.has_value() ? 0 : 1;
      work.numbers += number.value_or(0);
    }
  }
}

void find_all(Table& table, const Input& input, int rank, Work& work) {
  const std::map<Word, Entry> serial = serial_table(input);
  for (int i = 0; i < input.keys; ++i) {
    const Word key = (i + rank) % input.keys + 1;
    const std::optional<Slot> slot = table.find(key);
    const auto expected = serial.find(key);
    if (slot.has_value() != (expected != serial.end())) {
      ++work.wrong;
    } else if (slot.has_value()) {
      const Entry entry{slot->count, slot->weight};
      work.wrong += entry == expected->second && slot->label == label_of(key) ? 0 : 1;
    }
  }
  // None of these was ever added.
  work.wrong += table.find(input.keys + 1 + rank).has_value() ? 1 : 0;
}

void erase_some(Table& table, const Input& input, Work& work) {
  for (Word key = 1; key <= input.keys; ++key) {
    if (is_erased(key) && table.erase(key)) ++work.erased;
  }
}

long check_own(const Table& table, const Input& input, std::uint64_t& hash, Work& work) {
  const std::map<Word, Entry> serial = serial_table(input);
  long slots = 0;
  for (const Slot& slot : table.own_slots()) {
    ++slots;
    const auto expected = serial.find(slot.key);
    const bool is_right = expected != serial.end() && !is_erased(slot.key) &&
                          expected->second == Entry{slot.count, slot.weight} &&
                          slot.label == label_of(slot.key);
    work.wrong += is_right ? 0 : 1;
    std::uint64_t bits = mixed(static_cast<std::uint64_t>(slot.key));
    bits = mixed(bits ^ static_cast<std::uint64_t>(slot.count));
    hash += mixed(bits ^ static_cast<std::uint64_t>(slot.weight));
  }
  return slots;
}
