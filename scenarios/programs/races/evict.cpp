// A store of entries from which three threads take the newest.  With -DBUG whether there is one is
// asked before the lock is taken: rarely two threads see the same last entry.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Entry {
  int key;
  Entry* next;
};

Entry* newest = nullptr;
int size = 0;
std::mutex lock;

void insert(int key) {
  const std::lock_guard held(lock);
  newest = new Entry{key, newest};
  ++size;
}

int evict() {
#ifdef BUG
  if (size == 0) return 0;
  const std::lock_guard held(lock);
#else
  const std::lock_guard held(lock);
  if (size == 0) return 0;
#endif
  Entry* const last = newest;
  const int key = last->key;
  newest = last->next;
  --size;
  delete last;
  return key;
}

int main() {
  std::vector<int> sums(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i, &sums] {
      for (int j = 0; j < 400; ++j) {
        insert(i * 1000 + j);
        sums[i] += evict();
        if (j % 3 == 0) sums[i] += evict();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", sums[0] + sums[1] + sums[2]);
}
