// Threads that read and write common memory in random ways, most of it without a lock: each keeps a
// sum of all that it has read, so that a replay in which one read gets something else is noticed.
//
//     main SEED THREADS OPERATIONS
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Random {
  std::uint64_t state;
  std::uint64_t below(std::uint64_t limit) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % limit;
  }
};

struct Node {
  explicit Node(std::uint64_t number) : value(number) {}
  Node(const Node&) = default;
  virtual ~Node() = default;
  [[nodiscard]] virtual std::uint64_t weight() const { return value; }
  std::uint64_t value;
};
struct HeavyNode final : Node {
  using Node::Node;
  [[nodiscard]] std::uint64_t weight() const override { return value * 3 + extra[1]; }
  std::array<std::uint64_t, 3> extra{1, 2, 3};
};

struct Common {
  std::array<std::uint64_t, 4> words{};
  std::array<std::uint8_t, 24> bytes{};
  std::array<char, 40> text{};
  std::uint32_t halves[3] = {};
  long double wide = 0;
  std::atomic<std::uint32_t> counter{0};
  std::atomic<std::uint64_t> flag{0};
  std::mutex mutex;
  std::vector<std::unique_ptr<Node>> nodes;  // by the mutex
  std::string name = "a name that is too long to be kept within";
};

Common common;
thread_local std::uint64_t own_count = 0;

class Worker {
 public:
  Worker(Random random, std::uint64_t* others, std::uint64_t count)
      : random_(random), others_(others), count_(count) {}

  std::uint64_t work(std::uint64_t operations) {
    for (std::uint64_t i = 0; i < operations; ++i) add(step());
    return sum_ + own_count;
  }

 private:
  void add(std::uint64_t value) {
    sum_ = (sum_ ^ value) * 0x100000001b3U;
    ++own_count;
  }

  std::uint64_t step() {
    const std::uint64_t place = random_.below(4);
    switch (random_.below(14)) {
      case 0: return common.words[place];
      case 1: return common.words[place] = sum_;
      case 2: return ++common.words[place];
      case 3: return common.bytes[random_.below(24)];
      case 4: return common.bytes[random_.below(24)] += static_cast<std::uint8_t>(sum_);
      case 5: return ++common.halves[random_.below(3)];
      case 6: return copy();
      case 7: return others_[random_.below(count_)] += sum_ % 1000;
      case 8: return common.counter.fetch_add(3);
      case 9: return common.flag.exchange(sum_);
      case 10: return use_nodes();
      case 11: return use_name();
      case 12: return random_.below(2) == 0 ? common.flag.load() : common.counter.load();
      default: return static_cast<std::uint64_t>(common.wide = common.wide + 1);
    }
  }

  std::uint64_t copy() {
    std::array<char, 40> mine{};
    const std::size_t from = random_.below(16);
    std::memcpy(mine.data(), common.text.data() + from, 20);
    for (char& letter : mine) add(static_cast<std::uint64_t>(++letter));
    if (random_.below(2) == 0) std::memcpy(common.text.data() + random_.below(12), mine.data(), 20);
    return static_cast<std::uint64_t>(mine[3]);
  }

  std::uint64_t use_nodes() {
    const std::lock_guard held(common.mutex);
    auto& nodes = common.nodes;
    if (nodes.size() < 5 || random_.below(2) == 0) {
      if (random_.below(2) == 0) {
        nodes.push_back(std::make_unique<Node>(sum_));
      } else {
        nodes.push_back(std::make_unique<HeavyNode>(sum_));
      }
    } else {
      nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(random_.below(nodes.size())));
    }
    std::uint64_t weight = 0;
    for (const auto& node : nodes) weight = weight * 31 + node->weight();
    return weight;
  }

  std::uint64_t use_name() {
    const std::lock_guard held(common.mutex);
    common.name += static_cast<char>('a' + random_.below(26));
    if (common.name.size() > 80) common.name.erase(0, 40);
    std::string copied = common.name;
    return copied[copied.size() / 2] + copied.find('e');
  }

  Random random_;
  std::uint64_t* others_;  // on the first thread's stack
  std::uint64_t count_;
  std::uint64_t sum_ = 14695981039346656037U;
};

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const auto number = [&](int i) { return std::strtoull(words[i], nullptr, 10); };
  const std::uint64_t threads = number(2);
  std::array<std::uint64_t, 8> others{};
  std::vector<std::uint64_t> sums(threads);
  std::vector<std::thread> all;
  for (std::uint64_t i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      Worker worker({number(1) * 1000 + i}, others.data(), others.size());
      sums[i] = worker.work(number(3));
      // Another thread gets the stack of this one.
      std::thread([&, i] { sums[i] += Worker({i}, others.data(), 2).work(20); }).join();
    });
  }
  std::uint64_t first = Worker({number(1)}, others.data(), others.size()).work(number(3));
  for (std::thread& one : all) one.join();
  for (const std::uint64_t sum : sums)
    std::printf("%016llx\n", static_cast<unsigned long long>(sum));
  std::printf("%016llx %u %zu\n", static_cast<unsigned long long>(first), common.counter.load(),
              common.nodes.size());
}
