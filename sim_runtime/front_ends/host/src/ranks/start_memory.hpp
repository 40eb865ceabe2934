// What a process finds when it begins: its arguments, its environment, and some chance.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include <orrery/sim_runtime/memory_range.hpp>

namespace orrery::host {

/// On real cores that lies on the first thread's stack, above all frames; here, wherever it does.
/// So nobody comes to it first, or in an order: who reads it reads what was there from the start.
class StartMemory {
 public:
  /// The bytes of chance that the system gives to a process; see `getauxval` (AT_RANDOM).
  using Chance = std::array<unsigned char, 16>;
  [[nodiscard]] Chance& chance() { return chance_; }

  void begin(char** arguments, char** environment) {
    ranges_.clear();
    add(arguments);
    add(environment);
    add(chance_.data(), chance_.size());
    std::ranges::sort(ranges_, {}, &MemoryRange::begin);
  }
  [[nodiscard]] bool has(std::uintptr_t address) const {
    const auto behind = std::ranges::upper_bound(ranges_, address, {}, &MemoryRange::begin);
    return behind != ranges_.begin() && address < std::prev(behind)->end;
  }

 private:
  void add(char** texts) {
    char** last = texts;
    for (; *last != nullptr; ++last) add(*last, std::strlen(*last) + 1);
    add(texts, static_cast<std::size_t>(last + 1 - texts) * sizeof *texts);
  }
  void add(const void* place, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(place);
    ranges_.push_back({begin, begin + bytes});
  }

  Chance chance_{};
  std::vector<MemoryRange> ranges_;
};

}  // namespace orrery::host
