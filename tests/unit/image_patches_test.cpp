// Pages of which few words have changed.
#include "images/image_patches.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include <catch2/catch.hpp>

#include "log/crc32c.hpp"

namespace {

using namespace orrery::detail;

using Page = std::array<std::byte, image_page_bytes>;

Page changed(Page page, std::initializer_list<std::size_t> words, std::uint64_t value) {
  for (const std::size_t word : words) {
    std::memcpy(page.data() + word * sizeof value, &value, sizeof value);
  }
  return page;
}

Page random_page(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Page page{};
  for (std::size_t i = 0; i < page.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(page.data() + i, &word, sizeof word);
  }
  return page;
}

}  // namespace

TEST_CASE("A page comes back from the whole one and its patch") {
  WorkingMemory memory(std::size_t{256} << 20U);
  PagePatches patches(memory);
  const Page whole = random_page(1);
  const Page now = changed(whole, {0, 7, 300, 511}, 42);
  CHECK_FALSE(patches.add(9, now.data()));  // there is nothing that it could differ from
  patches.keep(9, whole.data());
  patches.keep(10, random_page(2).data());
  CHECK(patches.keeps(9));
  CHECK_FALSE(patches.keeps(11));
  REQUIRE(patches.add(9, now.data()));
  CHECK_FALSE(patches.add(10, random_page(3).data()));  // too much of it
  std::vector<PagePatch> read;
  REQUIRE(read_patches(patches.added(), read));
  REQUIRE(read.size() == 1);
  CHECK(read.front().page == 9);
  Page again = whole;
  read.front().apply_to(again.data());
  CHECK(again == now);
  patches.begin_group();
  CHECK_FALSE(patches.keeps(9));
}

TEST_CASE("Patches that make no sense are not read") {
  WorkingMemory memory(std::size_t{256} << 20U);
  PagePatches patches(memory);
  const Page whole = random_page(1);
  patches.keep(9, whole.data());
  REQUIRE(patches.add(9, changed(whole, {5}, 1).data()));
  std::vector<std::byte> bytes(patches.added().begin(), patches.added().end());
  std::vector<PagePatch> read;
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    CHECK_FALSE(read_patches(std::span(bytes).first(cut), read));
  }
  bytes[sizeof(PatchHeader) + 1] = std::byte{2};  // the place 512 + 5
  CHECK_FALSE(read_patches(bytes, read));
}

TEST_CASE("The processor's checksum is that of the tables") {
  const Page page = random_page(4);
  for (const std::size_t size : {0, 1, 7, 8, 9, 63, 4096}) {
    CAPTURE(size);
    const auto bytes = std::span(page).first(size);
    CHECK(crc32c(bytes, 17) == crc32c_by_tables(bytes, 17));
  }
}
