#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <memory/program_memory.hpp>

namespace {

using orrery::host::UserHeap;

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

bool is_zero(const void* block, std::size_t bytes) {
  const auto* const content = static_cast<const unsigned char*>(block);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (content[i] != 0) return false;
  }
  return true;
}

/// The one that this process has.
UserHeap* fresh_heap(std::size_t limit = UserHeap::no_limit) {
  auto& heap = orrery::host::user_heap;
  REQUIRE(heap.reserve());
  heap.reset(limit);
  return &heap;
}

}  // namespace

TEST_CASE("A heap knows which blocks have been given back") {
  UserHeap& heap = *fresh_heap();
  for (const std::size_t bytes : {std::size_t{10}, mebibyte}) {
    void* const kept = heap.allocate(bytes);
    void* const freed = heap.allocate(bytes);
    REQUIRE(heap.release(freed) == UserHeap::Release::done);
    CHECK_FALSE(heap.is_free(kept));
    CHECK(heap.is_free(freed));
    CHECK(heap.allocate(bytes) == freed);
    CHECK_FALSE(heap.is_free(freed));
  }
}

TEST_CASE("a block is aligned, has the room that was asked for, and overlaps no other") {
  auto* const heap = fresh_heap();
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t bytes = 0; bytes < 70'000; bytes += bytes / 16 + 1) {
    auto* const block = static_cast<unsigned char*>(heap->allocate(bytes));
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % UserHeap::alignment == 0);
    CHECK(heap->usable_bytes(block) >= bytes);
    CHECK(heap->contains(block));
    std::memset(block, static_cast<int>(bytes % 251), heap->usable_bytes(block));
    blocks.emplace_back(block, bytes);
  }
  for (const auto& [block, bytes] : blocks) {
    const std::size_t room = heap->usable_bytes(block);
    CHECK((block[0] == bytes % 251 && block[room / 2] == bytes % 251 &&
           block[room - 1] == bytes % 251));
    CHECK(heap->release(block) == UserHeap::Release::done);
  }
}

TEST_CASE("the same calls give the same addresses in every run, and memory that is all zero") {
  auto* const heap = fresh_heap();
  const auto run = [&] {
    std::mt19937 random(7);
    std::vector<void*> alive;
    std::vector<void*> all;
    for (int i = 0; i < 20'000; ++i) {
      if (alive.size() > 50 && random() % 2 == 0) {
        std::swap(alive[random() % alive.size()], alive.back());
        heap->release(alive.back());
        alive.pop_back();
        continue;
      }
      const std::size_t bytes = random() % 10 == 0 ? random() % 300'000 : random() % 600;
      void* const block = heap->allocate(bytes);
      alive.push_back(block);
      all.push_back(block);
      std::memset(block, 0xab, bytes);
    }
    return all;
  };
  const std::vector<void*> first = run();
  heap->reset(UserHeap::no_limit);
  void* const small = heap->allocate(1000);
  void* const large = heap->allocate(3 * mebibyte);
  CHECK(is_zero(small, 1000));
  CHECK(is_zero(large, 3 * mebibyte));
  heap->reset(UserHeap::no_limit);
  CHECK(run() == first);
}

TEST_CASE("memory that was freed is used again, for other sizes too") {
  auto* const heap = fresh_heap(8 * mebibyte);
  for (const std::size_t bytes : {24U, 100U, 1000U, 5000U, 30'000U, 300'000U}) {
    for (int round = 0; round < 3; ++round) {
      std::vector<void*> blocks;
      for (std::size_t sum = 0; sum + 2 * bytes < 6 * mebibyte; sum += bytes + bytes / 3) {
        blocks.push_back(heap->allocate(bytes));
        REQUIRE(blocks.back() != nullptr);
      }
      for (void* const block : blocks) heap->release(block);
    }
  }
  CHECK(heap->allocate(5 * mebibyte) != nullptr);
}

TEST_CASE("what is beyond the limit is refused, and what was freed counts no more") {
  auto* const heap = fresh_heap(4 * mebibyte);
  void* const half = heap->allocate(2 * mebibyte);
  REQUIRE(half != nullptr);
  CHECK(heap->allocate(3 * mebibyte) == nullptr);
  CHECK(heap->allocate_zeroed(3 * mebibyte) == nullptr);
  CHECK(heap->reallocate(half, 5 * mebibyte) == nullptr);
  CHECK(heap->usable_bytes(half) == 2 * mebibyte);
  heap->release(half);
  CHECK(heap->allocate(3 * mebibyte) != nullptr);
  CHECK(heap->allocate(SIZE_MAX) == nullptr);
  CHECK(heap->allocate(SIZE_MAX - 20'000) == nullptr);
  CHECK(heap->allocate_aligned(std::size_t{1} << 63U, 1) == nullptr);
  std::size_t count = 0;
  while (heap->allocate(100) != nullptr) ++count;
  CHECK(count > 8'000);
}

TEST_CASE("a block grows and shrinks with its content, where it lies if there is room") {
  auto* const heap = fresh_heap();
  auto* block = static_cast<unsigned char*>(heap->allocate(10));
  block[0] = 1;
  block[9] = 9;
  for (const std::size_t bytes : {100U, 40'000U, 5'000'000U, 50'000U, 3'000U, 20U}) {
    block = static_cast<unsigned char*>(heap->reallocate(block, bytes));
    REQUIRE(block != nullptr);
    CHECK((block[0] == 1 && block[9] == 9));
    CHECK(heap->usable_bytes(block) >= bytes);
  }
  heap->reset(UserHeap::no_limit);
  void* const large = heap->allocate(100'000);
  CHECK(heap->reallocate(large, 10'000'000) == large);
}

TEST_CASE("blocks lie at any boundary that is a power of two") {
  auto* const heap = fresh_heap();
  for (std::size_t boundary = 1; boundary <= 4 * mebibyte; boundary *= 2) {
    for (const std::size_t bytes : {1U, 24U, 1000U, 40'000U}) {
      void* const block = heap->allocate_aligned(boundary, bytes);
      REQUIRE(block != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(block) % boundary == 0);
      CHECK(heap->usable_bytes(block) >= bytes);
      if (bytes != 24) CHECK(heap->release(block) == UserHeap::Release::done);
    }
  }
}

TEST_CASE("zeroed memory is zero, whoever had it before") {
  auto* const heap = fresh_heap();
  for (const std::size_t bytes : {16U, 700U, 40'000U, 3'000'000U}) {
    void* const block = heap->allocate(bytes);
    std::memset(block, 0xff, bytes);
    heap->release(block);
    CHECK(is_zero(heap->allocate_zeroed(bytes), bytes));
  }
}

TEST_CASE("what is no block, or none any more, cannot be freed") {
  auto* const heap = fresh_heap();
  auto* const small = static_cast<std::byte*>(heap->allocate(100));
  auto* const large = static_cast<std::byte*>(heap->allocate(100'000));
  CHECK(heap->release(small + 16) == UserHeap::Release::not_a_block);
  CHECK(heap->release(small + 112) == UserHeap::Release::not_a_block);
  CHECK(heap->release(large + 32) == UserHeap::Release::not_a_block);
  CHECK(heap->release(large + 50'000) == UserHeap::Release::not_a_block);
  CHECK(heap->release(small) == UserHeap::Release::done);
  CHECK(heap->release(small) == UserHeap::Release::already_free);
  CHECK(heap->release(large) == UserHeap::Release::done);
  CHECK(heap->release(large) == UserHeap::Release::already_free);
  CHECK(heap->usable_bytes(small + 112) == 0);
  void* const stale = heap->allocate(100);
  heap->reset(UserHeap::no_limit);
  CHECK(heap->contains(stale));
  CHECK(heap->release(stale) == UserHeap::Release::not_a_block);
}
