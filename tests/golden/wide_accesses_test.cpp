// Accesses of more than eight bytes that race: on real cores and in simulation they are recorded as
// those of several words.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::check_replays;
using orrery::test::CommandResult;
using orrery::test::lets_time_pass;
using orrery::test::run_recorded;
using orrery::test::WorkingDirectory;

/// Copies of sixteen bytes at once, of structures, and by functions of the C library, into one
/// another.
const std::string copying =
    "#include <cstdio>\n#include <cstring>\n#include <pthread.h>\n#include <thread>\n"
    "#include <vector>\n"
    "struct Wide { long parts[5]; };\nWide wide; long double number = 1; char text[48];\n"
    "__int128 both; pthread_barrier_t start;\n"
    "static unsigned long work(long me) {\n"
    "  unsigned long sum = me;\n  const auto add = [&sum](unsigned long one) {\n"
    "    sum = (sum ^ one) * 0x100000001b3UL;\n  };\n"
    "  for (long j = 1; j <= 60; ++j) {\n"
    "    Wide mine;\n"
    "    for (long& part : mine.parts) part = me * 1000 + j;\n"
    "    if ((j + me) % 3 == 0) wide = mine; else mine = wide;\n"
    "    for (const long part : mine.parts) add(part);\n"
    "    number = number + me;\n    add(static_cast<unsigned long>(number));\n"
    "    both = both * 3 + me;\n    add(static_cast<unsigned long>(both >> 20));\n"
    "    char line[48];\n"
    "    std::memcpy(line, text + j % 7, 33);\n    for (int i = 0; i < 33; ++i) add(line[i]);\n"
    "    std::memset(text + j % 5, static_cast<int>(sum & 15), 20);\n"
    "    std::memmove(text + 3, text + j % 8, 30);\n"
    "  }\n  return sum;\n}\n"
    "int main() {\n  pthread_barrier_init(&start, nullptr, 3);\n"
    "  unsigned long sums[3] = {};\n  std::vector<std::thread> all;\n"
    "  for (int i = 0; i < 3; ++i) all.emplace_back([i, &sums] {\n"
    "    pthread_barrier_wait(&start);\n    sums[i] = work(i + 1);\n  });\n"
    "  for (auto& one : all) one.join();\n"
    "  std::printf(\"%lx %lx %lx\\n\", sums[0], sums[1], sums[2]);\n}\n";

/// Structures to and fro, which compilers write out, and blocks of memory that go from thread to
/// thread and are used anew.
const std::string passing =
    "#include <cstdio>\n#include <mutex>\n#include <thread>\n"
    "struct Five { long parts[5]; };\nstruct Node { std::mutex lock; Five five; };\n"
    "static Five x{{1, 2, 3, 4, 5}}, y{{6, 7, 8, 9, 10}};\n"
    "static Node* slots[2];\nstatic std::mutex lock;\n"
    "__attribute__((noinline)) void assign(Five* to, const Five* from) { *to = *from; }\n"
    "static void work(int me, unsigned long& sum) {\n"
    "  for (long i = 0; i < 30; ++i) {\n"
    "    if (me < 2) assign(me == 0 ? &x : &y, me == 0 ? &y : &x);\n"
    "    Node* const mine = new Node{{}, {{i, me, i, me, i}}};\n"
    "    if (me == 2) assign(i % 2 == 0 ? &x : &mine->five, i % 2 == 0 ? &mine->five : &y);\n"
    "    Node* taken;\n"
    "    {\n      const std::lock_guard hold(lock);\n"
    "      taken = slots[i % 2];\n      slots[i % 2] = mine;\n    }\n"
    "    if (taken == nullptr) continue;\n"
    "    {\n      const std::lock_guard hold(taken->lock);\n"
    "      for (const long part : taken->five.parts) sum = sum * 31 + part;\n    }\n"
    "    sum = sum * 31 + (mine < taken ? 1 : 2);\n"
    "    delete taken;\n    sum = sum * 31 + x.parts[i % 5] * 3 + y.parts[(i + 2) % 5];\n"
    "  }\n}\n"
    "int main() {\n  unsigned long sums[3] = {};\n"
    "  std::thread a([&] { work(0, sums[0]); }), b([&] { work(1, sums[1]); }), c([&] { work(2, "
    "sums[2]); });\n  a.join(); b.join(); c.join();\n"
    "  std::printf(\"%lx %lx %lx\\n\", sums[0], sums[1], sums[2]);\n}\n";

/// Compilers tell of the one number's write and of the other's read with little between.
const std::string numbers = lets_time_pass + R"(
#include <atomic>
#include <cstdio>
#include <thread>
static struct { long double ratio; __int128 number; } shared;
static unsigned long sums[3];
static std::atomic<int> here;
__attribute__((noinline)) static unsigned long step(int me) {
  const __int128 number = shared.number * 3 + me;
  shared.number = number;
  const long double ratio = shared.ratio / 2 + me;
  shared.ratio = ratio;
  return static_cast<unsigned long>(number >> 60) + static_cast<unsigned long>(ratio * 1000);
}
static void work(int me) {
  ++here;
  for (int i = 0; here < 3; ++i) let_time_pass(i);
  unsigned long sum = 0;
  for (int i = 0; i < 1000; ++i) sum = sum * 31 + step(me);
  sums[me] = sum;
}
int main() {
  std::thread a(work, 0), b(work, 1), c(work, 2);
  a.join(); b.join(); c.join();
  std::printf("%lx %lx %lx\n", sums[0], sums[1], sums[2]);
}
)";

void check_simulated(const WorkingDirectory& here, const std::vector<std::string>& methods) {
  for (const std::string& method : methods) {
    for (int seed = 1; seed <= 2; ++seed) {
      CAPTURE(method, seed);
      check_replays(here, run_recorded(here, method, seed).out);
    }
  }
}

/// Of a run on real cores.
void check_recorded(const WorkingDirectory& here, const std::string& method, int seed) {
  CAPTURE(method, seed);
  const CommandResult real =
      here.orrery(fmt::format("record --quiet --method {} --inject-delays=50us --seed {} "
                              "-o run.orr ./app",
                              method, seed));
  INFO(real.err);
  REQUIRE(real.status == 0);
  check_replays(here, real.out);
}

}  // namespace

TEST_CASE("Torn copies by real threads are torn so again") {
  const WorkingDirectory here;
  build_hooked(here, copying);
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    for (int seed = 0; seed < 4; ++seed) check_recorded(here, method, seed);
  }
}

TEST_CASE("A number of two words that is written before another is read is no assignment") {
  const WorkingDirectory here;
  build_hooked(here, numbers, "-O1");
  for (const char* const method : {"leap", "stride"}) {
    for (int seed = 1; seed <= 8; ++seed) check_recorded(here, method, seed);
  }
}

// Late bounds are looked up word by word: of several words that were read at once they may find no
// common moment, and a replay says so.
TEST_CASE("Torn copies in simulation are torn so again") {
  const WorkingDirectory here;
  build_hooked(here, copying);
  check_simulated(here, {"instant-replay", "lamport-order", "lamport-order:objects=yes", "leap",
                         "stride", "stride:group=block:64", "global-writes"});
}

TEST_CASE(
    "Structures, and blocks that are used anew, have in a replay what they had in simulation") {
  const WorkingDirectory here;
  build_hooked(here, passing);
  check_simulated(here, {"instant-replay", "lamport-order", "lamport-order:objects=yes", "leap",
                         "stride", "global-writes"});
}
