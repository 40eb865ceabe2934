#include "memory/touched_memory.hpp"

#include <catch2/catch.hpp>

using orrery::host::TouchedMemory;

TEST_CASE("memory that a task was given is its own, up to the last byte and no further") {
  const auto is_static = [] { return false; };
  TouchedMemory memory;
  constexpr std::uintptr_t begin = 0x10'0000'01f8;  // over several parts of its table
  constexpr std::size_t bytes = 5001;
  memory.give(begin, bytes, 1);
  CHECK_FALSE(memory.touch(begin, bytes, 1, is_static));
  CHECK_FALSE(memory.touch(begin - 8, 8, 2, is_static));
  CHECK_FALSE(memory.touch(begin + 5008, 8, 2, is_static));
  CHECK(memory.touch(begin, 1, 2, is_static));
  CHECK(memory.touch(begin + 5000, 1, 2, is_static));
  memory.give(begin, 8, 2);
  CHECK_FALSE(memory.touch(begin, 8, 2, is_static));
  memory.forget(begin, begin + bytes + 7);
  CHECK_FALSE(memory.touch(begin + 8, bytes - 8, 3, is_static));
}
