// Arrays in large pages of memory.
#include "large_vector.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include <catch2/catch.hpp>

using orrery::detail::large_block_bytes;
using orrery::detail::LargePages;
using orrery::detail::LargeVector;

TEST_CASE("An array that grows beyond where large pages begin keeps what is in it") {
  constexpr std::size_t count = 5 * large_block_bytes / sizeof(std::uint32_t);
  LargeVector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<std::uint32_t>(i * 7));
  const auto address = reinterpret_cast<std::uintptr_t>(numbers.data());
  CHECK(address % (std::size_t{2} << 20U) == 0);

  LargeVector<std::uint32_t> copy = numbers;
  LargeVector<std::uint32_t> moved = std::move(numbers);
  CHECK(moved == copy);
  bool is_whole = true;
  for (std::size_t i = 0; i < count; ++i) is_whole = is_whole && moved[i] == i * 7;
  CHECK(is_whole);
  moved.resize(3);
  moved.shrink_to_fit();
  CHECK(moved == LargeVector<std::uint32_t>{0, 7, 14});
}

TEST_CASE("More than there can be is refused as by any allocator") {
  LargePages<std::uint64_t> pages;
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  CHECK_THROWS_AS(pages.allocate(most / 4), std::bad_alloc);
  CHECK_THROWS_AS(pages.allocate(std::size_t{1} << 58U), std::bad_alloc);
}
