#include <string>

#include <catch2/catch.hpp>

#include <orrery/replay_core/memory_groups.hpp>

using orrery::MemoryGroups;

TEST_CASE("A way to group variables is read, and nothing else is") {
  CHECK_FALSE(MemoryGroups::of("variable")->are_any());
  CHECK(MemoryGroups::of("site")->by == MemoryGroups::By::site);
  CHECK(MemoryGroups::of("allocation")->by == MemoryGroups::By::allocation);
  for (std::uint32_t bytes = 8; bytes <= MemoryGroups::block_bytes_max; bytes *= 2) {
    const auto blocks = MemoryGroups::of("block:" + std::to_string(bytes));
    REQUIRE(blocks);
    CHECK(blocks->by == MemoryGroups::By::block);
    CHECK(blocks->block_bytes == bytes);
  }
  for (const char* const text :
       {"", "none", "Site", "site ", "block", "block:", "block:0", "block:4", "block:12",
        "block:64k", "block: 64", "block:-64", "block:2097152", "block:99999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(MemoryGroups::of(text));
  }
}
