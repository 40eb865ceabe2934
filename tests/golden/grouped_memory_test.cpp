// `--method stride:group=WAY`: words that share one order of writes and one version, on real cores
// and in simulation.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"
#include "recorded_programs.hpp"

namespace {

using orrery::test::build_hooked;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::outputs_of_replays;
using orrery::test::WorkingDirectory;

constexpr const char* ways[] = {"block:8", "block:64", "block:4096", "site", "allocation"};

/// What `orrery record` tells of it; the replays are the same run.
nlohmann::json recorded_and_replayed(const WorkingDirectory& here, const std::string& method,
                                     const std::string& arguments = "", int seed = 1) {
  const CommandResult real = here.orrery(
      fmt::format("record --json --method {} --inject-delays=50us --seed {} -o run.orr ./app {}",
                  method, seed, arguments));
  INFO(method << "\n" << real.err);
  REQUIRE(real.status == 0);
  nlohmann::json told = nlohmann::json::parse(real.out);
  CHECK(outputs_of_replays(here) == told["output"].get<std::string>() + "no finding");
  return told;
}

// Counters side by side, in the program and in blocks of memory, whose updates get lost; each
// thread has one that is next to theirs.
const std::string counting =
    "#include <cstdio>\n#include <pthread.h>\n#include <thread>\n#include <vector>\n"
    "struct Pair { volatile long one, other; volatile int low, high; };\n"
    "volatile long counters[4]; long own[3]; pthread_barrier_t start;\n"
    "int main() {\n  pthread_barrier_init(&start, nullptr, 3);\n  std::vector<std::thread> all;\n"
    "  std::vector<Pair*> pairs;\n"
    "  for (int i = 0; i < 4; ++i) pairs.push_back(new Pair{});\n"
    "  for (int i = 0; i < 3; ++i) {\n    all.emplace_back([i, &pairs] {\n"
    "      pthread_barrier_wait(&start);\n"
    "      for (int j = 0; j < 1000; ++j) {\n"
    "        counters[j % 4] = counters[j % 4] + 1;\n        own[i] += counters[(j + 1) % 4];\n"
    "        Pair& pair = *pairs[j % 4];\n        pair.one = pair.one + pair.other + 1;\n"
    "        pair.other = i; pair.low = pair.high + 1; pair.high = pair.low ^ i;\n      }\n"
    "    });\n  }\n"
    "  for (auto& one : all) one.join();\n  long sum = 0;\n  long lost = 12000;\n"
    "  for (long one : own) sum = sum * 31 + one;\n"
    "  for (auto* one : pairs) sum = sum * 31 + one->one * 7 + one->low + one->high;\n"
    "  for (int i = 0; i < 4; ++i) lost -= 4 * counters[i];\n"
    "  std::printf(\"%d %ld\\n\", lost > 0, sum);\n}\n";

// Ranges of words that lie in several groups: copies to and fro, words that are side by side and
// blocks that are handed out again at other places in the program.
const std::string copying =
    "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <thread>\n"
    "struct Point { long x, y, z; };\nstruct Grid { Point at[60]; };\n"
    "Grid global; Grid* common[2];\n"
    "static void work(int me, long* result) {\n  long sum = 0;\n"
    "  for (int round = 0; round < 40; ++round) {\n"
    "    Grid* own = round % 2 ? new Grid{} : static_cast<Grid*>(calloc(1, sizeof(Grid)));\n"
    "    std::memcpy(own, common[me], sizeof *own);\n    own->at[round].x += me + round;\n"
    "    std::memmove(&common[1 - me]->at[1], &common[me]->at[0], 20 * sizeof(Point));\n"
    "    std::memcpy(&global.at[10], &own->at[5], 30 * sizeof(Point));\n"
    "    std::memcpy(&common[me]->at[round % 50], &global.at[(round * 7 + me) % 50],\n"
    "                10 * sizeof(Point));\n"
    "    const Point* other = &common[1 - me]->at[(round + 3) % 60];\n"
    "    sum = sum * 31 + other->x + 3 * other->y + 5 * other->z + own->at[7].y;\n"
    "    Point* mine = &common[me]->at[(round + 9) % 60];\n"
    "    mine->x = sum; mine->y = round; mine->z = me;\n"
    "    if (round % 2) delete own; else free(own);\n    long* extra = new long[30];\n"
    "    std::memcpy(extra, common[me], 30 * sizeof(long));\n    sum += extra[round % 30];\n"
    "    common[1 - me]->at[2].y = extra[3];\n    delete[] extra;\n  }\n  *result = sum;\n}\n"
    "int main() {\n  long results[2] = {};\n"
    "  for (int i = 0; i < 2; ++i) {\n    common[i] = new Grid{};\n"
    "    for (long j = 0; j < 60; ++j) {\n      Point& point = common[i]->at[j];\n"
    "      point.x = i; point.y = j; point.z = i + j;\n    }\n  }\n"
    "  std::thread a(work, 0, &results[0]), b(work, 1, &results[1]);\n"
    "  a.join(); b.join();\n  std::printf(\"%ld %ld\\n\", results[0], results[1]);\n}\n";

}  // namespace

TEST_CASE("Updates that real threads lose are lost again, whatever words share a version") {
  const WorkingDirectory here;
  build_hooked(here, counting);
  for (const char* const way : ways) {
    CAPTURE(way);
    bool has_lost = false;
    for (int seed = 0; seed < 30 && !has_lost; ++seed) {
      const auto told = recorded_and_replayed(here, fmt::format("stride:group={}", way), "", seed);
      has_lost = told["output"].get<std::string>().starts_with("1 ");
    }
    CHECK(has_lost);
  }
}

TEST_CASE("Copies of many words that lie in several groups are replayed word by word") {
  const WorkingDirectory here;
  for (const char* const flags : {"-O2", "-O3 -march=native", "-O0"}) {
    build_hooked(here, copying + "// " + flags, flags);
    for (const char* const way : ways) {
      CAPTURE(flags, way);
      recorded_and_replayed(here, fmt::format("stride:group={}", way));
    }
  }
}

TEST_CASE("Threads that copy to and fro do not wait for each other for ever") {
  const WorkingDirectory here;
  build_hooked(
      here,
      "#include <cstdio>\n#include <cstring>\n#include <thread>\n"
      "struct Row { long at[60]; };\nRow a, b;\n"
      "static void work(bool is_back) {\n  for (int i = 0; i < 1000; ++i) {\n"
      "    if (is_back) std::memcpy(&a, &b, sizeof a); else std::memcpy(&b, &a, sizeof b);\n"
      "    a.at[i % 60] += is_back;\n  }\n}\n"
      "int main() {\n  std::thread to(work, false), fro(work, true);\n  to.join(); fro.join();\n"
      "  long sum = 0;\n  for (long one : a.at) sum = sum * 31 + one;\n"
      "  std::printf(\"%ld\\n\", sum);\n}\n");
  for (const char* const method :
       {"leap", "global-writes", "stride", "stride:group=block:64", "stride:group=site"}) {
    CAPTURE(method);
    recorded_and_replayed(here, method);
  }
}

TEST_CASE("Kernels are replayed from logs with groups") {
  const WorkingDirectory here;
  struct Kernel {
    const char* name;
    const char* arguments;
  };
  for (const Kernel& kernel : {Kernel{"radix", "2000 2 8"}, Kernel{"cache", "20 2 3"}}) {
    CAPTURE(kernel.name);
    const CommandResult built = here.shell(
        fmt::format("CC='{0} cc' CXX='{0} c++' {1}/scenarios/programs/threads/build.sh {2} app",
                    ORRERY_BINARY, ORRERY_SOURCE_DIR, kernel.name));
    INFO(built.err);
    REQUIRE(built.status == 0);
    for (const char* const way : {"block:64", "site", "allocation"}) {
      CAPTURE(way);
      recorded_and_replayed(here, fmt::format("stride:group={}", way), kernel.arguments);
    }
  }
}

TEST_CASE("One thread after the other at a range of words costs one turn and one bound") {
  const WorkingDirectory here;
  build_hooked(
      here,
      "#include <condition_variable>\n#include <cstdio>\n#include <mutex>\n#include <thread>\n"
      "long* table; long next = 1; std::mutex lock; std::condition_variable changed;\n"
      "static void work(long me) {\n  for (int round = 0; round < 20; ++round) {\n"
      "    std::unique_lock held(lock);\n"
      "    changed.wait(held, [me] { return next == me; });\n"
      "    for (int i = 0; i < 1024; ++i) table[i] = table[(i * 5 + 1) % 1024] + me;\n"
      "    next = 3 - me;\n    changed.notify_one();\n  }\n}\n"
      "int main() {\n  table = new long[1024]{};\n  std::thread a(work, 1), b(work, 2);\n"
      "  a.join(); b.join();\n  long sum = 0;\n"
      "  for (int i = 0; i < 1024; ++i) sum = sum * 31 + table[i];\n"
      "  std::printf(\"%ld\\n\", sum);\n}\n");
  const auto turns = [&](const char* method) {
    return recorded_and_replayed(here, method)["stats"]["turns"].get<double>();
  };
  const double by_word = turns("stride");
  CHECK(turns("stride:group=block:4096") < by_word / 50);
  CHECK(turns("stride:group=site") < by_word / 25);
}

TEST_CASE("Groups go with a list of what is protected, and with more threads than have bits") {
  const WorkingDirectory here;
  build_hooked(
      here,
      "#include <cstdio>\n#include <mutex>\n#include <thread>\n#include <vector>\n"
      "struct Both { volatile long counted, free; }; Both both; std::mutex lock;\n"
      "static void work(long me) {\n  for (int j = 0; j < 20; ++j) {\n    {\n"
      "      const std::lock_guard held(lock);\n      both.counted = both.counted + 1;\n    }\n"
      "    both.free = both.free * 3 + me;\n  }\n}\n"
      "int main() {\n  std::vector<std::thread> all;\n"
      "  for (int i = 0; i < 70; ++i) all.emplace_back(work, i);\n"
      "  for (auto& one : all) one.join();\n"
      "  std::printf(\"%ld %ld\\n\", both.counted, both.free);\n}\n");
  REQUIRE(here.orrery("run --quiet --seed 3 --window 50us --profile-locks list ./app").status == 0);
  for (const char* const way : ways) {
    CAPTURE(way);
    recorded_and_replayed(here, fmt::format("stride:group={}", way));
    recorded_and_replayed(here, fmt::format("stride:group={},protected=list", way));
  }
}

TEST_CASE("Runs in simulation are recorded by the same groups") {
  const WorkingDirectory here;
  build_hooked(here, copying);
  for (const char* const way : ways) {
    CAPTURE(way);
    const CommandResult run = here.orrery(
        fmt::format("run --quiet --preempt all --window 20us --seed 5 --record run.orr --method "
                    "stride:group={} ./app",
                    way));
    INFO(run.err);
    REQUIRE(run.status == 0);
    CHECK(outputs_of_replays(here) == run.out + "no finding");
  }
}

TEST_CASE("Groups that there are not are one clear error, and nothing is recorded") {
  const WorkingDirectory here;
  build_hooked(here, "int main() { return 0; }\n");
  for (const char* const command : {"record -o", "run --preempt all --record"}) {
    for (const char* const way : {"", "classes", "block", "block:", "block:12", "block:4",
                                  "block:8,64", "block:2097152", "site:3", "allocation:malloc"}) {
      CAPTURE(command, way);
      const CommandResult refused =
          here.orrery(fmt::format("{} run.orr --method stride:group={} ./app", command, way));
      INFO(refused.err);
      CHECK(refused.status == 2);
      CHECK(has(refused.err, "hint: "));
      CHECK(here.shell("ls -d run.orr*").status != 0);
    }
  }
  const CommandResult refused =
      here.orrery("record -o run.orr --method stride:group=variables ./app");
  CHECK(has(refused.err, "'variables' is no way to group variables"));
  CHECK(has(refused.err, "variable, site, allocation, or block:BYTES"));
}
