// `orrery record`: a program that goes by where its blocks of memory lie does so again in the
// replay.
#include <cstdlib>
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"
#include "plain_program.hpp"
#include "recorded_programs.hpp"

// Where memory is AddressSanitizer's, neither side has arenas.
#if !defined(__SANITIZE_ADDRESS__)
namespace {

using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// What the replays write, under other seeds and windows: the same.
std::string replayed(const WorkingDirectory& here) {
  std::set<std::string> outputs;
  for (const char* const machine : {"", "--seed 5", "--seed 8 --window 30us", "--window inf"}) {
    const CommandResult again = here.orrery(fmt::format("replay {} run.orr", machine));
    INFO(again.err);
    CHECK(again.status == 0);
    outputs.insert(again.out);
  }
  CHECK(outputs.size() == 1);
  return *outputs.begin();
}

std::string recorded(const WorkingDirectory& here, const std::string& flags) {
  const CommandResult real = here.orrery(fmt::format("record {} -o run.orr ./app", flags));
  INFO(real.err);
  REQUIRE(real.status == 0);
  CHECK_FALSE(has(real.err, "addresses"));
  return real.out;
}

// Which node is taken next, and freed by whom, goes by addresses; so does all that is written.
const std::string sorting = R"(
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>
struct Node { int owner, number; char more[40]; };
static std::mutex lock;
static std::set<Node*> common;
static std::unordered_map<Node*, int> numbers;
static std::vector<void*> large;
static void take_one() {
  if (common.empty()) return;
  Node* one = *common.begin();
  common.erase(one);
  numbers.erase(one);
  delete one;
}
static void work(int me) {
  std::set<Node*> own;
  unsigned draw = 77u + (unsigned)me;
  for (int i = 0; i < 150; ++i) {
    draw ^= draw << 13; draw ^= draw >> 17; draw ^= draw << 5;
    Node* one = new Node{me, i, {}};
    if (draw % 3 == 0) {
      std::lock_guard<std::mutex> held(lock);
      common.insert(one);
      numbers[one] = i;
    } else {
      own.insert(one);
    }
    if (draw % 5 == 0) { std::lock_guard<std::mutex> held(lock); take_one(); }
    if (draw % 7 == 0 && !own.empty()) { delete *own.begin(); own.erase(own.begin()); }
    if (draw % 11 < 2) {
      void* block = std::malloc(50000 + draw % 50000);
      std::lock_guard<std::mutex> held(lock);
      large.push_back(block);
      if (draw % 13 < 8) { std::free(large.front()); large.erase(large.begin()); }
    }
  }
  std::lock_guard<std::mutex> held(lock);
  for (Node* one : own) { std::printf("%d.%d ", one->owner, one->number); delete one; }
  std::printf("\n");
}
int main() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i) all.emplace_back(work, i);
  for (std::thread& one : all) one.join();
  for (Node* one : common) std::printf("%d.%d ", one->owner, one->number);
  for (const auto& [one, number] : numbers) std::printf("%d=%d ", one->owner, number);
  std::printf("\n");
}
)";

// Each block's address, whichever function it is from.
const std::string telling = R"(
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <malloc.h>
#include <mutex>
#include <pthread.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>
static std::mutex lock;
static std::vector<void*> passed;
static std::string before_main(100, 'b');
static thread_local char told[4000];
static thread_local int told_bytes;
static void tell(const void* block) {
  told_bytes += std::snprintf(told + told_bytes, 30, "%p ", block);
}
static void print(std::unique_lock<std::mutex>) { std::printf("%s\n", told); }
struct AtEnd {
  std::string text = std::string(200, 'e');
  ~AtEnd() {
    void* last = std::malloc(24);
    tell(text.data());
    tell(last);
    std::free(last);
    print(std::unique_lock(lock));
  }
};
static thread_local AtEnd at_end;
static void work(int me) {
  tell(at_end.text.data());
  for (int i = 0; i < 3; ++i) {
    char* text = strdup("some text");
    char* printed = nullptr;
    if (asprintf(&printed, "%d and %d", me, i) < 0) return;
    char* line = nullptr;
    size_t bytes = 0;
    FILE* file = fopen("app.cpp", "r");
    while (getline(&line, &bytes, file) > 0) continue;
    fclose(file);
    char* path = realpath("app.cpp", nullptr);
    char* directory = getcwd(nullptr, 0);
#ifdef STREAMS
    std::ostringstream stream;
    stream << std::string(500, 'x') << me << 1.5;
    std::string whole = stream.str();
#else
    std::string whole(500, 'x');
#endif
    try { throw std::runtime_error(whole); } catch (const std::exception& error) { tell(&error); }
    void* aligned = nullptr;
    if (posix_memalign(&aligned, 4096, 10) != 0) return;
    void* zeroed = calloc(1000, 100);
    void* grown = malloc(10);
    for (size_t size = 20; size < 300000; size *= 3) tell(grown = realloc(grown, size));
    void* more = memalign(64, 70);
    void* pages = aligned_alloc(32768, 100000);
    for (const void* one : {(void*)text, (void*)printed, (void*)line, (void*)path,
                            (void*)directory, (void*)whole.data(), aligned, zeroed, more, pages}) {
      tell(one);
    }
    free(text); free(printed); free(line); free(path); free(directory); free(aligned);
    std::lock_guard<std::mutex> held(lock);
    for (void* one : passed) free(one);
    passed = {zeroed, grown, more, pages};
    usleep(100);
  }
}
int main() {
  std::ios_base::sync_with_stdio(false);
  tell(before_main.data());
  std::vector<std::thread> all;
  for (int i = 0; i < 3; ++i) all.emplace_back(work, i);
  work(3);
  for (std::thread& one : all) one.join();
  std::thread(work, 4).join();
  std::printf("%zu\n", malloc_usable_size(passed.at(0)));
}
)";

}  // namespace

TEST_CASE("A program that sorts by addresses, built without Orrery, does so again in its replay") {
  const WorkingDirectory here;
  build_plainly(here, "g++", sorting);
  for (int seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const std::string real = recorded(here, fmt::format("--inject-delays=100us --seed {}", seed));
    CHECK(replayed(here) == real);
  }
}

TEST_CASE("A program that sorts by addresses, whose accesses are recorded, does so again") {
  const WorkingDirectory here;
  here.write("app.cpp", sorting);
  REQUIRE(here.orrery("c++ -std=c++17 -g -O1 -pthread app.cpp -o app").status == 0);
  for (const char* const method : {"stride", "leap", "lamport-order"}) {
    CAPTURE(method);
    const std::string real =
        recorded(here, fmt::format("--method {} --inject-delays=50us", method));
    CHECK(replayed(here) == real);
  }
}

TEST_CASE("Each block that a program asks for lies where it lay on the real machine") {
  const WorkingDirectory here;
  build_plainly(here, "g++", telling, "-D_GNU_SOURCE -DSTREAMS");
  for (int seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const std::string real = recorded(here, fmt::format("--inject-delays=100us --seed {}", seed));
    CHECK(replayed(here) == real);
  }
  here.write("app.cpp", telling);
  REQUIRE(here.orrery("c++ -std=c++17 -g -O1 -pthread app.cpp -o app").status == 0);
  for (const char* const method : {"stride", "lamport-order"}) {
    CAPTURE(method);
    const std::string real = recorded(here, fmt::format("--method {}", method));
    CHECK(replayed(here) == real);
  }
}

TEST_CASE("What libraries make once, as for the first exception, is nothing that a program did") {
  const WorkingDirectory here;
  build_plainly(here, "g++",
                "#include <cstdio>\n#include <stdexcept>\n#include <thread>\n"
                "static void work() {\n"
                "  try { throw std::runtime_error(\"x\"); } catch (const std::exception&) {}\n}\n"
                "int main() {\n  std::thread one(work);\n  work();\n  one.join();\n"
                "  std::puts(\"done\");\n}\n");
  CHECK(recorded(here, "") == "done\n");
  CHECK(replayed(here) == "done\n");
}

TEST_CASE("A block that a real thread frees twice ends it, and the replay names the second time") {
  const WorkingDirectory here;
  build_plainly(here, "gcc",
                "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n"
                "static void* block;\n"
                "static void* work(void* unused) {\n  free(block);\n  return unused;\n}\n"
                "int main(int argc, char** argv) {\n  pthread_t thread;\n"
                "  block = malloc((size_t)atoi(argv[1]));\n  memset(block, argc, 20);\n"
                "  pthread_create(&thread, 0, work, 0);\n  pthread_join(thread, 0);\n"
                "  free(block);\n  return 0;\n}\n");
  for (const char* const bytes : {"30", "200000"}) {
    CAPTURE(bytes);
    const CommandResult real = here.orrery(fmt::format("record -o run.orr ./app {}", bytes));
    INFO(real.err);
    CHECK(real.status == 1);
    CHECK(has(real.err, "double free"));
    const CommandResult again = here.orrery("replay --seed 4 run.orr");
    INFO(again.err);
    CHECK(again.status == 1);
    CHECK(has(again.err, "freed a second time"));
    CHECK(has(again.err, "app.c:15"));
  }
}

TEST_CASE("Where there is no room for arenas a program is recorded without, and the log says so") {
  const WorkingDirectory here;
  build_plainly(here, "g++", sorting);
  here.write("limited.sh", "#!/bin/sh\nulimit -v 8000000\nexec ./app\n");
  REQUIRE(here.shell("chmod +x limited.sh").status == 0);
  const CommandResult real = here.orrery("record -o run.orr ./limited.sh");
  INFO(real.err);
  CHECK(real.status == 0);
  CHECK(has(real.err, "not addresses enough"));
}

// Containers may forbid the system call personality.
bool may_fix_addresses() {
  return std::system("setarch -R true 2>/dev/null") == 0;
}

TEST_CASE("A plain program's code and variables lie where they lay on the real cores") {
  if (!may_fix_addresses()) return;
  const WorkingDirectory here;
  build_plainly(here, "g++",
                "#include <cstdio>\n#include <thread>\nstatic int data = 5;\n"
                "static int zero[10];\nint main() {\n  std::thread([] {\n"
                "    std::printf(\"%p %p %p\\n\", (void*)&data, (void*)zero, (void*)&main);\n"
                "  }).join();\n}\n");
  const std::string real = recorded(here, "");
  CHECK(replayed(here) == real);
}

TEST_CASE("A program that hashes addresses of code and variables does so again in its replay") {
  if (!may_fix_addresses()) return;
  const WorkingDirectory here;
  here.write("app.cpp",
             "#include <cstdio>\n#include <mutex>\n#include <thread>\n"
             "#include <unordered_set>\n#include <vector>\n"
             "static int many[200];\nstatic void one() {}\nstatic void other() {}\n"
             "std::mutex lock;\nstd::unordered_set<const void*> all;\n"
             "int main() {\n  std::vector<std::thread> threads;\n"
             "  for (int i = 0; i < 3; ++i) threads.emplace_back([i] {\n"
             "    for (int j = 0; j < 20; ++j) {\n"
             "      const std::lock_guard<std::mutex> held(lock);\n"
             "      all.insert(&many[i * 37 + j]);\n      all.insert(new int(j));\n    }\n"
             "    const std::lock_guard<std::mutex> held(lock);\n"
             "    all.insert((const void*)&one);\n    all.insert((const void*)&other);\n"
             "  });\n  for (auto& thread : threads) thread.join();\n"
             "  for (const void* place : all) std::printf(\"%p\\n\", place);\n}\n");
  for (const char* const build : {"", "-fuse-ld=gold ", "-O2 -fuse-ld=lld "}) {
    CAPTURE(build);
    const std::string command = fmt::format("c++ -g {}-pthread app.cpp -o app", build);
    // Not each machine has each linker.
    if (here.orrery(command).status != 0) continue;
    for (const char* const method : {"lamport-order", "leap", "stride", "global-writes"}) {
      CAPTURE(method);
      const std::string real =
          recorded(here, fmt::format("--method {} --inject-delays=50us", method));
      CHECK(replayed(here) == real);
    }
  }
}

TEST_CASE("Large blocks lie where they lay when a thread's arena is full, and the others, too") {
  const WorkingDirectory here;
  build_plainly(here, "g++",
                "#include <cstdio>\n#include <cstdlib>\n#include <thread>\n"
                "int main() {\n  std::thread([] {\n"
                "    for (int i = 0; i < 4; ++i) {\n"
                "      char* large = static_cast<char*>(std::malloc(400u << 20u));\n"
                "      if (large == nullptr) return;\n      large[5] = 'x';\n"
                "      large = static_cast<char*>(std::realloc(large, 401u << 20u));\n"
                "      std::printf(\"%c %p %p\\n\", large[5], large, std::malloc(10));\n    }\n"
                "  }).join();\n}\n");
  const std::string real = recorded(here, "");
  CHECK(replayed(here) == real);
}

namespace {

// The first 63 threads besides `main`'s have a gibibyte, others a sixteenth of that.  What others
// have freed lies in whose memory it was.
const std::string fills_its_part = R"(
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex lock;
static int* slots[16];
static void work(int me) {
  for (int i = 0; i < BLOCKS; ++i) {
    int* const block = static_cast<int*>(std::malloc((me + 4) << 20));
    block[0] = me;
    block[i * 100] += i;
    int* old;
    {
      std::lock_guard<std::mutex> held(lock);
      old = slots[(me * 7 + i) % 16];
      slots[(me * 7 + i) % 16] = block;
    }
    if (FREES && i % 3 == 0) std::free(old);
    int* const small = static_cast<int*>(std::calloc(10, 4));
    if (i % 5 != 0) std::free(small);
    std::lock_guard<std::mutex> held(lock);
    std::printf("%d %p %p\n", me, static_cast<void*>(block), static_cast<void*>(small));
  }
}
int main() {
  for (int i = 0; i < 64; ++i) std::thread([] {}).join();
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; ++i) threads.emplace_back(work, i);
  for (std::thread& one : threads) one.join();
}
)";

}  // namespace

TEST_CASE("A thread gets more memory of its own when that is full, and does so again") {
  const WorkingDirectory here;
  build_plainly(here, "g++", fills_its_part, "-DFREES=1 -DBLOCKS=50 -DTHREADS=3");
  for (const char* const method : {"lamport-order", "instant-replay"}) {
    CAPTURE(method);
    const std::string written = recorded(here, fmt::format("--method {}", method));
    CHECK(replayed(here) == written);
  }
  orrery::test::build_hooked(here, fills_its_part, "-O2 -DFREES=1 -DBLOCKS=19 -DTHREADS=2");
  const std::string written = recorded(here, "--method stride");
  CHECK(replayed(here) == written);
  // In simulation a large block that another thread frees is told as accesses, a word each.
  orrery::test::build_hooked(here, fills_its_part, "-O2 -DFREES=0 -DBLOCKS=18 -DTHREADS=1");
  const std::string simulated = orrery::test::run_recorded(here, "stride", 3).out;
  CHECK(replayed(here) == simulated);
}

#endif
