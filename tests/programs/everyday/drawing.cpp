#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::mt19937 common{7};

unsigned long work(int me) {
  auto sum = static_cast<unsigned long>(me);
  const auto add = [&sum](long one) { sum = sum * 31 + static_cast<unsigned long>(one); };
  for (int i = 0; i < 40; ++i) {
    add(rand() % 100);
    add(random() % 10);
    add(lrand48() % 7);
    add(mrand48() % 5);
    add(drand48() < 0.5 ? 1 : 2);
    {
      const std::lock_guard held(lock);
      add(static_cast<long>(common() % 1000));
    }
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    add(parts.tm_year);
    if (const char* const home = std::getenv("HOME")) add(home[0]);
  }
  return sum;
}

}  // namespace

int main() {
  srand(3);
  unsigned long sums[3] = {};
  std::vector<std::thread> threads;
  for (int me = 0; me < 3; ++me) threads.emplace_back([me, &sums] { sums[me] = work(me); });
  for (std::thread& thread : threads) thread.join();
  std::printf("%lx %lx %lx %d\n", sums[0], sums[1], sums[2], rand());
}
