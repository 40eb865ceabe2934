#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace {

struct Item {
  Item* next;
  long value;
  char name[24];
};
struct Statistics {
  long count;
  double sum;
  char last[24];
};

std::atomic<Item*> top{nullptr};
long pushes = 0;  // these race
long pops = 0;
Statistics statistics{};

void push(long value) {
  auto* const item = new Item{nullptr, value, ""};
  std::snprintf(item->name, sizeof item->name, "item-%ld", value);
  item->next = top.load();
  while (!top.compare_exchange_weak(item->next, item)) {
  }
  ++pushes;
}

Item* pop() {
  Item* item = top.load();
  while (item != nullptr && !top.compare_exchange_weak(item, item->next)) {
  }
  if (item != nullptr) ++pops;
  return item;
}

unsigned long work(int me) {
  std::set<Item*> taken;  // in the order of addresses
  auto sum = static_cast<unsigned long>(me);
  for (int i = 0; i < 60; ++i) {
    if ((i * 7 + me) % 3 != 0) {
      push(me * 1000 + i);
      continue;
    }
    Item* const item = pop();
    if (item == nullptr) continue;
    taken.insert(item);
    sum = sum * 31 + static_cast<unsigned long>(item->value);
    statistics = {statistics.count + 1, statistics.sum + static_cast<double>(item->value), ""};
    std::strcpy(statistics.last, item->name);
  }
  for (const Item* item : taken) sum = sum * 33 + static_cast<unsigned long>(item->value);
  return sum ^ static_cast<unsigned long>(statistics.count);
}

}  // namespace

int main() {
  unsigned long sums[3] = {};
  std::vector<std::thread> threads;
  for (int me = 0; me < 3; ++me) threads.emplace_back([me, &sums] { sums[me] = work(me); });
  for (std::thread& thread : threads) thread.join();
  std::printf("%lx %lx %lx %ld %ld %ld %.1f %s\n", sums[0], sums[1], sums[2], pushes, pops,
              statistics.count, statistics.sum, statistics.last);
}
