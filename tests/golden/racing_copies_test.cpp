// Functions of the C library that race: what they read is what was there at their turn, however
// much that is, and how far a text goes is what was read.
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
using orrery::test::lets_time_pass;
using orrery::test::outputs_of_replays;
using orrery::test::run_recorded;
using orrery::test::WorkingDirectory;

const std::string copies = R"(
#include <cstdio>
#include <cstring>
#include <thread>
struct Sheet { long at[600]; };
static Sheet common;
static unsigned long results[3];
static char bytes[40000], same[40000];
static void work(int me) {
  unsigned long sum = 0;
  Sheet own{};
  for (int i = 0; i < 6; ++i) {
    own = common;
    for (long one : own.at) sum = sum * 31 + static_cast<unsigned long>(one);
    for (int j = 0; j < 600; j += 7) own.at[j] = me * 1000 + i;
    if (i % 3 == me) common = own;
    if (i % 5 == me) std::memmove(common.at + 20, common.at + 3, 560 * sizeof(long));
    if (i % 4 == me + 1) std::memset(bytes, me + i, sizeof bytes);
    if (i % 4 == me) std::memcpy(same, bytes, sizeof same);
    sum = sum * 31 + static_cast<unsigned>(std::memcmp(bytes, same, sizeof same));
    const void* const found = std::memchr(bytes, me + 1, sizeof bytes);
    sum = sum * 31 + (found == nullptr ? 0 : static_cast<unsigned long>(static_cast<const char*>(found) - bytes));
  }
  results[me] = sum;
}
int main() {
  std::thread a(work, 0), b(work, 1), c(work, 2);
  a.join(); b.join(); c.join();
  std::printf("%lx %lx %lx\n", results[0], results[1], results[2]);
}
)";

const std::string texts = R"(
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static char name[64] = "none", list[900], number[32] = "1";
static unsigned long results[3];
static void work(int me) {
  unsigned long sum = 0;
  char own[900];
  const auto add = [&sum](const char* text) { for (; *text != 0; ++text) sum = sum * 31 + static_cast<unsigned char>(*text); };
  for (int i = 0; i < 12; ++i) {
    std::snprintf(own, sizeof own, "%.*s of thread %d", i % 17, "a name of some length", me);
    if (i % 3 == me) std::strcpy(name, own);
    std::strcpy(own, name); add(own);
    if (std::strlen(list) < 400) std::strcat(list, "more of it; ");
    if (std::strcmp(name, own) != 0) sum += 7;
    std::snprintf(number, sizeof number, "%d", me * 1000 + i);
    sum = sum * 31 + static_cast<unsigned long>(std::atoi(number));
    const char* const space = std::strchr(name, ' ');
    sum = sum * 31 + (space == nullptr ? 0 : static_cast<unsigned long>(space - name));
    const char* const of = std::strstr(name, "of");
    sum = sum * 31 + (of == nullptr ? 0 : static_cast<unsigned long>(of - name));
    std::strncpy(own, list, 500); own[500] = 0; add(own);
    char* const copy = strdup(name); add(copy); std::free(copy);
    if (i % 10 == me) list[0] = 0;
  }
  results[me] = sum;
}
int main() {
  std::thread a(work, 0), b(work, 1), c(work, 2);
  a.join(); b.join(); c.join();
  std::printf("%lx %lx %lx\n", results[0], results[1], results[2]);
}
)";

/// By each method, `app` does in a replay what it did.
void check_methods(const WorkingDirectory& here, const std::string& flags) {
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} {} -o run.orr ./app", method, flags));
    INFO(real.err);
    REQUIRE(real.status == 0);
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

void check_racing(const std::string& source) {
  const WorkingDirectory here;
  build_hooked(here, source);
  check_methods(here, "--inject-delays=50us --seed 3");
}

}  // namespace

TEST_CASE("Copies of any size that race have in a replay what they had") {
  check_racing(copies);
}

TEST_CASE("Copies that race are replayed by reads whose bounds were late") {
  const std::string names = R"(
#include <cstdio>
#include <cstring>
#include <thread>
static char name[64] = "start", copies[2][64];
static unsigned long sums[2];
int main() {
  std::thread writer([] {
    for (int i = 0; i < 40; i++) {
      char own[64];
      std::snprintf(own, sizeof own, "%0*d", 1 + i * 7 % 50, i);
      std::strcpy(name, own);
    }
  });
  const auto read = [](int me) {
    for (int i = 0; i < 40; i++) {
      std::memcpy(copies[me], name, 64);
      copies[me][63] = 0;
      sums[me] = sums[me] * 31 + std::strlen(name) * 100 + std::strlen(copies[me]);
    }
  };
  std::thread a(read, 0), b(read, 1);
  writer.join(); a.join(); b.join();
  std::printf("%lx %lx\n", sums[0], sums[1]);
}
)";
  for (const std::string& source : {copies, names}) {
    const WorkingDirectory here;
    build_hooked(here, source);
    for (const char* const method : {"stride:lag=3", "stride:lag=40,group=block:64"}) {
      CAPTURE(method);
      const CommandResult run = here.orrery(
          fmt::format("run --quiet --preempt all --window 20us --seed 1 --method {} --record "
                      "run.orr ./app",
                      method));
      INFO(run.err);
      REQUIRE(run.status == 0);
      CHECK(outputs_of_replays(here) == run.out + "no finding");
    }
  }
}

TEST_CASE("Texts that race are as long in a replay as they were") {
  check_racing(texts);
}

TEST_CASE("A structure that is assigned is there for others when it is whole") {
  const WorkingDirectory here;
  for (const char* const flags : {"-O0", "-O1"}) {
    CAPTURE(flags);
    build_hooked(here, R"(
#include <cstdio>
#include <thread>
struct Three { long a, b, c; };
static Three* shared = new Three{};
__attribute__((noinline)) void assign(Three* to, const Three* from) { *to = *from; }
int main() {
  unsigned long sum = 0;
  std::thread giver([] {
    for (long i = 0; i < 2000; ++i) { const Three own{i, 2 * i, 3 * i}; assign(shared, &own); }
  });
  std::thread taker([&sum] {
    for (int i = 0; i < 2000; ++i) {
      Three own{};
      assign(&own, shared);
      sum = sum * 31 + static_cast<unsigned long>(own.a + 3 * own.b + 7 * own.c);
    }
  });
  giver.join(); taker.join();
  std::printf("%lu\n", sum);
}
)",
                 flags);
    check_methods(here, "");
  }
}

TEST_CASE("A structure of a thread's own is whole for whoever comes to it while it is assigned") {
  const WorkingDirectory here;
  build_hooked(here, lets_time_pass + R"(
#include <atomic>
#include <cstdio>
#include <thread>
struct Many { long at[8]; };
struct alignas(4096) Page { Many many; };
static Page pages[60];
static std::atomic<int> at[2];
__attribute__((noinline)) void assign(Many* to, const Many* from) { *to = *from; }
static void meet(int me, int page) {
  at[me] = page;
  for (int i = 0; at[1 - me] < page; ++i) let_time_pass(i);
}
int main() {
  unsigned long sum = 0;
  std::thread giver([] {
    Many own{};
    for (int i = 0; i < 60; ++i) {
      assign(&pages[i].many, &own);
      meet(0, i);
      for (long j = 0; j < 40; ++j) {
        own.at[0] = own.at[7] = j;
        assign(&pages[i].many, &own);
      }
    }
  });
  std::thread taker([&sum] {
    for (int i = 0; i < 60; ++i) {
      long waited = 0;
      meet(1, i);
      for (int j = 0; j < i * 7 % 60; ++j) waited += at[1].load(std::memory_order_relaxed);
      sum = sum * 31 + static_cast<unsigned long>(pages[i].many.at[i % 8] + (waited == -1 ? 1 : 0));
    }
  });
  giver.join(); taker.join();
  std::printf("%lu\n", sum);
}
)",
               "-O1");
  check_methods(here, "");
}

/// Three threads assign structures to and fro, and change parts of them.
const std::string to_and_fro = lets_time_pass + R"(
#include <atomic>
#include <cstdio>
#include <thread>
struct Pair { long a, b; };
struct Five { long a, b, c, d, e; };
static Five fives[3];
static Pair pairs[3];
static unsigned long results[3];
static std::atomic<int> here;
__attribute__((noinline)) void assign(Five* to, const Five* from) { *to = *from; }
__attribute__((noinline)) void assign(Pair* to, const Pair* from) { *to = *from; }
static void work(int me) {
  ++here;
  for (int i = 0; here < 3; ++i) let_time_pass(i);
  unsigned long sum = 0;
  for (int i = 0; i < 150; ++i) {
    const int to = (me + i) % 3, from = (me + i * 2 + 1) % 3;
    if (to != from) assign(&fives[to], &fives[from]);
    if (to != from) assign(&pairs[to], &pairs[from]);
    if (i % 7 == me) { fives[me].a = me * 1000 + i; fives[me].e = i; pairs[me].b = i - me; }
    Five own{};
    assign(&own, &fives[i % 3]);
    sum = sum * 31 + static_cast<unsigned long>(own.a + 3 * own.e + pairs[to].a + 5 * pairs[from].b);
    if (i % 11 == me) { own.c = i; assign(&fives[to], &own); }
  }
  results[me] = sum;
}
int main() {
  std::thread a(work, 0), b(work, 1), c(work, 2);
  a.join(); b.join(); c.join();
  std::printf("%lx %lx %lx\n", results[0], results[1], results[2]);
}
)";

TEST_CASE("Structures that are assigned to and fro have in a replay what they had") {
  const WorkingDirectory here;
  for (const char* const flags : {"-O0", "-O1"}) {
    CAPTURE(flags);
    build_hooked(here, to_and_fro, flags);
    check_methods(here, "");
    check_methods(here, "--inject-delays=50us --seed 1");
  }
}

TEST_CASE("Structures that are assigned to and fro have in a replay what they had in simulation") {
  const WorkingDirectory here;
  build_hooked(here, to_and_fro, "-O1");
  for (const char* const method :
       {"lamport-order", "lamport-order:objects=yes", "instant-replay"}) {
    for (int seed = 1; seed <= 3; ++seed) {
      CAPTURE(method, seed);
      check_replays(here, run_recorded(here, method, seed).out);
    }
  }
}

TEST_CASE("Who copies within a few words does not wait for himself") {
  const WorkingDirectory here;
  build_hooked(here, R"(
#include <cstdio>
#include <cstring>
#include <thread>
static char row[200];
static unsigned long results[2];
static void work(int me) {
  unsigned long sum = 0;
  for (int i = 0; i < 700; ++i) {
    row[i % 100] = static_cast<char>(i + me);
    std::memmove(row + 1 + i % 7, row + i % 3, 2 + i % 90);
    std::memmove(row + i % 3, row + 1 + i % 7, 2 + i % 90);
    sum = sum * 31 + static_cast<unsigned char>(row[i % 50]);
  }
  results[me] = sum;
}
int main() {
  std::thread a(work, 0), b(work, 1);
  a.join(); b.join();
  std::printf("%lx %lx\n", results[0], results[1]);
}
)",
               "-O1");
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult real = here.orrery("record --quiet --method leap -o run.orr ./app");
  const std::chrono::duration<double> taken_s = std::chrono::steady_clock::now() - begin;
  REQUIRE(real.status == 0);
  CHECK(taken_s.count() < 4);
  CHECK(outputs_of_replays(here).starts_with(real.out));
}

TEST_CASE("Copies that overlap, and texts that do not fit, are as the C library has them") {
  const WorkingDirectory here;
  here.write("app.cpp", R"(
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
static char row[9000], text[8200];
static unsigned hash() {
  unsigned sum = 0;
  for (char one : row) sum = sum * 31 + static_cast<unsigned char>(one);
  return sum;
}
int main(int argc, char**) {
  std::thread other([] {});
  for (int i = 0; i < 9000; ++i) row[i] = static_cast<char>(i * 7 + i / 256);
  std::memmove(row + 5, row, 8000); std::printf("%x\n", hash());
  std::memmove(row, row + 2051, 6000); std::printf("%x\n", hash());
  std::memset(text, 'a', 8000);
  std::strcpy(row, text); std::strcat(row, "b"); std::printf("%zu %x\n", std::strlen(row), hash());
  std::strncpy(row, "abc", 5000); std::strncat(row, text, 3); std::printf("%s %x\n", row, hash());
  std::printf("%d %d %d\n", std::strcmp(row, "abcaaa"), std::strncmp(row, "abX", 2),
              std::strcmp(row, "abd") < 0);
  std::printf("%d %s %d\n", std::snprintf(row, 6, "%d%s", 12, "345678"), row,
              std::snprintf(nullptr, 0, "%d", argc));
  char* end = nullptr;
  std::strcpy(row, "12x"); const long number = std::strtol(row, &end, 10);
  std::printf("%ld %s %s %zu\n", number, end, std::strrchr(row, 'x'), std::strcspn(row, "x"));
  std::printf("%d\n", std::memchr(row, 'x', 3) == row + 2);
  other.join();
}
)");
  REQUIRE(here.orrery("c++ -O1 -g -pthread -fno-builtin app.cpp -o app").status == 0);
  const std::string expected = here.shell("./app").out;
  REQUIRE(!expected.empty());
  CHECK(here.orrery("run --preempt all ./app").out == expected);
  CHECK(here.orrery("run --preempt all --seed 5 --window 10us ./app").out == expected);
  CHECK(here.orrery("record --quiet --method stride -o run.orr ./app").out == expected);
}
