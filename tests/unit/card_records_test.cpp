// What a recorder on a card writes, the host reads: plain and compressed.
#include "messages/card_records.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

namespace orrery::detail {
namespace {

using Records = std::vector<CardRecord>;
using Bytes = std::vector<std::byte>;

Bytes written(const Records& records, bool compressed) {
  CardCoder coder(compressed);
  Bytes bytes;
  for (const CardRecord& one : records) {
    const std::size_t before = bytes.size();
    coder.add(one, bytes);
    CHECK(bytes.size() - before <= CardCoder::record_bytes_max);
  }
  coder.close(bytes);
  return bytes;
}

Bytes bytes_of(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

bool comes_back(const Records& records, bool compressed) {
  const auto read = decode_card_records(written(records, compressed), compressed);
  return read && *read == records;
}

/// `count` records of random senders and receivers below these numbers, with runs.
Records random_records(std::uint32_t seed, int count, std::uint32_t receivers,
                       std::uint32_t senders) {
  std::mt19937 numbers(seed);
  Records records;
  while (static_cast<int>(records.size()) < count) {
    const CardRecord one{static_cast<std::uint32_t>(numbers() % receivers),
                         static_cast<std::uint32_t>(numbers() % senders)};
    const auto times = numbers() % 4 == 0 ? numbers() % 300 : 1;
    records.insert(records.end(), times, one);
  }
  return records;
}

}  // namespace

TEST_CASE("A plain record is a word, and one more where the receiver is another") {
  CHECK(written({{1, 2}, {1, 0x1234}, {3, 2}}, false) ==
        bytes_of({1, 0, 0, 0x80, 2, 0, 0, 0, 0x34, 0x12, 0, 0, 3, 0, 0, 0x80, 2, 0, 0, 0}));
}

TEST_CASE("A compressed record is half a byte or less where senders come again") {
  // Receiver 1; sender 2 is new; again (place 0) three times; sender 0 is new; 2 at place 1.
  CHECK(written({{1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 0}, {1, 2}}, true) ==
        bytes_of({0x1c, 0x2d, 0xda, 0x10}));
  // Three senders take turns: each time the one at place 2.
  Records turns;
  for (std::uint32_t i = 0; i < 30'000; ++i) turns.push_back({0, i % 3});
  CHECK(written(turns, true).size() < 20);
  CHECK(comes_back(turns, true));
}

TEST_CASE("Whatever records there are come back") {
  CHECK(comes_back({}, true));
  CHECK(comes_back({}, false));
  CHECK(comes_back({{0x7fffffff, 0x7fffffff}, {0, 0}, {0x7fffffff, 1}}, true));
  CHECK(comes_back({{0x7fffffff, 0x7fffffff}, {0, 0}, {0x7fffffff, 1}}, false));
  const Records long_run(300'000, {2, 5});
  CHECK(comes_back(long_run, true));
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const Records records =
        random_records(seed, 2'000, 1 + seed % 4, seed % 3 == 0 ? 100'000 : 1 + seed);
    CHECK(comes_back(records, true));
    CHECK(comes_back(records, false));
  }
}

TEST_CASE("Bytes that no card writes are not read") {
  const auto is_read = [](std::initializer_list<unsigned> values, bool compressed) {
    return decode_card_records(bytes_of(values), compressed).has_value();
  };
  CHECK_FALSE(is_read({1, 0, 0}, false));     // not a word
  CHECK_FALSE(is_read({1, 0, 0, 0}, false));  // a sender without a receiver
  CHECK_FALSE(is_read({0x0d}, true));         // the same
  CHECK_FALSE(is_read({0x0c, 0x0e}, true));   // a place where nobody is
  CHECK_FALSE(is_read({0x0c, 0xe8}, true));   // the place before, and there is none
  CHECK_FALSE(is_read({0x0c, 0xef}, true));   // 15
  CHECK_FALSE(is_read({0xfc}, true));         // a number that does not end
  CHECK(is_read({0x0c, 0x0d}, true));
  // Whatever comes, it ends.
  std::mt19937 numbers(1);
  for (int i = 0; i < 3'000; ++i) {
    Bytes bytes(numbers() % 40);
    for (std::byte& one : bytes) one = static_cast<std::byte>(numbers());
    static_cast<void>(decode_card_records(bytes, true));
  }
}

}  // namespace orrery::detail
