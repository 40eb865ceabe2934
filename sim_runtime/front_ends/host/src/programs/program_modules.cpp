#include "program_modules.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <dlfcn.h>
#include <link.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/taken_process.hpp>

#include "module_owners.hpp"

namespace orrery::host {

namespace {

bool is_cxx_library(const char* path) {
  return std::strstr(path, "libstdc++.so") != nullptr;
}

/// An address in it.
std::uintptr_t code_of(const dl_phdr_info& module) {
  return reinterpret_cast<std::uintptr_t>(module.dlpi_phdr);
}

}  // namespace

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

bool ProgramModules::came_with_program(const dl_phdr_info& module) const {
  return !is_cxx_library(module.dlpi_name) && are_programs(code_of(module));
}

bool ProgramModules::came_with_program(std::uintptr_t address) const {
  Dl_info module;
  const int found = dladdr(reinterpret_cast<const void*>(address), &module);
  return found != 0 && !is_cxx_library(module.dli_fname) && are_programs(address);
}

void ProgramModules::note_own() {
  if (count_ > 0) return;
  std::optional<ModuleOwners> owners;
  if (taken_process() != nullptr) owners.emplace();
  struct Walk {
    ProgramModules& self;
    const std::optional<ModuleOwners>& owners;
  } walk{*this, owners};
  const auto visit = [](dl_phdr_info* module, std::size_t, void* argument) {
    const Walk& into = *static_cast<Walk*>(argument);
    if (is_cxx_library(module->dlpi_name)) return 0;
    if (into.owners && !into.owners->is_hosts(code_of(*module))) return 0;
    Range range{UINTPTR_MAX, 0};
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
      range.begin = std::min(range.begin, begin);
      range.end = std::max(range.end, begin + segment.p_memsz);
    }
    if (range.begin < range.end) into.self.add(range);
    return 0;
  };
  dl_iterate_phdr(visit, &walk);
}

}  // namespace orrery::host
