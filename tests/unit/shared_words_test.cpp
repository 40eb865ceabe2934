// How a recorder of real threads counts what is written to a word of memory, when that comes to an
// end.
#include "../../replay_core/on_hardware/memory/shared_words.hpp"

#include <cstdint>

#include <catch2/catch.hpp>

namespace {

using orrery::on_hardware::SharedWord;

constexpr std::uint64_t flags = SharedWord::owned | SharedWord::shared;
constexpr std::uint32_t last_thread = 0xffff;

/// So many writes before those are too many.
std::uint64_t nearly_worn(std::uint64_t flag, std::uint64_t writes_left) {
  return flag | (SharedWord::worn - writes_left * SharedWord::two_versions) | last_thread;
}

}  // namespace

TEST_CASE("A word that was written very often is worn before its count reaches what is above it") {
  for (const std::uint64_t flag : {SharedWord::owned, SharedWord::shared, std::uint64_t{0}}) {
    std::uint64_t state = nearly_worn(flag, 3);
    CHECK((state & SharedWord::worn) == 0);
    // All threads may be about to write when it is worn, and find that only the next time.
    for (std::uint32_t writes = 0; writes < 3 + 2 * last_thread; ++writes) {
      CHECK((state & flags) == flag);
      CHECK(((state & SharedWord::worn) != 0) == (writes >= 3));
      const std::uint64_t taken = SharedWord::taken_from(state, last_thread);
      REQUIRE(SharedWord::is_taken(taken));
      REQUIRE(SharedWord::version(taken) == SharedWord::version(state) + 1);
      state = taken + SharedWord::one_version;
    }
    CHECK(SharedWord::writer(state) == last_thread);
  }
}
