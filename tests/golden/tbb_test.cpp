// Parallel algorithms of the standard library, which Threading Building Blocks run, and these by
// themselves: the libraries are those of the system.
#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "command_runner.hpp"

namespace {

using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

void build(const WorkingDirectory& here, const std::string& source, const std::string& flags = {}) {
  here.write("app.cpp", source);
  build_by_orrery(here, "c++ -O2 -g -std=c++17 -pthread " + flags, "app.cpp", "-ltbb");
}

const std::string algorithms = R"(#include <algorithm>
#include <atomic>
#include <cstdio>
#include <execution>
#include <numeric>
#include <thread>
#include <vector>
long seen;
__attribute__((noinline)) void count() {
  ++seen;  // unlocked
}
int main() {
  std::vector<int> numbers(600);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto par = std::execution::par;
  std::for_each(par, numbers.begin(), numbers.end(), [](int& one) {
    one = one * 7919 % 1009;
#ifdef BUG
    count();
#endif
  });
  std::sort(par, numbers.begin(), numbers.end());
  const long sum = std::reduce(par, numbers.begin(), numbers.end(), 0L);
  std::vector<int> more(numbers.size());
  std::transform(par, numbers.begin(), numbers.end(), more.begin(), [](int one) { return one + 1; });
  const bool is_sorted = std::is_sorted(numbers.begin(), numbers.end());
  std::printf("%ld %d %d\n", sum, is_sorted, more.back());
  return std::thread::hardware_concurrency() > 1 ? 0 : 1;
})";

TEST_CASE("Parallel algorithms of the standard library give their answers under many schedules") {
  const WorkingDirectory here;
  build(here, algorithms);
  const CommandResult native = here.shell("./app > native.txt");
  REQUIRE(native.status == 0);
  const CommandResult explored = here.orrery("explore --runs 20 --expect-output native.txt ./app");
  INFO(explored.out << explored.err);
  CHECK(explored.status == 0);
  for (const std::string seed : {"1", "2", "3"}) {
    const CommandResult watched =
        here.orrery("run --detect fasttrack --seed " + seed + " --expect-output native.txt ./app");
    INFO(watched.err);
    CHECK(watched.status == 0);
  }
  REQUIRE(here.orrery("run --seed 5 --record app.orr ./app").status == 0);
  CHECK(here.orrery("replay app.orr").status == 0);
}

TEST_CASE("A race in a parallel algorithm's function is found, with its line") {
  const WorkingDirectory here;
  build(here, algorithms, "-DBUG");
  const CommandResult race = here.orrery("run --detect fasttrack ./app");
  CHECK(race.status == 1);
  const auto line =
      std::count(algorithms.begin(),
                 algorithms.begin() + static_cast<std::ptrdiff_t>(algorithms.find("// unlocked")),
                 '\n') +
      1;
  CHECK(has(race.err, "app.cpp:" + std::to_string(line)));
}

TEST_CASE(
    "Loops, reductions and groups of tasks of TBB are no races, and what races in them is one") {
  const std::string source = R"(#include <atomic>
#include <cstdio>
#include <string>
#include <vector>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
using Range = tbb::blocked_range<int>;
int main() {
  std::vector<int> squares(300);
  tbb::parallel_for(0, 300, [&](int i) { squares[i] = i * i; });
  const long sum = tbb::parallel_reduce(
      Range(0, 300), 0L,
      [&](const Range& part, long before) {
        for (int i = part.begin(); i < part.end(); ++i) before += squares[i];
        return before;
      },
      [](long one, long other) { return one + other; });
  std::string first, second;
  int both = 0;
  tbb::task_group group;
  group.run([&] { first = "a text of the first task"; });
  group.run([&] {
    second = "a text of the second task";
#ifdef BUG
    second += first;
#endif
  });
  group.wait();
  both = static_cast<int>(first.size() + second.size());
  tbb::enumerable_thread_specific<int> counts(0);
  tbb::task_arena arena(3);
  arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { ++counts.local(); }); });
  std::printf("%ld %d %d\n", sum, both > 40, counts.combine([](int a, int b) { return a + b; }));
})";
  for (const bool is_buggy : {false, true}) {
    CAPTURE(is_buggy);
    const WorkingDirectory here;
    build(here, source, is_buggy ? "-DBUG" : "");
    const CommandResult watched =
        here.orrery("explore --runs 20 --no-shrink --detect fasttrack ./app");
    INFO(watched.out << watched.err);
    CHECK(watched.status == (is_buggy ? 1 : 0));
    if (is_buggy) continue;
    CHECK(here.orrery("run ./app").out == "8955050 1 100\n");
  }
}

}  // namespace
