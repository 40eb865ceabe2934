// Atomics of programs: the same values natively and in simulation, of all sizes and families.
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

constexpr const char* all_sizes = R"(
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
static int bad;
#define EXPECT(condition) do { if (!(condition)) { printf("line %d\n", __LINE__); bad = 1; } } while (0)
#define FAMILY(type)                                                             \
  do {                                                                           \
    static _Atomic type a; static type p; type e;                                \
    a = 7; EXPECT(a == 7);                                                       \
    EXPECT(atomic_exchange(&a, 9) == 7);                                         \
    EXPECT(atomic_fetch_add(&a, 3) == 9 && a == 12);                             \
    EXPECT(atomic_fetch_sub(&a, 2) == 12 && a == 10);                            \
    EXPECT(atomic_fetch_or(&a, 5) == 10 && a == 15);                             \
    EXPECT(atomic_fetch_and(&a, 6) == 15 && a == 6);                             \
    EXPECT(atomic_fetch_xor(&a, 3) == 6 && a == 5);                              \
    a += 2; e = a; EXPECT(e == 7); ++a; a--; EXPECT(a == 7); \
    e = 1; EXPECT(!atomic_compare_exchange_strong(&a, &e, 2) && e == 7);         \
    EXPECT(atomic_compare_exchange_strong(&a, &e, 2) && a == 2);                 \
    EXPECT(__atomic_nand_fetch(&p, 1, 5) == (type)-1);                           \
    EXPECT(__atomic_fetch_nand(&p, 3, 5) == (type)-1 && p == (type)-4);          \
    EXPECT(__sync_lock_test_and_set(&p, 4) == (type)-4);                         \
    EXPECT(__sync_add_and_fetch(&p, 2) == 6 && __sync_fetch_and_sub(&p, 1) == 6); \
    EXPECT(__sync_or_and_fetch(&p, 8) == 13 && __sync_fetch_and_and(&p, 9) == 13); \
    EXPECT(__sync_xor_and_fetch(&p, 1) == 8 && __sync_nand_and_fetch(&p, 0) == (type)-1); \
    EXPECT(!__sync_bool_compare_and_swap(&p, 1, 2));                             \
    EXPECT(__sync_val_compare_and_swap(&p, (type)-1, 2) == (type)-1 && p == 2);  \
    __sync_lock_release(&p); EXPECT(p == 0);                                     \
  } while (0)
struct odd { char bytes[24]; };
static _Atomic struct odd whole;
static _Atomic double real;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int variable, *_Atomic pointer, *plain = &variable;
int main(void) {
  FAMILY(unsigned char); FAMILY(unsigned short); FAMILY(unsigned int); FAMILY(unsigned long);
  FAMILY(unsigned __int128);
  struct odd x, y;
  memset(&x, 5, sizeof x);
  whole = x; y = whole; EXPECT(memcmp(&x, &y, sizeof x) == 0);
  memset(&y, 6, sizeof y);
  EXPECT(atomic_compare_exchange_strong(&whole, &x, y));
  EXPECT(!atomic_compare_exchange_strong(&whole, &x, x) && x.bytes[23] == 6);
  memset(&x, 7, sizeof x);
  y = atomic_exchange(&whole, x); EXPECT(y.bytes[0] == 6);
  real = 1.5; real += 2; EXPECT(real == 3.5);
  EXPECT(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
  atomic_flag_clear(&flag); EXPECT(!atomic_flag_test_and_set(&flag));
  pointer = &variable; EXPECT(atomic_load_explicit(&pointer, memory_order_acquire) == &variable);
  EXPECT(__sync_bool_compare_and_swap(&plain, &variable, 0) && plain == 0);
  EXPECT(ATOMIC_INT_LOCK_FREE == 2 && atomic_is_lock_free(&real));
  atomic_thread_fence(memory_order_seq_cst); __sync_synchronize();
  puts(bad ? "bad" : "good");
  return bad;
}
)";

TEST_CASE("Atomics of all sizes do what they are for, natively, simulated, and watched") {
  const WorkingDirectory here;
  here.write("app.c", all_sizes);
  for (const std::string compiler : {"gcc", "clang"}) {
    for (const std::string flags : {"-O0", "-O2"}) {
      CAPTURE(compiler, flags);
      const CommandResult built = here.shell(
          "ORRERY_CC=" + compiler + " '" ORRERY_BINARY "' cc -w -g " + flags + " app.c -o app");
      INFO(built.err);
      REQUIRE(built.status == 0);
      CHECK(here.shell("./app").out == "good\n");
      for (const std::string how : {"", "--detect fasttrack ", "--preempt all "}) {
        const CommandResult result = here.orrery("run " + how + "./app");
        INFO(result.err);
        CHECK(result.out == "good\n");
      }
    }
  }
}

TEST_CASE("Both images of a program make the same visible operations, so a log fits both") {
  const WorkingDirectory here;
  here.write("app.cpp", R"(
    #include <atomic>
    #include <cstdio>
    #include <memory>
    #include <string>
    struct Late { Late() { text = "made when it was needed"; } std::string text; };
    const std::string& late() { static Late value; return value.text; }
    std::atomic<int> count{0};
    std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(3)};
    int main() {
      for (int i = 0; i < 5; ++i) count += static_cast<int>(late().size());
      auto other = shared.load();
      ++*other;
      std::printf("%d %d\n", count.load(), *shared.load());
    }
  )");
  for (const std::string compiler : {"g++", "clang++"}) {
    CAPTURE(compiler);
    const CommandResult built = here.shell(
        "ORRERY_CXX=" + compiler + " '" ORRERY_BINARY "' c++ -std=c++20 -O2 -g app.cpp -o app");
    INFO(built.err);
    REQUIRE(built.status == 0);
    REQUIRE(here.orrery("run --record plain.orr ./app").out == "115 4\n");
    REQUIRE(here.orrery("run --record watched.orr --detect fasttrack ./app").out == "115 4\n");
    CHECK(here.read("plain.orr") == here.read("watched.orr"));
    const CommandResult again = here.orrery("replay --detect fasttrack plain.orr");
    INFO(again.err);
    CHECK(again.status == 0);
    CHECK(again.out == "115 4\n");
  }
}

TEST_CASE("A program may lose its turn at accesses, if it is told where, and a log says so") {
  const WorkingDirectory here;
  here.write("app.c", R"(
    #include <pthread.h>
    int x[9], own[9];
    static void* fill(void* array) { for (int i = 0; i < 9; ++i) ((int*)array)[i] = i; return array; }
    int main(int count, char** words) {
      pthread_t other;
      (void)words;
      fill(own);
      if (count > 1) pthread_create(&other, 0, fill, x);
      if (count > 1) pthread_join(other, 0);
      return x[0];
    }
  )");
  REQUIRE(here.orrery("cc -g -pthread app.c -o app").status == 0);
  const auto steps = [&](const std::string& flags, const std::string& words) {
    const std::string text = here.orrery("run " + flags + " ./app " + words).err;
    const std::size_t begin = text.find(": ") + 2;
    return std::stoi(text.substr(begin));
  };
  const int few = steps("", "two");
  const int alone = steps("", "");
  // There is nobody to share with.
  CHECK(steps("--preempt shared", "") == alone);
  CHECK(steps("--preempt all", "") == alone);
  CHECK(steps("--preempt shared", "two") >= few + 9);
  CHECK(steps("--preempt all", "two") >= few + 9);
  REQUIRE(here.orrery("run --preempt all --record all.orr ./app two").status == 0);
  CHECK(here.orrery("replay all.orr").status == 0);
  const CommandResult other = here.orrery("replay --preempt sync all.orr");
  CHECK(other.status == 2);
  CHECK(has(other.err, "the log was made with --preempt all"));
  const CommandResult unknown = here.orrery("run --preempt often ./app two");
  CHECK(unknown.status == 2);
  CHECK(has(unknown.err, "use sync, shared or all"));
}

TEST_CASE("A variable that is made when it is first needed is no race, whoever comes first") {
  const WorkingDirectory here;
  here.write("app.cpp", R"(
    #include <string>
    #include <thread>
    #include <vector>
    const std::string& late() { static std::string text = "made once, for all of them"; return text; }
    int lengths[3];
    int main() {
      std::vector<std::thread> all;
      for (int i = 0; i < 3; ++i) {
        all.emplace_back([i] { lengths[i] = static_cast<int>(late().size()); });
      }
      for (std::thread& one : all) one.join();
      return lengths[0] + lengths[1] + lengths[2] == 78 ? 0 : 1;
    }
  )");
  for (const std::string compiler : {"g++", "clang++"}) {
    CAPTURE(compiler);
    REQUIRE(here.shell("ORRERY_CXX=" + compiler +
                       " '" ORRERY_BINARY "' c++ -std=c++20 -O1 -g -pthread app.cpp -o app")
                .status == 0);
    for (const std::string how : {"--detect fasttrack", "--preempt shared"}) {
      const CommandResult result = here.orrery("explore --runs 50 " + how + " ./app");
      INFO(result.out << result.err);
      CHECK(result.status == 0);
    }
  }
}

}  // namespace
