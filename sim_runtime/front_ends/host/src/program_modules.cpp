#include "program_modules.hpp"

#include <algorithm>
#include <cstring>

#include <link.h>

#include <orrery/network_model/usage_error.hpp>

namespace orrery::host {

constinit ProgramModules program_modules;

bool ProgramModules::is_own(std::uintptr_t address) const {
  const auto* const after = std::upper_bound(
      ranges_.begin(), ranges_.begin() + count_, address,
      [](std::uintptr_t value, const Range& range) { return value < range.begin; });
  return after != ranges_.begin() && address < (after - 1)->end;
}

void ProgramModules::add(Range range) {
  detail::ensure(count_ < ranges_max, "there is room for all libraries of the command",
                 static_cast<long long>(count_));
  auto* const place =
      std::find_if(ranges_.begin(), ranges_.begin() + count_,
                   [&range](const Range& other) { return other.begin > range.begin; });
  std::move_backward(place, ranges_.begin() + count_, ranges_.begin() + count_ + 1);
  *place = range;
  ++count_;
  hull_ = {ranges_[0].begin, ranges_[count_ - 1].end};
}

void ProgramModules::take_all() {
  ranges_[0] = {0, UINTPTR_MAX};
  count_ = 1;
  hull_ = ranges_[0];
}

void ProgramModules::note_own() {
  if (count_ > 0) return;
  const auto visit = [](dl_phdr_info* module, std::size_t, void* self) {
    if (std::strstr(module->dlpi_name, "libstdc++.so") != nullptr) return 0;
    Range range{UINTPTR_MAX, 0};
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
      range.begin = std::min(range.begin, begin);
      range.end = std::max(range.end, begin + segment.p_memsz);
    }
    if (range.begin < range.end) static_cast<ProgramModules*>(self)->add(range);
    return 0;
  };
  dl_iterate_phdr(visit, this);
}

}  // namespace orrery::host
