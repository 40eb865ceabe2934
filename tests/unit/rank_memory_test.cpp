// Whose memory is whose, and what it holds.
#include <array>
#include <csetjmp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <orrery/program_host/program_image.hpp>

#include "program_builder.hpp"

#if !defined(__SANITIZE_ADDRESS__)
namespace {

using orrery::MemoryRange;
using orrery::ProgramImage;
using orrery::RankMemoryHash;
using orrery::RankMemoryRanges;
using orrery::test::build_program;
using orrery::test::TemporaryDirectory;

constexpr std::uint32_t ranks = 3;

/// A runtime for one rank after the other, which looks at the caller whenever it asks for the time.
struct Runtime {
  std::uint32_t rank = 0;
  std::function<void()> look;
  std::int64_t now = 0;
  std::string output;
  std::jmp_buf end;
};
Runtime* fake = nullptr;

OrreryRuntime table() {
  OrreryRuntime result{};
  result.version = ORRERY_RUNTIME_VERSION;
  result.size_bytes = sizeof result;
  result.rank = [] { return static_cast<std::int32_t>(fake->rank); };
  result.rank_count = [] { return static_cast<std::int32_t>(ranks); };
  result.host_name = [] { return "host"; };
  result.read_clock = [](std::uint32_t) {
    if (fake->look) fake->look();
    return ++fake->now;
  };
  result.output = [](std::int32_t, const char* text, std::size_t size) {
    fake->output.append(text, size);
  };
  result.exit_process = [](std::int32_t, std::uintptr_t) { std::longjmp(fake->end, 1); };
  result.finding = [](const char*, const char*, std::uintptr_t) { std::longjmp(fake->end, 1); };
  result.once_begin = [](void*, std::int32_t, std::uintptr_t) { return 1; };
  result.once_end = [](void*, std::int32_t, std::uintptr_t) {};
  result.checks_use = [] { return 1; };
  result.wants_loans = [] { return 0; };
  result.current_thread = [] { return OrreryThread{1}; };
  return result;
}

/// All ranks of one run, in that order, with these arguments.
void run(ProgramImage& image, const std::vector<std::uint32_t>& order,
         std::vector<std::string> arguments, const std::function<void(std::uint32_t rank)>& look) {
  static const OrreryRuntime runtime = table();
  Runtime state;
  fake = &state;
  arguments.insert(arguments.begin(), "./app");
  image.keep_ranks_apart(true);
  image.begin_run(runtime, arguments);
  for (const std::uint32_t rank : order) {
    state.rank = rank;
    state.look = [&look, rank] { look(rank); };
    if (setjmp(state.end) == 0) image.run_rank(rank);
  }
  image.end_run();
}

using Hashes = std::map<std::uint32_t, std::vector<RankMemoryHash>>;

Hashes hashes(ProgramImage& image, const std::vector<std::uint32_t>& order,
              const std::vector<std::string>& arguments) {
  Hashes all;
  run(image, order, arguments,
      [&](std::uint32_t rank) { all[rank].push_back(image.hash_memory(rank)); });
  return all;
}

/// Allocates, maps and writes, and asks for the time in between; with an argument it changes one
/// byte of the kind that it names.
constexpr const char* program = R"(
#define _GNU_SOURCE
#include <time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile char table[100000];
static _Thread_local volatile char of_thread[100];
static char *blocks[50];
int main(int argc, char **argv) {
  const char *change = argc > 1 ? argv[1] : "";
  char *map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *end = sbrk(8192);
  FILE *file = tmpfile();
  of_thread[3] = 'x';
  for (int i = 0; i < 50; ++i) {
    blocks[i] = malloc(100 + 977 * i);
    memset(blocks[i], i, 100 + 977 * i);
    if (i % 3 == 0) free(blocks[i / 2]), blocks[i / 2] = malloc(40000);
    table[i * 1000] = (char)i;
    map[i * 5000] = (char)i;
    end[i] = (char)i;
    if (i == 40 && !strcmp(change, "variable")) table[77777] = 1;
    if (i == 40 && !strcmp(change, "thread")) of_thread[3] = 'y';
    if (i == 40 && !strcmp(change, "heap")) blocks[40][5000] = 99;
    if (i == 40 && !strcmp(change, "mapping")) map[123456] = 1;
    if (i == 40 && !strcmp(change, "break")) end[8191] = 1;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
  }
  fclose(file);
  return 0;
}
)";

bool overlap(const MemoryRange& a, const MemoryRange& b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

TEST_CASE("A rank's memory has the same hash at the same call, whoever runs before") {
  const TemporaryDirectory directory;
  const auto path = build_program(directory, program);
  ProgramImage image(path, ranks, {.front_end = orrery::front_end_beside(ORRERY_BINARY)});
  const Hashes first = hashes(image, {0, 1, 2}, {});
  REQUIRE(first.size() == ranks);
  REQUIRE(first.at(1).size() == 50);
  CHECK(hashes(image, {0, 1, 2}, {}) == first);
  CHECK(hashes(image, {2, 0, 1}, {}) == first);
  // Each call differs from the one before: by what the loop has written.
  for (std::size_t i = 1; i < 50; ++i) {
    INFO(i);
    CHECK_FALSE(first.at(2)[i].variables == first.at(2)[i - 1].variables);
    CHECK_FALSE(first.at(2)[i].heap == first.at(2)[i - 1].heap);
    CHECK_FALSE(first.at(2)[i].mappings == first.at(2)[i - 1].mappings);
  }
}

TEST_CASE("A changed byte changes the hash of its part") {
  const TemporaryDirectory directory;
  const auto path = build_program(directory, program);
  ProgramImage image(path, ranks, {.front_end = orrery::front_end_beside(ORRERY_BINARY)});
  // The argument's length is that of others, as its text lies in no memory of the program's.
  const RankMemoryHash whole = hashes(image, {0}, {}).at(0)[45];
  const auto changed = [&](const std::string& what) { return hashes(image, {0}, {what}).at(0); };
  for (const char* what : {"variable", "thread", "heap", "mapping", "break"}) {
    INFO(what);
    const auto all = changed(what);
    const std::string name = what;
    CHECK((all[45].variables == whole.variables) == (name != "variable"));
    CHECK((all[45].heap == whole.heap) == (name != "heap" && name != "thread"));
    CHECK((all[45].mappings == whole.mappings) == (name != "mapping" && name != "break"));
  }
}

TEST_CASE("No rank's memory is another one's") {
  const TemporaryDirectory directory;
  const auto path = build_program(directory, program);
  ProgramImage image(path, ranks, {.front_end = orrery::front_end_beside(ORRERY_BINARY)});
  std::array<std::vector<MemoryRange>, ranks> own;
  std::array<std::vector<MemoryRange>, ranks> others;
  run(image, {0, 1, 2}, {}, [&](std::uint32_t rank) {
    const RankMemoryRanges memory = image.memory_of(rank);
    REQUIRE(memory.heap.size() == 1);
    CHECK(memory.heap[0].end > memory.heap[0].begin);
    CHECK(memory.mappings.size() == 2);
    own[rank] = memory.variables;
    own[rank].insert(own[rank].end(), memory.heap.begin(), memory.heap.end());
    own[rank].insert(own[rank].end(), memory.mappings.begin(), memory.mappings.end());
    others[rank] = image.memory_of_others(rank);
  });
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t other = 0; other < ranks; ++other) {
      for (const MemoryRange& range : own[rank]) {
        INFO(rank << " " << other);
        bool is_left_out = false;
        for (const MemoryRange& left_out : others[other]) is_left_out |= overlap(range, left_out);
        CHECK(is_left_out == (rank != other));
      }
    }
  }
}
#endif
