// Where a file lies that the loader has loaded.
#pragma once

#include <algorithm>
#include <cstdint>

#include <link.h>

namespace orrery::on_hardware {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
  [[nodiscard]] bool has(std::uint64_t address) const { return address - begin < bytes; }
  [[nodiscard]] bool has(const void* place) const {
    return has(reinterpret_cast<std::uintptr_t>(place));
  }
};

/// From the first of its segments that have these flags (`PF_X`; 0: of all) to the end of the last.
[[nodiscard]] inline ByteRange loaded_range(const dl_phdr_info& file, std::uint32_t flags = 0) {
  std::uint64_t begin = UINT64_MAX;
  std::uint64_t end = 0;
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const auto& segment = file.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & flags) != flags) continue;
    begin = std::min<std::uint64_t>(begin, file.dlpi_addr + segment.p_vaddr);
    end = std::max<std::uint64_t>(end, file.dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  return end == 0 ? ByteRange{} : ByteRange{begin, end - begin};
}

/// What a loader needs of it; null: nothing.
[[nodiscard]] inline const ElfW(Dyn) * dynamic_section(const dl_phdr_info& file) {
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const auto& segment = file.dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    return reinterpret_cast<const ElfW(Dyn)*>(file.dlpi_addr + segment.p_vaddr);
  }
  return nullptr;
}

}  // namespace orrery::on_hardware
