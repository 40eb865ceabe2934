#include "program_libraries.hpp"

#include <algorithm>
#include <cstdint>

#include <dlfcn.h>
#include <link.h>

#include "memory/pages.hpp"
#include "program_copy.hpp"
#include "program_modules.hpp"
#include "ranks/next_function.hpp"

namespace orrery::host {
namespace {

void add_writable(const dl_phdr_info& module, MemorySnapshot& snapshot) {
  // What the loader has made unwritable after relocation, in whole pages.
  std::uintptr_t fixed_begin = 0;
  std::uintptr_t fixed_end = 0;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_GNU_RELRO) continue;
    fixed_begin = segment.p_vaddr & ~(page_bytes - 1);
    fixed_end = (segment.p_vaddr + segment.p_memsz) & ~(page_bytes - 1);
  }
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    std::uintptr_t begin = segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    if (begin >= fixed_begin && begin < fixed_end) begin = fixed_end;
    if (begin >= end) continue;
    snapshot.add(reinterpret_cast<std::byte*>(module.dlpi_addr + begin), end - begin,
                 module.dlpi_name);
  }
}

}  // namespace

ProgramLibraries::ProgramLibraries(const std::deque<ProgramCopy>& copies) : copies_(&copies) {
  add_new();
}

void* ProgramLibraries::open(const char* library, int flags) {
  void* const handle = original<&dlopen>("dlopen")(library, flags);
  if (handle != nullptr) add_new();
  return handle;
}

// They are walked in the order in which they were loaded: after one copy's comes the next one's.
bool ProgramLibraries::is_of_copy(const void* place) {
  const std::size_t count = copies_->size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t candidate = (last_copy_ + i) % count;
    if (!(*copies_)[candidate].contains(place)) continue;
    last_copy_ = candidate;
    return true;
  }
  return false;
}

void ProgramLibraries::add_new() {
  const auto visit = [](dl_phdr_info* module, std::size_t, void* argument) {
    auto& self = *static_cast<ProgramLibraries*>(argument);
    const auto place = reinterpret_cast<std::uintptr_t>(module->dlpi_phdr);
    if (std::find(self.known_.begin(), self.known_.end(), place) != self.known_.end()) return 0;
    self.known_.push_back(place);
    if (program_modules.came_with_program(*module) && !self.is_of_copy(module->dlpi_phdr)) {
      add_writable(*module, self.snapshot_);
    }
    return 0;
  };
  dl_iterate_phdr(visit, this);
}

}  // namespace orrery::host
