#include "delays.hpp"

#include <cstdio>
#include <cstdlib>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace orrery::on_hardware {

void Delays::begin(std::uint32_t number) {
  const char* const text = std::getenv("ORRERY_RECORD_DELAYS");
  unsigned long long max_ns = 0;
  unsigned long long seed = 0;
  if (text == nullptr || std::sscanf(text, "%llu:%llu", &max_ns, &seed) != 2) return;
  max_ns_ = max_ns;
  state_ = seed * 0x9e3779b97f4a7c15U + number + 1;
}

void Delays::sleep_now_and_then() {
  constexpr std::uint64_t first = 32;
  constexpr std::uint64_t second = 1024;
  ++operations_;
  sleep(operations_ <= first ? 1 : operations_ <= second ? 4 : 8);
}

void Delays::sleep(unsigned rarity_log2) {
  // SplitMix64.
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t bits = state_;
  bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebU;
  bits ^= bits >> 31U;
  if ((bits & ((std::uint64_t{1} << rarity_log2) - 1)) != 0) return;
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  const std::uint64_t length_ns = (bits >> rarity_log2) % (max_ns_ + 1);
  const timespec length{static_cast<time_t>(length_ns / ns_per_s),
                        static_cast<long>(length_ns % ns_per_s)};
  syscall(SYS_nanosleep, &length, nullptr);  // nobody is cancelled here
}

Delays& delays() {
  static Delays of_process;
  return of_process;
}

}  // namespace orrery::on_hardware
