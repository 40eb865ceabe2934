#include "input.hpp"

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 32) * 0xd6e8feb86659fd93u;
  value = (value ^ value >> 32) * 0xd6e8feb86659fd93u;
  return value ^ value >> 32;
}

Word Input::key(int i) const {
  const std::uint64_t noise = mixed(static_cast<std::uint64_t>(i) + 1);
  // The lower keys come more often: the smaller of two even choices.
  const std::uint64_t one = noise % static_cast<std::uint64_t>(keys);
  const std::uint64_t other = (noise >> 20) % static_cast<std::uint64_t>(keys);
  return static_cast<Word>(one < other ? one : other) + 1;
}

Word Input::weight(int i) const {
  return static_cast<Word>(mixed(static_cast<std::uint64_t>(i) * 3 + 2) % 1000);
}

Word label_of(Word key) {
  return static_cast<Word>(mixed(static_cast<std::uint64_t>(key) ^ 0xabcdu) >> 1);
}

std::map<Word, Entry> serial_table(const Input& input) {
  std::map<Word, Entry> table;
  for (int i = 0; i < input.operations; ++i) {
    Entry& entry = table[input.key(i)];
    entry.count += 1;
    entry.weight += input.weight(i);
  }
  return table;
}
