// What a rank computes between two visible operations: counted, or measured.
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <utility>

#include "ranks/rank_context.hpp"

namespace orrery::host {
namespace {

/// Of this thread, in nanoseconds.  Asked for outside a rank, where the clock is the real one.
std::int64_t processor_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
  return time.tv_sec * nanoseconds_per_second + time.tv_nsec;
}

/// Of `nanoseconds`, in picoseconds.
std::uint64_t scaled(std::int64_t nanoseconds, std::uint64_t scale_millionths) {
  if (nanoseconds <= 0) return 0;
  __extension__ using Product = unsigned __int128;
  constexpr Product millionths_of_a_nanosecond_per_picosecond = 1'000;
  return static_cast<std::uint64_t>(static_cast<Product>(nanoseconds) * scale_millionths /
                                    millionths_of_a_nanosecond_per_picosecond);
}

void compute(VirtualDuration duration, std::uintptr_t program_counter) {
  if (duration <= VirtualDuration::zero()) return;
  guarded_runtime().compute(duration.picoseconds(), program_counter);
}

}  // namespace

void ComputingScope::begin() {
  Running& now = running();
  now.blocks = 0;
  if (now.computing.method != ComputingTime::Method::measured) return;
  const RuntimeGuard guard;
  now.processor_time_ns = processor_time_ns();
}

void ComputingScope::charge_ahead(std::uintptr_t program_counter) {
  if (running().computing.method == ComputingTime::Method::none) return;
  charge(program_counter);
  running().is_charged = true;
}

void ComputingScope::charge(std::uintptr_t program_counter) {
  Running& now = running();
  if (now.user == nullptr || std::exchange(now.is_charged, false)) return;
  if (now.computing.method == ComputingTime::Method::cost) {
    const VirtualDuration price = now.computing.block_price;
    return compute(price * static_cast<std::int64_t>(now.blocks), program_counter);
  }
  std::uint64_t measured = 0;
  {
    const RuntimeGuard guard;
    measured = scaled(processor_time_ns() - now.processor_time_ns, now.computing.scale_millionths);
  }
  const std::uint64_t input = guarded_runtime().input(measured);
  constexpr auto most = static_cast<std::uint64_t>(VirtualDuration::max().picoseconds());
  compute(VirtualDuration::from_picoseconds(static_cast<std::int64_t>(std::min(input, most))),
          program_counter);
}

}  // namespace orrery::host

extern "C" void orrery_count_block() {
  ++orrery::host::running().blocks;
}
