// Atomics of more than eight bytes, and atomics that have parts of one another: each has all of the
// words that it lies in, in whichever way a run was recorded.
#include <chrono>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::check_replays;
using orrery::test::CommandResult;
using orrery::test::run_recorded;
using orrery::test::WorkingDirectory;

/// Four threads that do `work` with the numbers that tell what they have seen.
std::string threads(const std::string& variables, const std::string& work, const std::string& end) {
  return "#include <atomic>\n#include <cstdint>\n#include <cstdio>\n#include <thread>\n"
         "#include <vector>\n"
         "static unsigned long seen[4];\nstatic std::atomic<bool> go;\n" +
         variables +
         "static void work(int me) {\n  while (!go) {}\n"
         "  const auto saw = [&](unsigned long one) { seen[me] = seen[me] * 31 + one; };\n"
         "  for (int i = 0; i < 30; ++i) {\n" +
         work +
         "  }\n}\n"
         "int main() {\n  std::vector<std::thread> all;\n"
         "  for (int i = 0; i < 4; ++i) all.emplace_back(work, i);\n  go = true;\n"
         "  for (auto& one : all) one.join();\n" +
         end + "  std::printf(\"%lx %lx %lx %lx\\n\", seen[0], seen[1], seen[2], seen[3]);\n}\n";
}

/// Everything that a structure of sixteen bytes, and one of more, can be asked for.
const std::string pairs = threads(
    "struct alignas(16) Pair { std::uint64_t a, b; };\nstatic Pair plain{1, 2};\n"
    "__extension__ using Wide = __int128;\nstatic std::atomic<Wide> number{5};\n"
    "struct Three { long a, b, c; };\nstatic std::atomic<Three> three{Three{1, 2, 3}};\n",
    "    std::atomic_ref<Pair> pair(plain);\n"
    "    Pair old = pair.load(), next{old.a * 3 + me, old.b + 1};\n"
    "    saw(pair.compare_exchange_strong(old, next));\n"
    "    if (i % 5 == me) saw(pair.exchange({old.b, old.a}).a);\n"
    "    if (i % 7 == me) pair.store({next.b, next.a});\n"
    "    Wide now = number;\n"
    "    while (!number.compare_exchange_weak(now, now * 3 + (Wide(i) << 64) + me)) {}\n"
    "    saw(static_cast<unsigned long>(now >> 60));\n"
    "    Three all = three.load();\n"
    "    if (!three.compare_exchange_strong(all, {all.b + me, all.c, all.a + 1})) saw(all.a);\n",
    "  std::printf(\"%lx %lx %lx\\n\", plain.a, plain.b, three.load().c);\n");

/// Who takes something from a list: the first in it and a count are changed together, and what was
/// first before may be first again.
const std::string stack = threads(
    "struct Node { Node* next; long value; };\n"
    "struct alignas(16) Head { Node* top; std::uint64_t count; };\n"
    "static std::atomic<Head> head;\nstatic Node nodes[4][30];\n"
    "static void push(Node* node) {\n  Head old = head;\n"
    "  do node->next = old.top; while (!head.compare_exchange_weak(old, {node, old.count + 1}));\n"
    "}\n"
    "static Node* pop() {\n  Head old = head;\n"
    "  while (old.top && !head.compare_exchange_weak(old, {old.top->next, old.count + 1})) {}\n"
    "  return old.top;\n}\n",
    "    nodes[me][i].value = me * 100 + i;\n    push(&nodes[me][i]);\n"
    "    if (i % 2 == 0) continue;\n    Node* const node = pop();\n    if (!node) continue;\n"
    "    saw(node->value++);\n    if (i % 3 == 0) push(node);\n",
    "  std::printf(\"%lu\\n\", head.load().count);\n");

/// The halves are read one by one, and exchanged together.
const std::string halves = threads(
    "struct alignas(16) Head { std::uint64_t top, count; };\nstatic Head head;\n"
    "__extension__ using Wide = unsigned __int128;\n",
    "    for (bool is_done = false; !is_done;) {\n"
    "      const std::uint64_t count = __atomic_load_n(&head.count, __ATOMIC_ACQUIRE);\n"
    "      const std::uint64_t top = __atomic_load_n(&head.top, __ATOMIC_ACQUIRE);\n"
    "      saw(count);\n"
    "      is_done = __sync_bool_compare_and_swap(\n"
    "          reinterpret_cast<Wide*>(&head), Wide{count} << 64 | top,\n"
    "          Wide{count + 1} << 64 | (top * 3 + static_cast<unsigned>(me)));\n    }\n",
    "  std::printf(\"%lx %lu\\n\", head.top, head.count);\n");

/// The same of eight bytes.
const std::string quarters = threads(
    "static std::uint64_t word;\n",
    "    auto* const half = reinterpret_cast<std::uint32_t*>(&word) + me % 2;\n"
    "    if (i % 4 != me) {\n"
    "      saw(__atomic_fetch_add(half, me + 1, __ATOMIC_ACQ_REL));\n      continue;\n    }\n"
    "    std::uint64_t all = __atomic_load_n(&word, __ATOMIC_ACQUIRE);\n"
    "    saw(__atomic_compare_exchange_n(&word, &all, all * 5 + me, false, __ATOMIC_ACQ_REL,\n"
    "                                    __ATOMIC_ACQUIRE));\n",
    "  std::printf(\"%lx\\n\", word);\n");

/// By a library's functions, and by the processor's instruction.
void build(const WorkingDirectory& here, const std::string& source) {
  const std::string flags = GENERATE("-std=c++20 -O1 -latomic", "-std=c++20 -O2 -mcx16 -latomic");
  build_hooked(here, source, flags);
}

}  // namespace

TEST_CASE("Atomics of several words have in a replay what they had in simulation") {
  const WorkingDirectory here;
  build(here, GENERATE(pairs, stack, halves, quarters));
  for (const char* const method : {"instant-replay", "lamport-order", "leap", "stride",
                                   "stride:group=block:64", "global-writes"}) {
    for (int seed = 1; seed <= 2; ++seed) {
      CAPTURE(method, seed);
      check_replays(here, run_recorded(here, method, seed).out);
    }
  }
}

TEST_CASE("An argument of a wide atomic is not taken for the target of an assignment") {
  const WorkingDirectory here;
  build_hooked(here, pairs, "-std=c++20 -O1 -latomic");
  for (const char* const method : {"lamport-order", "lamport-order:objects=yes"}) {
    for (int seed = 1; seed <= 8; ++seed) {
      CAPTURE(method, seed);
      check_replays(here, run_recorded(here, method, seed).out);
    }
  }
}

TEST_CASE("Atomics of several words have in a replay what they had on real cores") {
  const WorkingDirectory here;
  build(here, GENERATE(pairs, stack, halves, quarters));
  for (const char* const method :
       {"instant-replay", "lamport-order", "leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const auto begin = std::chrono::steady_clock::now();
    const CommandResult real = here.orrery(
        fmt::format("record --quiet --method {} --inject-delays=20us -o run.orr ./app", method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    // Who writes sixteen bytes and reads them again does not wait for itself: that took half a
    // minute.
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    check_replays(here, real.out);
  }
}
