// What goes into the table: a stream of keys, some of which come often.
#pragma once

#include <cstdint>
#include <map>

using Word = std::int64_t;

/// A stream that each rank can make any part of.
struct Input {
  int operations = 0;
  int keys = 0;
  /// The key of operation `i`; never 0, which is an empty slot, nor -1, an erased one.
  [[nodiscard]] Word key(int i) const;
  /// What operation `i` adds to its key's weight.
  [[nodiscard]] Word weight(int i) const;
};

/// What belongs to a key alone.
[[nodiscard]] Word label_of(Word key);

[[nodiscard]] std::uint64_t mixed(std::uint64_t value);

/// What a key has come to.
struct Entry {
  Word count = 0;
  Word weight = 0;
  bool operator==(const Entry&) const = default;
};

/// The whole input, serially.
[[nodiscard]] std::map<Word, Entry> serial_table(const Input& input);
