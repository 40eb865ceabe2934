// Threads that look at blocks of memory which others have freed meanwhile, and which are handed out
// again: each keeps a sum of all that it has read there, and of where its own blocks lie.
//
//     main SEED THREADS OPERATIONS
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using Word = std::uint64_t;

struct Random {
  Word state;
  Word below(Word limit) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % limit;
  }
};

constexpr Word slots = 6;
constexpr std::size_t words_min = 6;
std::array<std::atomic<Word*>, slots> common;

class Worker {
 public:
  explicit Worker(Word seed) : random_{seed} {}

  Word work(Word operations) {
    for (Word i = 0; i < operations; ++i) step();
    return sum_;
  }

 private:
  void add(Word value) { sum_ = (sum_ ^ value) * 0x100000001b3U; }

  void step() {
    switch (random_.below(8)) {
      case 0: return renew();
      case 1: return grow();
      case 2: known_[random_.below(known_.size())] = common[random_.below(slots)].load(); return;
      default: return look();
    }
  }

  /// Maybe somebody else has freed it long ago.
  void look() {
    const Word* const block = known_[random_.below(known_.size())];
    if (block == nullptr) return;
    if (random_.below(6) == 0) {
      std::array<Word, words_min> copied{};
      std::memcpy(copied.data(), block, sizeof copied);
      for (const Word word : copied) add(word);
      return;
    }
    add(block[random_.below(words_min)]);
  }

  void renew() {
    Word* const block = made();
    add(reinterpret_cast<Word>(block));
    std::free(common[random_.below(slots)].exchange(block));
  }

  /// It is nobody's meanwhile, but others may know it.
  void grow() {
    auto& slot = common[random_.below(slots)];
    auto* const block = static_cast<Word*>(
        std::realloc(slot.exchange(nullptr), (words_min + random_.below(60)) * sizeof(Word)));
    add(reinterpret_cast<Word>(block));
    std::free(slot.exchange(block));
  }

  Word* made() {
    const Word bytes = sizeof(Word) * (words_min + random_.below(3));
    void* block = nullptr;
    switch (random_.below(9)) {
      case 0: return static_cast<Word*>(std::calloc(1, bytes));
      case 1: block = std::aligned_alloc(64, 128); break;
      case 2:
        if (posix_memalign(&block, 32, bytes) != 0) std::abort();
        break;
      case 3: block = new Word[words_min + 2]; break;
      case 4:
        return reinterpret_cast<Word*>(
            strdup("a text of more than fifty bytes, with its end"
                   " included"));
      case 5: return line();
      case 6: block = random_.below(3) == 0 ? std::malloc(80'000) : std::malloc(bytes); break;
      default: block = std::malloc(bytes);
    }
    auto* const words = static_cast<Word*>(block);
    for (std::size_t i = 0; i < words_min; ++i) {
      if (random_.below(4) != 0) words[i] = sum_ + i;
    }
    return words;
  }

  /// What the C library has allocated.
  Word* line() {
    char text[] = "another text of more than fifty bytes, in one line\n";
    std::FILE* const file = fmemopen(text, sizeof text - 1, "r");
    char* got = nullptr;
    std::size_t bytes = 0;
    if (file == nullptr || getline(&got, &bytes, file) < 0) std::abort();
    std::fclose(file);
    return reinterpret_cast<Word*>(got);
  }

  Random random_;
  std::array<const Word*, 5> known_{};
  Word sum_ = 14695981039346656037U;
};

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const auto number = [&](int i) { return std::strtoull(words[i], nullptr, 10); };
  std::vector<Word> sums(number(2));
  std::vector<std::thread> all;
  for (Word i = 0; i < sums.size(); ++i) {
    all.emplace_back([&, i] { sums[i] = Worker(number(1) * 1000 + i).work(number(3)); });
  }
  const Word first = Worker(number(1)).work(number(3));
  for (std::thread& one : all) one.join();
  for (const Word sum : sums) std::printf("%016llx\n", static_cast<unsigned long long>(sum));
  std::printf("%016llx\n", static_cast<unsigned long long>(first));
}
