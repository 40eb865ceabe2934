// Which free gave a word back, whatever blocks there have been.
#include "detectors/freed_words.hpp"

#include <array>
#include <cstdint>
#include <random>

#include <catch2/catch.hpp>

namespace orrery {

TEST_CASE("Each word has the number of the last free of its block") {
  constexpr Address first = 0x7000'0000;
  constexpr std::size_t count = 1024;  // 16 pages
  std::mt19937 random(3);
  detail::FreedWords freed;
  for (int run = 0; run < 2; ++run) {
    freed.clear();
    std::array<std::uint32_t, count> expected{};
    std::array<detail::FreedWords::Place, count> places;
    for (std::size_t i = 0; i < count; ++i) places[i] = freed.place_of(first + i * 8);
    for (std::uint32_t number = 1; number <= 2'000; ++number) {
      const std::size_t begin = random() % count;
      const std::size_t most = random() % 4 == 0 ? count : 100;
      const std::size_t end = std::min(count, begin + 2 + random() % most);
      const bool is_free = random() % 2 == 0;
      if (is_free) {
        freed.free(first + begin * 8, first + end * 8, number);
      } else {
        freed.forget(first + begin * 8, first + end * 8);
      }
      for (std::size_t i = begin; i < end; ++i) expected[i] = is_free ? number : 0;
    }
    bool is_equal = true;
    for (std::size_t i = 0; i < count; ++i) is_equal &= freed.number(places[i]) == expected[i];
    CHECK(is_equal);
  }
}

TEST_CASE("A word that is given back in part is not given back") {
  detail::FreedWords freed;
  freed.free(0x1000, 0x1014, 5);
  CHECK(freed.number(freed.place_of(0x1008)) == 5);
  CHECK(freed.number(freed.place_of(0x1010)) == 0);
}

}  // namespace orrery
