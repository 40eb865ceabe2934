// What the C++ library does to maps, lists and tables behind its headers' back is done by accesses
// that are seen: races are named by the program's line, and what they lead to is replayed.
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "command_runner.hpp"

namespace {

using orrery::test::build_app;
using orrery::test::CommandResult;
using orrery::test::has;
using orrery::test::WorkingDirectory;

// Each container does by chance what a vector does, too; what differs is counted.
const std::string beside_vectors = R"(#include <algorithm>
#include <cstdio>
#include <list>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
std::mt19937 draw(7);
long differences;
template <typename C> void compare(const C& c, const std::vector<typename C::value_type>& v) {
  differences += !std::equal(c.begin(), c.end(), v.begin(), v.end());
  differences += !std::equal(c.rbegin(), c.rend(), v.rbegin(), v.rend());
}
void trees() {
  std::map<int, int> tree;
  std::vector<std::pair<const int, int>> sorted;
  for (int i = 0; i < 6000; ++i) {
    const int key = draw() % 100;
    if (draw() % 2) tree[key] = i; else tree.erase(key);
    if (i % 60 == 0) {
      std::map<int, int> again;
      for (const auto& [k, value] : tree) again.emplace(k, value);
      std::vector<std::pair<const int, int>> in_order;
      for (int k = 0; k < 100; ++k) if (tree.count(k)) in_order.emplace_back(k, tree[k]);
      compare(tree, in_order);
      compare(again, in_order);
    }
  }
  while (!tree.empty()) tree.erase(draw() % 2 ? tree.begin() : std::prev(tree.end()));
}
void lists() {
  std::list<int> list, other;
  std::vector<int> vector;
  for (int i = 0; i < 400; ++i) {
    switch (draw() % 7) {
      case 0: list.push_back(i); vector.push_back(i); break;
      case 1: list.push_front(i); vector.insert(vector.begin(), i); break;
      case 2: if (!list.empty()) { list.pop_back(); vector.pop_back(); } break;
      case 3: list.reverse(); std::reverse(vector.begin(), vector.end()); break;
      case 4: list.sort(); std::sort(vector.begin(), vector.end()); break;
      case 5: other.assign(1, i); other.swap(list); other.swap(list);
              list.splice(list.begin(), other); vector.insert(vector.begin(), i); break;
      case 6: { std::list<int> empty; empty.swap(list); list = std::move(empty); break; }
    }
    compare(list, vector);
  }
}
int main() {
  std::thread idle([] {});
  trees();
  lists();
  std::unordered_map<std::string, int> table;
  for (int i = 0; i < 1000; ++i) table["key " + std::to_string(i % 300)] += i;
  long sum = 0;
  for (const auto& [key, value] : table) sum += value;
  idle.join();
  std::printf("%ld differences, sum %ld, %zu buckets\n", differences, sum, table.bucket_count());
}
)";

// Three threads that use one container without a lock.
const std::string racing = R"(#include <cstdio>
#include <list>
#include <map>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
std::map<int, int> tree;
std::list<int> list;
std::unordered_map<std::string, int> table;
unsigned seen[3];
void use_tree(int i, int k) {
  tree[(k * 7 + i * 3) % 20] = k * 3 + i;
  if (k % 3 == 2) tree.erase((k * 5) % 20);
  int count = 0;
  for (auto& [key, value] : tree) {
    seen[i] = seen[i] * 31 + key + value;
    if (++count > 30) break;
  }
}
void use_list(int i, int k) {
  list.push_back(k * 3 + i);
  if (k % 4 == 3 && !list.empty()) list.pop_front();
  seen[i] = seen[i] * 31 + list.size();
}
void use_table(int i, int k) {
  table["key " + std::to_string((k * 7 + i) % 15)] = k;
  seen[i] = seen[i] * 31 + table.count("key 3");
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i] { for (int k = 0; k < 12; ++k) USE(i, k); });
  }
  for (auto& one : threads) one.join();
  std::printf("%x %x %x\n", seen[0], seen[1], seen[2]);
}
)";

}  // namespace

TEST_CASE("Maps, lists and tables do what they do, watched or not") {
  const WorkingDirectory here;
  for (const char* const standard : {"c++17", "c++20"}) {
    CAPTURE(standard);
    build_app(here, beside_vectors, fmt::format("-O1 -g -w -pthread -std={}", standard), "c++");
    const CommandResult alone = here.shell("./app");
    CHECK(has(alone.out, "0 differences, sum 499500"));
    const CommandResult watched = here.orrery("run --detect fasttrack ./app");
    INFO(watched.err);
    CHECK(watched.status == 0);
    CHECK(watched.out == alone.out);
    const CommandResult step_by_step = here.orrery(
        "run --step-limit 10000000 --preempt all --record all.orr --method stride ./app");
    INFO(step_by_step.err);
    CHECK(step_by_step.status == 0);
    CHECK(step_by_step.out == alone.out);
  }
}

TEST_CASE("Threads that race for a container do again what they did") {
  const WorkingDirectory here;
  for (const char* const use : {"use_tree", "use_list", "use_table"}) {
    build_app(here, racing, fmt::format("-O1 -g -w -pthread -DUSE={}", use), "c++");
    for (const char* const method : {"stride", "leap", "global-writes", "instant-replay"}) {
      for (const int seed : {1, 2, 3}) {
        CAPTURE(use, method, seed);
        const CommandResult recorded = here.orrery(
            fmt::format("run --preempt all --seed {} --wall-limit 20s --record race.orr "
                        "--method {} ./app",
                        seed, method));
        const CommandResult replayed =
            here.orrery(fmt::format("replay --seed {} race.orr", seed + 7));
        INFO(recorded.err << replayed.err);
        CHECK(replayed.status == recorded.status);
        CHECK(replayed.out == recorded.out);
        CHECK_FALSE(has(replayed.err, "divergence"));
      }
    }
  }
}

TEST_CASE("A race within a container is told with the program's line, of both threads") {
  const WorkingDirectory here;
  build_app(
      here,
      "#include <list>\n#include <thread>\nstd::list<int> list(3);\n"
      "__attribute__((noinline)) void reverse() {\n  list.reverse();\n}\n"
      "void turn() {\n  reverse();\n  __asm__ volatile(\"\");\n}\n"
      "int main() {\n  std::thread one(turn), other(turn);\n  one.join();\n  other.join();\n}\n",
      "-O1 -g -pthread", "c++");
  const CommandResult told = here.orrery("run --detect fasttrack ./app");
  INFO(told.err);
  CHECK(told.status == 1);
  CHECK(has(told.err, "at app.c++:5 in reverse"));
  CHECK(has(told.err, "called from app.c++:8 in turn"));
}
