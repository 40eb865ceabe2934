// `orrery record --method stride`, `leap` and `global-writes`: what real threads do to memory, and
// what cannot be recorded.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "plain_program.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::build_plainly;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::lets_time_pass;
using orrery::test::outputs_of_replays;
using orrery::test::WorkingDirectory;

const std::string counting =
    "#include <cstdio>\n#include <pthread.h>\n#include <thread>\n#include <vector>\n"
    "volatile int counter = 0;\npthread_barrier_t start;\n"
    "int main() {\n  pthread_barrier_init(&start, nullptr, 3);\n  std::vector<std::thread> all;\n"
    "  for (int i = 0; i < 3; ++i) {\n    all.emplace_back([] {\n"
    "      pthread_barrier_wait(&start);\n"
    "      for (int j = 0; j < 2000; ++j) counter = counter + 1;\n    });\n  }\n"
    "  for (auto& one : all) one.join();\n  std::printf(\"%d\\n\", counter);\n}\n";

// Which of both threads have seen nothing of the other: a store buffer would let them.
const std::string store_buffers =
    "#include <cstdio>\n#include <thread>\n" + lets_time_pass +
    "volatile int x, y; int seen_x, seen_y; volatile bool is_ready[2];\n"
    "static void meet(int me) {\n  is_ready[me] = true;\n"
    "  for (int i = 0; !is_ready[1 - me]; ++i) let_time_pass(i);\n}\n"
    "int main() {\n  int both = 0, sums = 0;\n"
    "  for (int i = 0; i < 20; ++i) {\n    x = y = 0; is_ready[0] = is_ready[1] = false;\n"
    "    std::thread a([] { meet(0); x = 1; seen_y = y; });\n"
    "    std::thread b([] { meet(1); y = 1; seen_x = x; });\n"
    "    a.join(); b.join();\n    both += seen_x == 0 && seen_y == 0;\n"
    "    sums = sums * 3 % 65537 + seen_x * 2 + seen_y;\n  }\n"
    "  std::printf(\"%d %d\\n\", both, sums);\n}\n";

// The same, each time of words that nobody has come to before: each is its writer's own then.
const std::string own_words =
    "#include <cstdio>\n#include <thread>\n" + lets_time_pass +
    "constexpr int rounds = 200, apart = 1024;\n"
    "volatile long xs[rounds * apart], ys[rounds * apart];\n"
    "volatile int arrived[2]; int seen_x[rounds], seen_y[rounds];\n"
    "static void meet(int me, int round) {\n"
    "  arrived[me] = round;\n  for (int i = 0; arrived[1 - me] < round; ++i) let_time_pass(i);\n}\n"
    "int main() {\n"
    "  std::thread a([] { for (int i = 0; i < rounds; ++i) {\n"
    "    meet(0, i + 1); xs[i * apart] = 1; seen_y[i] = ys[i * apart]; } });\n"
    "  std::thread b([] { for (int i = 0; i < rounds; ++i) {\n"
    "    meet(1, i + 1); ys[i * apart] = 1; seen_x[i] = xs[i * apart]; } });\n"
    "  a.join(); b.join();\n  int both = 0, sums = 0;\n"
    "  for (int i = 0; i < rounds; ++i) {\n    both += seen_x[i] == 0 && seen_y[i] == 0;\n"
    "    sums = (sums * 3 + seen_x[i] * 2 + seen_y[i]) % 65537;\n  }\n"
    "  std::printf(\"%d %d\\n\", both, sums);\n}\n";

// A compiler may load a word behind such a call, as that changes nothing.
const std::string loads_before_strlen =
    "#include <cstdio>\n#include <cstring>\n#include <pthread.h>\n#include <thread>\n"
    "static long words[8]; static char text[16]; static pthread_barrier_t start;\n"
    "static volatile bool is_over;\n"
    "static void count(long me) {\n  pthread_barrier_wait(&start);\n"
    "  for (long i = 0; !is_over; ++i) words[(i + me) % 8] += i;\n}\n"
    "int main() {\n  pthread_barrier_init(&start, nullptr, 4);\n"
    "  std::thread a(count, 0), b(count, 1), c(count, 2);\n"
    "  long sum = 0;\n  pthread_barrier_wait(&start);\n"
    "  for (long i = 0; i < 60; ++i) sum += words[i % 8] + long(std::strlen(text + i % 2));\n"
    "  is_over = true;\n  a.join(); b.join(); c.join();\n  std::printf(\"%ld\\n\", sum);\n}\n";

// The flag is somebody's own word until another one looks; who looks again and again must let its
// writer in.
const std::string spinning =
    "#include <cstdio>\n#include <thread>\nstatic volatile bool is_set;\n"
    "static volatile int late[3];\n"
    "static void spin(int me) {\n"
    "  for (long looks = 0; !is_set; ++looks) {\n"
    "    if (looks > 200'000'000) { late[me] = 1; return; }\n  }\n}\n"
    "int main() {\n  std::thread a(spin, 0), b(spin, 1), c(spin, 2);\n  is_set = true;\n"
    "  a.join(); b.join(); c.join();\n"
    "  std::printf(\"%d late\\n\", late[0] + late[1] + late[2]);\n}\n";

}  // namespace

TEST_CASE("Who writes what other real threads spin on gets in") {
  const WorkingDirectory here;
  build_hooked(here, spinning);
  for (int seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const CommandResult real = here.orrery(fmt::format(
        "record --quiet --method stride --inject-delays=50us --seed {} -o run.orr ./app", seed));
    REQUIRE(real.out == "0 late\n");
  }
}

TEST_CASE("Updates that real threads lose are lost again") {
  const WorkingDirectory here;
  build_hooked(here, counting);
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    CAPTURE(method);
    bool has_lost = false;
    for (int seed = 0; seed < 30 && !has_lost; ++seed) {
      const CommandResult real =
          here.orrery(fmt::format("record --quiet --method {} --inject-delays=100us --seed {} -o "
                                  "run.orr ./app",
                                  method, seed));
      REQUIRE(real.status == 0);
      has_lost = real.out != "6000\n";
      CHECK(outputs_of_replays(here) == real.out + "no finding");
    }
    CHECK(has_lost);
  }
}

TEST_CASE(
    "A run that is recorded with its memory is sequentially consistent, and so is its replay") {
  const WorkingDirectory here;
  for (const std::string* const source : {&store_buffers, &own_words}) {
    build_hooked(here, *source);
    for (const char* const method : {"leap", "stride", "global-writes"}) {
      CAPTURE(*source, method);
      const CommandResult real =
          here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
      INFO(real.err);
      REQUIRE(real.status == 0);
      CHECK(real.out.substr(0, 2) == "0 ");
      CHECK(outputs_of_replays(here) == real.out + "no finding");
    }
  }
}

TEST_CASE("Each detector names the race that killed a real program, and its twin has none") {
  const WorkingDirectory here;
  const std::string source = ORRERY_SOURCE_DIR "/scenarios/programs/races/evict.cpp";
  const auto build_evict = [&](const char* flags) {
    build_by_orrery(here, fmt::format("c++ -std=c++17 -O2 -g -pthread {}", flags), source);
  };
  build_evict("-DBUG");
  int status = 0;
  for (int seed = 1; seed <= 50 && status == 0; ++seed) {
    status =
        here.orrery(fmt::format("record --quiet --method stride --inject-delays=50us --seed {} "
                                "-o run.orr ./app",
                                seed))
            .status;
  }
  REQUIRE(status == 1);
  for (const char* const detector :
       {"fasttrack", "recplay", "eraser", "hybrid", "sync-preserving"}) {
    CAPTURE(detector);
    const CommandResult found =
        here.orrery(fmt::format("replay --seed 3 --window 20us --detect {} run.orr", detector));
    CHECK(found.status == 1);
    CHECK_THAT(found.err, Catch::Contains("at address 0x0"));
    CHECK_THAT(found.err, Catch::Contains("evict.cpp:32 in evict"));
    CHECK_THAT(found.err,
               Catch::Contains("two accesses to size") || Catch::Contains("every access to size"));
    CHECK_THAT(found.err, Catch::Contains("evict.cpp:25 in evict"));
    CHECK_THAT(found.err, Catch::Contains("holds no lock"));
  }
  build_evict("");
  REQUIRE(
      here.orrery("record --quiet --method stride --inject-delays=50us -o run.orr ./app").status ==
      0);
  for (const char* const detector : {"fasttrack", "recplay", "sync-preserving"}) {
    CAPTURE(detector);
    CHECK(here.orrery(fmt::format("replay --detect {} run.orr", detector)).status == 0);
  }
}

TEST_CASE("A word that is loaded where a function is called that only reads is loaded before it") {
  const WorkingDirectory here;
  build_hooked(here, loads_before_strlen, "-O1");
  for (int seed = 0; seed < 15; ++seed) {
    const CommandResult real = here.orrery(
        fmt::format("record --method leap --inject-delays=50us --seed {} -o run.orr ./app", seed));
    CAPTURE(seed, real.err);
    REQUIRE(real.status == 0);
    CHECK(here.orrery("replay run.orr").out == real.out);
  }
}

TEST_CASE("More threads than a word has bits for, memory of their own, and stacks used again") {
  const WorkingDirectory here;
  build_hooked(
      here,
      "#include <cstdio>\n#include <thread>\n#include <vector>\n"
      "thread_local long own = 1;\nlong common[3];\n"
      "static void work(long i, long* result) {\n  long mine[4] = {i, i, i, i};\n"
      "  for (int j = 0; j < 30; ++j) {\n"
      "    own += common[j % 3]; common[(i + j) % 3] += own + mine[j % 4]; ++mine[i % 4];\n  }\n"
      "  *result += own;\n}\n"
      "int main() {\n  long results[100] = {};\n"
      "  for (int round = 0; round < 2; ++round) {\n    std::vector<std::thread> all;\n"
      "    for (int i = 0; i < 90; ++i) all.emplace_back(work, i, &results[i % 50]);\n"
      "    for (auto& one : all) one.join();\n  }\n"
      "  unsigned long sum = 0;\n  for (long one : results) sum = sum * 31 + one;\n"
      "  std::printf(\"%lu\\n\", sum);\n}\n");
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

TEST_CASE("Threads that share a bit with others are waited for behind their own writes, too") {
  const WorkingDirectory here;
  build_hooked(
      here,
      "#include <cstdio>\n#include <thread>\n#include <vector>\n"
      "volatile long words[4];\nstatic long seen[70];\n"
      "static void work(long me) {\n  for (long i = 0; i < 500; ++i) {\n"
      "    seen[me] = seen[me] * 31 + words[i % 4];\n    words[(i + me) % 4] = me * 10000 + i;\n"
      "    for (int again = 0; again < 2; ++again)\n"
      "      seen[me] = seen[me] * 31 + words[(i + me) % 4];\n  }\n}\n"
      "int main() {\n  std::vector<std::thread> all;\n"
      "  for (long i = 0; i < 70; ++i) all.emplace_back(work, i);\n"
      "  for (auto& one : all) one.join();\n"
      "  long sum = 0;\n  for (const long one : seen) sum = sum * 1000003 + one;\n"
      "  std::printf(\"%ld\\n\", sum);\n}\n");
  for (const char* const method : {"stride", "global-writes"}) {
    CAPTURE(method);
    for (int round = 0; round < 2; ++round) {
      const CommandResult real =
          here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
      INFO(real.err);
      REQUIRE(real.status == 0);
      CHECK(outputs_of_replays(here) == real.out + "no finding");
    }
  }
}

// Two write words now and then that both read thousands of times in between.
TEST_CASE("Words that are read often between writes are read as they were") {
  const WorkingDirectory here;
  build_hooked(here,
               "#include <cstdio>\n#include <thread>\n"
               "volatile long words[1500];\nstatic long seen[2];\n"
               "static void work(long me) {\n  for (long i = 0; i < 40; ++i) {\n"
               "    words[(i * 577 + me) % 1500] = me * 1000 + i;\n"
               "    for (long j = 0; j < 9000; ++j) seen[me] = seen[me] * 31 + words[j % 1500];\n"
               "  }\n}\n"
               "int main() {\n  std::thread a(work, 0), b(work, 1);\n  a.join(); b.join();\n"
               "  std::printf(\"%ld %ld\\n\", seen[0], seen[1]);\n}\n");
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

// Blocks that are freed and handed out again, by whom it is, and words that many write in turn.
const std::string passing =
    "#include <cstdio>\n#include <mutex>\n#include <thread>\n#include <vector>\n"
    "struct Sheet { long at[4000]; };\nstatic std::mutex lock;\n"
    "static void work(int me, Sheet* common, long* result) {\n  long sum = 0;\n"
    "  for (int round = 0; round < 6; ++round) {\n    Sheet* own = new Sheet{};\n"
    "    for (int i = 0; i < 4000; ++i) {\n"
    "      const int place = (i * (me == 0 ? 1 : 1711)) % 4000;\n"
    "      own->at[place] = common->at[place];\n"
    "      if (i % 500 == 0) common->at[place] = common->at[place] + own->at[3999] + me;\n    }\n"
    "    std::lock_guard<std::mutex> held(lock);\n    sum = sum * 31 + own->at[17 * round];\n"
    "    if (round % 2 == 0) delete own; else common->at[round] += own->at[0];\n  }\n"
    "  *result = sum;\n}\n"
    "int main() {\n  Sheet* common = new Sheet{};\n  long results[2] = {};\n"
    "  for (int i = 0; i < 4000; ++i) common->at[i] = i;\n"
    "  std::thread a(work, 0, common, &results[0]), b(work, 1, common, &results[1]);\n"
    "  a.join(); b.join();\n  std::printf(\"%ld %ld\\n\", results[0], results[1]);\n}\n";

TEST_CASE("Words of the heap are known by where they lie, and take hardly any room in a log") {
  const WorkingDirectory here;
  build_hooked(here, passing);
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --json --method {} -o run.orr ./app", method));
    INFO(real.err);
    REQUIRE(real.status == 0);
    const nlohmann::json told = nlohmann::json::parse(real.out);
    CHECK(told["stats"]["accesses"].get<int>() > 90000);
    // 4,000 words that both come to in orders of their own.
    CHECK(told["stats"]["shared_variables"].get<int>() >= 4000);
    CHECK(told["stats"]["log_bytes"].get<int>() < 4000);
    CHECK(outputs_of_replays(here) == told["output"].get<std::string>() + "no finding");
  }
}

TEST_CASE("A program finds the handles of its threads that it had on real cores") {
  const WorkingDirectory here;
  build_hooked(
      here,
      "#include <cstdio>\n#include <functional>\n#include <pthread.h>\n#include <thread>\n"
      "#include <vector>\n"
      "int main() {\n  const std::hash<std::thread::id> hash;\n"
      "  std::printf(\"%zu\\n\", hash(std::this_thread::get_id()));\n"
      "  std::vector<std::size_t> own(3), inner(3);\n  std::vector<std::thread> all;\n"
      "  for (int i = 0; i < 3; ++i) all.emplace_back([&, i] {\n"
      "    own[i] = hash(std::this_thread::get_id());\n"
      "    pthread_setname_np(pthread_self(), \"worker\");\n"
      "    std::thread([&] { inner[i] = hash(std::this_thread::get_id()); }).join();\n  });\n"
      "  for (auto& one : all) std::printf(\"%zu\\n\", hash(one.get_id()));\n"
      "  for (auto& one : all) one.join();\n"
      "  for (int i = 0; i < 3; ++i) std::printf(\"%zu %zu\\n\", own[i], inner[i]);\n}\n");
  for (const char* const method : {"lamport-order", "leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    REQUIRE(real.status == 0);
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

TEST_CASE("A thread that sleeps or computes behind an access keeps nobody waiting") {
  const WorkingDirectory here;
  build_hooked(
      here,
      "#include <chrono>\n#include <cmath>\n#include <cstdio>\n#include <thread>\n"
      "#include <unistd.h>\nvolatile int number; volatile double root;\n"
      "int main() {\n  using clock = std::chrono::steady_clock;\n  clock::time_point end;\n"
      "  int go[2], ready[2];\n  if (pipe(go) != 0 || pipe(ready) != 0) return 3;\n"
      "  std::thread other([&] {\n    char mark;\n    number = number + 1;\n"
      "    if (read(go[0], &mark, 1) != 1) return;\n"
      "    if (write(ready[1], &mark, 1) != 1) return;\n"
      "    number = number + 100;\n    double value = 2;\n"
      "    for (int i = 0; i < 40000000; ++i) value = std::sqrt(value) + 1;\n"
      "    root = value;\n    end = clock::now();\n  });\n"
      "  char mark = 'x';\n  usleep(20000);\n  number = number + 10;\n"
      "  if (write(go[1], &mark, 1) != 1 || read(ready[0], &mark, 1) != 1) return 3;\n"
      "  usleep(20000);\n  number = number + 1000;\n  const auto begin = clock::now();\n"
      "  other.join();\n  std::printf(\"%d %d\\n\", number, begin < end);\n}\n");
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    REQUIRE(real.status == 0);
    CHECK(real.out == "1111 1\n");
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

TEST_CASE("A thread that accesses a word and sleeps, in turn, leaves it to others") {
  const WorkingDirectory here;
  build_hooked(here, R"(
#include <cstdio>
#include <semaphore.h>
#include <thread>
#include <unistd.h>
static volatile int counts[2];
static sem_t go;
int main() {
  sem_init(&go, 0, 0);
  std::thread sleeping([] {
    while (counts[1] < 20) { usleep(20); counts[0] = counts[0] + 1; }
  });
  std::thread counting([] {
    for (int i = 0; i < 20; ++i) { sem_wait(&go); counts[1] = counts[1] + 1; }
  });
  for (int i = 0; i < 20; ++i) { usleep(30); sem_post(&go); }
  sleeping.join(); counting.join();
  std::printf("%d %d\n", counts[0] < 5000, counts[1]);
}
)");
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    for (int run = 0; run < 3; ++run) {
      CAPTURE(method, run);
      const CommandResult real =
          here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
      REQUIRE(real.status == 0);
      CHECK(real.out == "1 20\n");
    }
    CHECK(outputs_of_replays(here) == "1 20\nno finding");
  }
}

TEST_CASE("What libraries call back has its variables elsewhere in a replay") {
  const WorkingDirectory here;
  build_hooked(
      here,
      "#include <cstdio>\n#include <future>\n#include <mutex>\n#include <thread>\n"
      "#include <vector>\n"
      "int main() {\n  std::vector<std::promise<long>> promises(8);\n"
      "\n  std::once_flag once;\n  long shared = 0;\n"
      "  std::vector<std::thread> all;\n  std::mutex lock;\n"
      "  for (int i = 0; i < 4; ++i) all.emplace_back([&, i] {\n"
      "    std::call_once(once, [&] { volatile long own[3] = {1, 2, 3};\n"
      "      for (int j = 0; j < 3; ++j) own[j] = own[j] * 7; shared = own[2]; });\n"
      "    for (int j = 0; j < 2; ++j) {\n      const std::lock_guard held(lock);\n"
      "      shared = shared * 5 + i;\n      promises[2 * i + j].set_value(shared);\n    }\n"
      "  });\n  long sum = 0;\n"
      "  for (auto& one : promises) sum = sum * 31 + one.get_future().get();\n"
      "  for (auto& one : all) one.join();\n  std::printf(\"%ld %ld\\n\", sum, shared);\n}\n");
  for (const char* const method : {"leap", "stride", "global-writes"}) {
    CAPTURE(method);
    const CommandResult real =
        here.orrery(fmt::format("record --quiet --method {} -o run.orr ./app", method));
    REQUIRE(real.status == 0);
    CHECK(outputs_of_replays(here) == real.out + "no finding");
  }
}

TEST_CASE("What cannot be recorded with its memory is said, with what to do") {
  const WorkingDirectory here;
  build_plainly(here, "gcc", "int main(void) { return 0; }\n");
  const CommandResult plain = here.orrery("record --method stride -o run.orr ./app");
  CHECK(plain.status == 2);
  CHECK_THAT(plain.err, Catch::Contains("its accesses to memory are not seen"));
  CHECK_THAT(plain.err, Catch::Contains("build it with orrery cc"));
  const CommandResult other = here.orrery("record --method choices -o run.orr ./app");
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Catch::Contains("for simulated runs"));
  CHECK(here.shell("ls -d run.orr*").status != 0);
}
