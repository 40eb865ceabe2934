// What is told of a data race, what is left out, and that each is told once.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command_runner.hpp"

namespace {

using nlohmann::json;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

/// `counter` is raced for by all runs but those in which the lock happens to come between.
const std::string racy = R"(#include <cstdio>
#include <mutex>
#include <thread>
int counter;
std::mutex m;
struct Box { int a, b; };
Box* box;
void add() { counter++; }
void worker() {
  { std::lock_guard<std::mutex> held(m); add(); }
  box->b++;
}
void other() {
  add();
  std::lock_guard<std::mutex> held(m);
  box->b++;
}
int main() {
  box = new Box{};
  std::thread a(worker), b(other);
  a.join();
  b.join();
  std::printf("%d %d\n", counter, box->b);
}
)";

void build(const WorkingDirectory& here, const std::string& source, const std::string& flags = {}) {
  here.write("app.cpp", source);
  const CommandResult built =
      here.shell("'" ORRERY_BINARY "' c++ -std=c++17 -O1 -g -pthread app.cpp -o app " + flags);
  INFO(built.err);
  REQUIRE(built.status == 0);
}

/// `12-20`: the two lines, the lower one first.
std::string lines_of(const json& finding) {
  const int one = finding["where"][0]["line"];
  const int other = finding["where"][1]["line"];
  return std::to_string(std::min(one, other)) + "-" + std::to_string(std::max(one, other));
}

}  // namespace

TEST_CASE("A race is told with stacks, locks, memory, the last synchronisation and both orders") {
  const WorkingDirectory here;
  build(here, racy);
  const CommandResult told = here.orrery("explore --detect fasttrack -o race.orr ./app");
  INFO(told.out << told.err);
  REQUIRE(told.status == 1);
  CHECK(has(told.out, "data_race: nothing orders two accesses to counter (4 bytes)\n"));
  CHECK(has(told.out,
            "    at app.cpp:8 in add\n"
            "         8 | void add() { counter++; }\n"
            "    called from app.cpp:14 in other\n"
            "    holds no lock\n"));
  CHECK(has(told.out,
            "    called from app.cpp:10 in worker\n"
            "    holds mutex m (since app.cpp:10)\n"));
  CHECK(has(told.out, "of the block that main allocated at app.cpp:19 in main\n"));
  CHECK(has(told.out, "  the last synchronisation between them: other#1 locked mutex m"));
  CHECK(has(told.out, "  in the other order the run has main write \"1 2\" instead of \"2 2\""));
  CHECK(has(told.out, "  confirmed: "));
  CHECK(has(told.out, "replay it: orrery replay race.orr"));
  const json report = json::parse(here.orrery("replay --json race.orr").out);
  const json race = report["findings"][0];
  CHECK(race["confirmed"] == true);
  CHECK(race["notes"].size() == 2);
  CHECK(race["where"][0]["locks"].empty());
  CHECK(race["where"][1]["locks"][0]["lock"] == "mutex m");
  CHECK(race["where"][1]["locks"][0]["line"] == 10);
  CHECK(race["where"][1]["stack"][1]["function"] == "worker");
}

TEST_CASE("A race that a lock hides in this run is predicted, and shown by another one") {
  const WorkingDirectory here;
  build(here, racy);
  CHECK(here.orrery("run --detect fasttrack ./app").status == 0);
  CHECK(here.orrery("run --detect recplay ./app").status == 0);
  const CommandResult told = here.orrery("run --detect sync-preserving --record run.orr ./app");
  INFO(told.err);
  CHECK(told.status == 1);
  CHECK(has(told.err, "data_race (other order): two accesses to counter (4 bytes) can happen"));
  CHECK(has(told.err, "in this run worker#1 came after other#1: worker#1 locked mutex m"));
  CHECK(has(told.err, "confirmed: "));
  const CommandResult again = here.orrery("replay run.orr");
  CHECK(again.status == 1);
  CHECK(has(again.err, "data_race (other order)"));
}

TEST_CASE("A crash that only the other order brings is told") {
  const WorkingDirectory here;
  build(here, R"(#include <pthread.h>
#include <unistd.h>
int number = 1;
int* pointer;
static void* set(void*) { pointer = &number; return nullptr; }
int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, set, nullptr);
  usleep(10);
  int value = *pointer;
  pthread_join(thread, nullptr);
  return value - 1;
}
)");
  const CommandResult told = here.orrery("run --detect fasttrack ./app");
  INFO(told.err);
  CHECK(told.status == 1);
  CHECK(has(told.err, "in the other order the run dies: crash: the program died of SIGSEGV"));
  CHECK(has(told.err, "confirmed: "));
}

TEST_CASE("A race with who frees memory, or moves it, is confirmed: tasks are held there, too") {
  const WorkingDirectory here;
  build(here, R"(#include <cstdlib>
#include <thread>
#include <unistd.h>
static long* counts = static_cast<long*>(std::calloc(8000, sizeof(long)));
int main(int argc, char** argv) {
  const bool is_first = argc > 1 && argv[1][0] == 'f';
  const bool is_mended = argc > 2;
  std::thread user([=] {
    usleep(is_first ? 20 : 10);
    ++counts[7000];
  });
  if (is_mended) user.join();
  std::thread owner([=] {
    usleep(is_first ? 10 : 20);
#ifdef MOVES
    counts = static_cast<long*>(std::realloc(counts, 16000 * sizeof(long)));
#else
    std::free(counts);
#endif
  });
  owner.join();
  if (!is_mended) user.join();
}
)",
        GENERATE("", "-DMOVES"));
  for (const char* const detector : {"fasttrack", "recplay"}) {
    for (const char* const first : {"first", "second"}) {
      CAPTURE(detector, first);
      const std::string run = fmt::format("run --json --detect {} ./app {}", detector, first);
      const CommandResult told = here.orrery(run);
      CHECK(told.status == 1);
      const json report = json::parse(told.out);
      INFO(report.dump());
      CHECK(report["findings"][0]["confirmed"] == true);
      CHECK(here.orrery(run + " mended").status == 0);
    }
  }
}

TEST_CASE("Races of a run that dies are confirmed, and what the other order does is known") {
  const WorkingDirectory here;
  const CommandResult built =
      here.shell("'" ORRERY_BINARY "' c++ -O1 -g -pthread -DBUG -o app '" ORRERY_SOURCE_DIR
                 "/scenarios/programs/races/evict.cpp'");
  INFO(built.err);
  REQUIRE(built.status == 0);
  int deaths = 0;
  for (const char* const preempt : {"shared", "all"}) {
    for (int seed = 1; seed <= 6; ++seed) {
      const CommandResult told = here.orrery(
          fmt::format("run --json --preempt {} --seed {} --detect fasttrack ./app", preempt, seed));
      INFO(preempt << " " << seed << told.out << told.err);
      REQUIRE(told.status == 1);
      const json report = json::parse(told.out);
      for (const json& finding : report["findings"]) {
        if (finding["kind"] == "crash") ++deaths;
        if (finding["kind"] != "data_race") continue;
        CHECK(finding["confirmed"] == true);
        for (const json& note : finding["notes"]) {
          CHECK_FALSE(has(note.get<std::string>(), "is not known"));
        }
      }
    }
  }
  CHECK(deaths > 6);
}

TEST_CASE("Suppressed races are counted and not told; a list that does not parse is refused") {
  const WorkingDirectory here;
  build(here, racy);
  here.write("all", "# known\nrace:^add$\nrace:box\nrace_top:^other$\ndeadlock:add\n");
  const CommandResult none = here.orrery("run --detect hybrid --suppressions all ./app");
  INFO(none.err);
  CHECK(none.status == 0);
  const std::string without_effect = "all: line 5: deadlock:add is of no effect";
  CHECK(has(none.err, without_effect));
  CHECK(none.err.find(without_effect) == none.err.rfind(without_effect));  // once
  CHECK(has(none.err, "2 races are not told of: 1 by race:^add$, 1 by race_top:^other$"));
  here.write("some", "race:^worker$\n");  // on the stack of both
  CHECK(here.orrery("run --detect hybrid --suppressions some ./app").status == 0);
  here.write("variable", "race:^counter$\n");
  const CommandResult rest = here.orrery("run --detect hybrid --suppressions variable ./app");
  INFO(rest.err);
  CHECK(rest.status == 1);
  CHECK_FALSE(has(rest.err, "counter (4 bytes)"));
  const CommandResult search =
      here.orrery("explore --detect fasttrack --runs 20 --suppressions all ./app");
  INFO(search.out);
  CHECK(search.status == 0);
  const std::string told =
      "data_race (suppressed): 28 races are not told of: 14 by race:^add$, 14 by race_top:^other$";
  CHECK(has(search.out, told));
  CHECK(search.err.find(without_effect) == search.err.rfind(without_effect));
  CHECK(has(search.err, without_effect));
  CHECK(
      has(here.orrery("explore --jobs 2 --detect fasttrack --runs 20 --suppressions all ./app").out,
          told));

  here.write("bad", "race:add\nrase:add\n");
  const CommandResult bad = here.orrery("run --detect hybrid --suppressions bad ./app");
  CHECK(bad.status == 2);
  CHECK(has(bad.err, "bad:2: there is no kind of suppression 'rase'"));
  CHECK(here.orrery("run --suppressions all ./app").status == 2);
  CHECK(here.orrery("run --detect hybrid --suppressions missing ./app").status == 2);
}

TEST_CASE("A search that goes on tells each race once, however many workers do it") {
  const WorkingDirectory here;
  build(here, racy);
  const std::string search =
      "explore --json --keep-going --runs 60 --no-shrink --detect fasttrack -o all.orr ";
  const CommandResult one = here.orrery(search + "--jobs 1 ./app");
  const CommandResult several = here.orrery(search + "--jobs 3 ./app");
  INFO(one.out << one.err);
  REQUIRE(one.status == 1);
  CHECK(one.out == several.out);
  const json report = json::parse(one.out);
  std::set<std::string> lines;
  for (const json& finding : report["findings"]) {
    CHECK(lines.insert(lines_of(finding)).second);
  }
  CHECK(lines == std::set<std::string>{"8-8", "11-16"});
}

namespace {

/// A program of scenarios/programs/threads, and the lines of its planted race, where it has one.
struct Kernel {
  const char* name;
  const char* file;
  int line;
};
constexpr std::array<Kernel, 9> kernels{{{"lu", "factor.c", 73},
                                         {"fft", "plan.c", 43},
                                         {"nbody", "space.cpp", 96},
                                         {"ocean", "solver.c", 27},
                                         {"radix", nullptr, 0},
                                         {"steal", nullptr, 0},
                                         {"pool", nullptr, 0},
                                         {"cache", nullptr, 0},
                                         {"bank", nullptr, 0}}};
constexpr std::array<const char*, 3> exact_detectors{"fasttrack", "recplay", "sync-preserving"};

void build_kernel(const WorkingDirectory& here, const Kernel& kernel, const std::string& flags) {
  const CommandResult built =
      here.shell("CC='" ORRERY_BINARY " cc' CXX='" ORRERY_BINARY " c++' '" ORRERY_SOURCE_DIR
                 "/scenarios/programs/threads/build.sh' " +
                 std::string(kernel.name) + " app " + flags);
  INFO(built.err);
  REQUIRE(built.status == 0);
}

bool names_line(const json& report, const Kernel& kernel) {
  for (const json& finding : report["findings"]) {
    for (const json& place : finding["where"]) {
      const std::string path = place["file"];
      if (path.ends_with(kernel.file) && place["line"] == kernel.line) return true;
    }
  }
  return false;
}

/// Its lock tells whether the other has written: the two writes are never the next ones together.
const std::string handed_over = R"(#include <mutex>
#include <thread>
int value, is_there;
std::mutex m;
void first() {
  value = 1;
  std::lock_guard<std::mutex> held(m);
  is_there = 1;
}
void second() {
  bool may_write;
  { std::lock_guard<std::mutex> held(m); may_write = is_there == 1; }
  if (may_write) value = 2;
}
int main() {
  std::thread a(first), b(second);
  a.join();
  b.join();
}
)";

TEST_CASE("That a finding is not confirmed stands in the last line, with the status") {
  const WorkingDirectory here;
  build(here, handed_over);
  const CommandResult found = here.orrery("explore --detect hybrid ./app");
  INFO(found.out << found.err);
  REQUIRE(found.status == 1);
  CHECK(found.out.ends_with("\nstatus 1: 1 finding, not confirmed\n"));
  CHECK_FALSE(has(here.orrery("explore lost_update").out, "status 1"));
}

}  // namespace

TEST_CASE("Each exact detector names the planted race of a kernel, and is silent on its twin") {
  for (const Kernel& kernel : kernels) {
    const WorkingDirectory here;
    if (kernel.file != nullptr) build_kernel(here, kernel, "-DBUG");
    for (const char* const detector : exact_detectors) {
      if (kernel.file == nullptr) break;
      CAPTURE(kernel.name, detector);
      const CommandResult found =
          here.orrery("run --json --seed 1 --detect " + std::string(detector) + " ./app");
      INFO(found.out << found.err);
      CHECK(found.status == 1);
      const json report = json::parse(found.out);
      CHECK(names_line(report, kernel));
      for (const json& finding : report["findings"]) CHECK(finding["where"].size() == 2);
    }
    build_kernel(here, kernel, "");
    for (const char* const detector : exact_detectors) {
      CAPTURE(kernel.name, detector);
      const CommandResult clean =
          here.orrery("run --seed 1 --detect " + std::string(detector) + " ./app");
      INFO(clean.err);
      CHECK(clean.status == 0);
    }
  }
}

TEST_CASE("Who was joined is named, where that is not the other of the race") {
  const WorkingDirectory here;
  build(here, R"(#include <atomic>
#include <mutex>
#include <thread>
std::mutex m;
std::atomic<bool> is_done;
int data;
void other() {
  { std::lock_guard<std::mutex> held(m); }
  is_done.store(true, std::memory_order_relaxed);
  data = 1;
}
void worker() {
  while (!is_done.load(std::memory_order_relaxed)) std::this_thread::yield();
  std::lock_guard<std::mutex> held(m);
}
int main() {
  std::thread a(other), b(worker);
  b.join();
  data = 2;
  a.join();
}
)");
  const CommandResult found = here.orrery("run --detect fasttrack ./app");
  INFO(found.err);
  CHECK(found.status == 1);
  CHECK(
      has(found.err, "the last synchronisation between them: main joined worker#1 at app.cpp:18"));
}

TEST_CASE("Fences order what relaxed atomics hand on") {
  const WorkingDirectory here;
  build(here, R"(#include <atomic>
#include <thread>
int data;
std::atomic<int> flag;
int main(int argc, char**) {
  std::thread writer([&] {
    data = 1;
    if (argc == 1) std::atomic_thread_fence(std::memory_order_release);
    flag.store(1, std::memory_order_relaxed);
  });
  while (flag.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  std::atomic_thread_fence(std::memory_order_acquire);
  const int seen = data;
  writer.join();
  return seen != 1;
}
)");
  for (const char* const detector : {"fasttrack", "recplay", "hybrid", "sync-preserving"}) {
    CAPTURE(detector);
    const std::string detect = "run --quiet --detect " + std::string(detector);
    CHECK(here.orrery(detect + " ./app").status == 0);
    CHECK(here.orrery(detect + " ./app without").status == 1);
  }
}

TEST_CASE("What a relaxed write hands on is a race of every exact detector") {
  const WorkingDirectory here;
  build(here, R"(#include <atomic>
#include <thread>
int data;
std::atomic<int> ready;
int main(int argc, char**) {
  const auto order = argc == 1 ? std::memory_order_relaxed : std::memory_order_release;
  std::thread writer([&] { data = 42; ready.store(1, order); });
  while (ready.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  const int seen = data;
  writer.join();
  return seen != 42;
}
)");
  for (const char* const detector : {"fasttrack", "recplay", "hybrid", "sync-preserving"}) {
    CAPTURE(detector);
    const std::string detect = "run --detect " + std::string(detector);
    const CommandResult told = here.orrery(detect + " ./app");
    INFO(told.err);
    CHECK(told.status == 1);
    CHECK(has(told.err, "two accesses to data (4 bytes)"));
    CHECK(here.orrery(detect + " ./app released").status == 0);
  }
}

TEST_CASE("Blocks that are used anew have no past, of whatever detector") {
  const WorkingDirectory here;
  build_by_orrery(here, "c++ -std=c++17 -O2 -g -pthread",
                  ORRERY_SOURCE_DIR "/tests/programs/everyday/sessions.cpp");
  for (const char* const detector : {"fasttrack", "recplay", "hybrid", "sync-preserving"}) {
    CAPTURE(detector);
    const CommandResult clean = here.orrery("run --detect " + std::string(detector) + " ./app 20");
    INFO(clean.out << clean.err);
    CHECK(clean.status == 0);
  }
}

TEST_CASE("recplay holds no segments for a thread that only waits for others to end") {
  const WorkingDirectory here;
  build(here, R"(#include <pthread.h>
#include <thread>
pthread_barrier_t barrier;
int sums[2][16];
void work(int me) {
  for (int round = 0; round < 400; ++round) {
    sums[me][0] += round;
    pthread_barrier_wait(&barrier);
  }
}
int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  return sums[0][0] != sums[1][0];
}
)");
  const auto counted = [&](const std::string& options) {
    const CommandResult run =
        here.orrery("run --json --stats --detect recplay" + options + " ./app");
    INFO(run.out << run.err);
    CHECK(run.status == 0);
    return json::parse(run.out)["stats"]["detection"];
  };
  const json dropped = counted(":series=held.csv");
  CHECK(dropped["segments"] >= 800);
  CHECK(dropped["segments_held_max"] <= 8);
  CHECK(here.read("held.csv").starts_with("segments,held,needed,bytes\n0,0,0,0\n"));
  const json kept = counted(":matrix_clocks=no");
  CHECK(kept["segments"] == dropped["segments"]);
  CHECK(kept["segments_held_max"] == kept["segments"]);
  const CommandResult refused = here.orrery("run --detect recplay:series=no/such/dir ./app");
  INFO(refused.err);
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "no/such/dir"));
}
