// Memory that a thread gets at addresses that depend on nothing but its own calls.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <memory/program_memory.hpp>
#include <memory/thread_arena.hpp>

namespace {

using orrery::host::HeapSpans;
using orrery::host::ThreadArena;
using orrery::host::UserHeap;

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

HeapSpans& range() {
  auto& heap = orrery::host::user_heap;
  REQUIRE(heap.reserve());
  heap.reset(UserHeap::no_limit);
  return heap.spans();
}

/// What each of several threads allocates and frees; blocks go round among them, one at a step.
class Threads {
 public:
  explicit Threads(std::size_t count) : arenas_(count), random_(count), alive_(count), all_(count) {
    HeapSpans& whole = range();
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(arenas_[i].begin(static_cast<std::uint32_t>(i), whole));
      random_[i].seed(static_cast<unsigned>(i + 7));
    }
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    for (ThreadArena& arena : arenas_) arena.reset();
  }

  /// In whatever order threads do it, each has done the same then.
  void do_round(const std::vector<std::size_t>& order) {
    std::vector<std::vector<void*>> passed(arenas_.size());
    for (const std::size_t thread : order) {
      for (int i = 0; i < 40; ++i) step(thread, passed[(thread + 1) % arenas_.size()]);
    }
    for (std::size_t i = 0; i < arenas_.size(); ++i) {
      alive_[i].insert(alive_[i].end(), passed[i].begin(), passed[i].end());
    }
  }
  [[nodiscard]] const std::vector<std::vector<void*>>& all() const { return all_; }

 private:
  void step(std::size_t thread, std::vector<void*>& passed) {
    std::mt19937& random = random_[thread];
    std::vector<void*>& alive = alive_[thread];
    const auto draw = random() % 10;
    if (draw < 3 && !alive.empty()) {
      std::swap(alive[random() % alive.size()], alive.back());
      CHECK(arenas_[thread].release(alive.back()) == ThreadArena::Release::done);
      alive.pop_back();
      return;
    }
    const std::size_t bytes = random() % 8 == 0 ? random() % 300'000 : random() % 600;
    void* const block = arenas_[thread].allocate(bytes);
    REQUIRE(block != nullptr);
    all_[thread].push_back(block);
    std::memset(block, 0xab, bytes);
    (draw < 6 ? passed : alive).push_back(block);
  }

  std::vector<ThreadArena> arenas_;
  std::vector<std::mt19937> random_;
  std::vector<std::vector<void*>> alive_;
  std::vector<std::vector<void*>> all_;
};

}  // namespace

TEST_CASE("Where a thread's blocks lie does not depend on the order in which threads allocate") {
  std::vector<std::vector<void*>> first;
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2}, std::vector<std::size_t>{2, 1, 0},
        std::vector<std::size_t>{1, 0, 2}}) {
    Threads threads(3);
    for (int round = 0; round < 100; ++round) threads.do_round(order);
    if (first.empty()) first = threads.all();
    CHECK(threads.all() == first);
  }
}

TEST_CASE("A block that another thread has freed is that one's") {
  HeapSpans& whole = range();
  ThreadArena first;
  ThreadArena second;
  REQUIRE(first.begin(0, whole));
  REQUIRE(second.begin(70, whole));
  for (const std::size_t bytes : {std::size_t{40}, 3 * mebibyte}) {
    void* const block = first.allocate(bytes);
    void* const own = second.allocate(bytes);
    CHECK(ThreadArena::is_in_arenas(block));
    REQUIRE(second.release(block) == ThreadArena::Release::done);
    CHECK(ThreadArena::is_free(block));
    CHECK(first.allocate(bytes) != block);
    CHECK(second.allocate(bytes) == block);
    CHECK_FALSE(ThreadArena::is_free(block));
    REQUIRE(first.release(block) == ThreadArena::Release::done);
    REQUIRE(second.release(own) == ThreadArena::Release::done);
    CHECK(first.allocate(bytes) == block);
  }
  first.reset();
  second.reset();
}

/// Parts from above, of one thread in a test.
std::uint32_t parts_end = 0;
std::deque<ThreadArena> further;
ThreadArena* add_part(std::size_t bytes) {
  const std::uint32_t wanted = ThreadArena::parts_wanted(bytes);
  parts_end -= wanted;
  return further.emplace_back().begin(ThreadArena::More{parts_end, wanted}, range())
             ? &further.back()
             : nullptr;
}

TEST_CASE("A thread whose part is full gets more, which is as good as its own") {
  parts_end = ThreadArena::parts_for_more;
  ThreadArena full;
  ThreadArena other;
  REQUIRE(full.begin(70, range()));
  REQUIRE(other.begin(1, range()));
  full.extend_by(add_part);
  std::vector<void*> blocks;
  while (further.size() < 2) {
    blocks.push_back(full.allocate(20 * mebibyte));
    REQUIRE(blocks.back() != nullptr);
  }
  CHECK(blocks.size() == 3 + (1024 - 20) / 20 + 2);
  void* const large = full.allocate(3000 * mebibyte);
  CHECK(large != nullptr);
  CHECK(full.allocate(std::size_t{1} << 50U) == nullptr);
  void* const small = full.allocate(100);
  CHECK(full.release(large) == ThreadArena::Release::done);
  CHECK(full.allocate(2900 * mebibyte) == large);
  CHECK(full.resize(large, 3000 * mebibyte));
  for (void* const block : blocks) CHECK(full.release(block) == ThreadArena::Release::done);
  CHECK(full.release(blocks.back()) == ThreadArena::Release::already_free);
  CHECK(other.release(small) == ThreadArena::Release::done);
  CHECK(full.release(small) == ThreadArena::Release::already_free);
  full.reset();
  other.reset();
  for (ThreadArena& one : further) one.reset();
  further.clear();
}

TEST_CASE("What is freed twice, by whomever, or is no block, is refused") {
  HeapSpans& whole = range();
  ThreadArena first;
  ThreadArena second;
  REQUIRE(first.begin(0, whole));
  REQUIRE(second.begin(1, whole));
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{100'000}}) {
    CAPTURE(bytes);
    for (ThreadArena* const one : {&first, &second}) {
      for (ThreadArena* const other : {&first, &second}) {
        auto* const block = static_cast<std::byte*>(first.allocate(bytes));
        CHECK(other->release(block + 16) == ThreadArena::Release::not_a_block);
        CHECK(one->release(block) == ThreadArena::Release::done);
        CHECK(other->release(block) == ThreadArena::Release::already_free);
      }
    }
    void* const lost = first.allocate(bytes);
    CHECK(ThreadArena::drop(lost) == ThreadArena::Release::done);
    CHECK(ThreadArena::drop(lost) == ThreadArena::Release::already_free);
    CHECK(first.release(lost) == ThreadArena::Release::already_free);
    CHECK(first.allocate(bytes) != lost);
  }
  first.reset();
  second.reset();
}

TEST_CASE("Blocks of other threads grow, shrink and are zeroed as own ones") {
  HeapSpans& whole = range();
  ThreadArena first;
  ThreadArena second;
  REQUIRE(first.begin(0, whole));
  REQUIRE(second.begin(1, whole));
  auto* block = static_cast<unsigned char*>(first.allocate(10));
  block[0] = 1;
  block[9] = 9;
  for (const std::size_t bytes : {100U, 40'000U, 5'000'000U, 50'000U, 3'000U, 20U}) {
    for (ThreadArena* const one : {&second, &first}) {
      block = static_cast<unsigned char*>(one->reallocate(block, bytes));
      REQUIRE(block != nullptr);
      CHECK((block[0] == 1 && block[9] == 9));
      CHECK(ThreadArena::usable_bytes(block) >= bytes);
    }
  }
  for (const std::size_t bytes : {16U, 700U, 40'000U, 3'000'000U}) {
    void* const used = first.allocate(bytes);
    std::memset(used, 0xff, bytes);
    second.release(used);
    const auto* const zeroed = static_cast<unsigned char*>(second.allocate_zeroed(bytes));
    CHECK(zeroed == used);
    CHECK((zeroed[0] == 0 && zeroed[bytes / 2] == 0 && zeroed[bytes - 1] == 0));
  }
  for (std::size_t boundary = 1; boundary <= mebibyte; boundary *= 2) {
    for (const std::size_t bytes : {24U, 1000U, 40'000U}) {
      void* const aligned = first.allocate_aligned(boundary, bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(aligned) % boundary == 0);
      second.release(aligned);
      void* const again = second.allocate_aligned(boundary, bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(again) % boundary == 0);
    }
  }
  first.reset();
  second.reset();
}

TEST_CASE("A thread whose part is full has no more, and there are parts for so many threads") {
  HeapSpans& whole = range();
  ThreadArena last;
  std::uint32_t number = 1000;
  while (last.begin(number, whole)) ++number;
  CHECK(number > 1900);
  ThreadArena small;
  REQUIRE(small.begin(number - 1, whole));
  CHECK(small.allocate(100 * mebibyte) == nullptr);
  std::size_t sum = 0;
  while (small.allocate(mebibyte) != nullptr) sum += mebibyte;
  CHECK(sum == 64 * mebibyte);
  CHECK(small.allocate(10) == nullptr);
  small.reset();
  CHECK(small.allocate(10) != nullptr);
  small.reset();
}

TEST_CASE("What is freed counts no more against the limit, whoever has freed it") {
  HeapSpans& whole = range();
  orrery::host::user_heap.reset(8 * mebibyte);
  ThreadArena first;
  ThreadArena second;
  REQUIRE(first.begin(0, whole));
  REQUIRE(second.begin(1, whole));
  for (int i = 0; i < 10; ++i) {
    void* const block = first.allocate(5 * mebibyte);
    REQUIRE(block != nullptr);
    CHECK(second.allocate(5 * mebibyte) == nullptr);
    REQUIRE(second.release(block) == ThreadArena::Release::done);
    void* const again = second.allocate(5 * mebibyte);
    CHECK(again == block);
    CHECK(first.allocate(5 * mebibyte) == nullptr);
    REQUIRE((i % 2 == 0 ? first : second).release(again) == ThreadArena::Release::done);
  }
  first.reset();
  second.reset();
}

TEST_CASE("Real threads that allocate and free at once have their own blocks") {
  HeapSpans& whole = range();
  static_cast<void>(whole);
  // As natively: each charges itself alone.
  std::vector<ThreadArena> arenas(3);
  std::vector<HeapSpans> accounts(3);
  for (std::uint32_t i = 0; i < 3; ++i) REQUIRE(arenas[i].begin(i, accounts[i]));
  std::vector<std::vector<std::uint64_t*>> passed(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (std::size_t me = 0; me < 3; ++me) {
      threads.emplace_back([&, me] {
        for (std::uint64_t* const block : passed[me]) arenas[me].release(block);
        passed[me].clear();
        for (std::size_t i = 0; i < 2000; ++i) {
          const std::size_t words = 2 + i % 40;
          auto* const block = static_cast<std::uint64_t*>(arenas[me].allocate(words * 8));
          std::fill_n(block, words, me);
          passed[me].push_back(block);
        }
      });
    }
    for (std::thread& one : threads) one.join();
    for (std::size_t me = 0; me < 3; ++me) {
      for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t words = 2 + i % 40;
        const std::uint64_t* const block = passed[me][i];
        if (block[0] != me || block[words - 1] != me) FAIL("a block of two threads");
      }
    }
    std::rotate(passed.begin(), passed.begin() + 1, passed.end());
  }
  for (ThreadArena& arena : arenas) arena.reset();
}

TEST_CASE("An arena tells before it touches what is free, and of nothing else") {
  static std::vector<const void*> told;
  ThreadArena arena;
  REQUIRE(arena.begin(0, range()));
  arena.tell(ThreadArena::Telling::lists,
             [](const ThreadArena::Touched& touched) { told.push_back(touched.block); });
  told.clear();
  void* const first = arena.allocate(40);
  void* const second = arena.allocate(40);
  CHECK(told.empty());
  arena.release(first);
  arena.release(second);
  CHECK(told == std::vector<const void*>{first, second});
  told.clear();
  CHECK(arena.allocate_zeroed(40) == second);
  void* const moved = arena.reallocate(second, 400);
  REQUIRE(moved != second);
  CHECK(told == std::vector<const void*>{second, second});
  arena.reset();
}

TEST_CASE("An arena that tells of contents tells of all that it writes where others may look") {
  static std::vector<std::pair<const void*, std::size_t>> told;
  HeapSpans& whole = range();
  ThreadArena arena;
  ThreadArena other;
  REQUIRE(arena.begin(0, whole));
  REQUIRE(other.begin(1, whole));
  for (ThreadArena* const one : {&arena, &other}) {
    one->tell(ThreadArena::Telling::contents, [](const ThreadArena::Touched& touched) {
      told.emplace_back(touched.block, touched.bytes);
    });
  }
  const auto taken = [] { return std::exchange(told, {}); };
  using Told = std::vector<std::pair<const void*, std::size_t>>;
  void* const small = arena.allocate_zeroed(200);
  void* const large = arena.allocate(80'000);
  CHECK(taken().empty());
  other.release(small);
  other.release(large);
  CHECK(taken() == Told{{small, ThreadArena::list_bytes},
                        {large, ThreadArena::usable_bytes(other.allocate(80'000))}});
  CHECK(other.allocate_zeroed(200) == small);
  CHECK(taken() == Told{{small, 200}});
  arena.reset();
  other.reset();
}

TEST_CASE("An arena that tells of contents knows a block that was a part of a larger one") {
  static int told = 0;
  ThreadArena arena;
  REQUIRE(arena.begin(0, range()));
  arena.tell(ThreadArena::Telling::contents, [](const ThreadArena::Touched&) { ++told; });
  void* const large = arena.allocate(200'000);
  arena.release(large);
  told = 0;
  CHECK(arena.allocate(40) == large);
  CHECK(told == 1);
  arena.reset();
}
