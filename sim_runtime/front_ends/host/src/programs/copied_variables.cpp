#include "copied_variables.hpp"

#include <algorithm>

#include <dlfcn.h>
#include <link.h>

#include "program_modules.hpp"

namespace orrery::host {
namespace {

/// What the loader reads of a module, where the loader has it.
struct Tables {
  const ElfW(Rela) * relocations = nullptr;
  std::size_t count = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* texts = nullptr;
};

Tables tables_of(const link_map& module) {
  Tables tables;
  for (const ElfW(Dyn)* entry = module.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto place = entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_RELA: tables.relocations = reinterpret_cast<const ElfW(Rela)*>(place); break;
      case DT_RELASZ: tables.count = place / sizeof(ElfW(Rela)); break;
      case DT_SYMTAB: tables.symbols = reinterpret_cast<const ElfW(Sym)*>(place); break;
      case DT_STRTAB: tables.texts = reinterpret_cast<const char*>(place); break;
      default: break;
    }
  }
  return tables;
}

/// Is it the program's alone?  Asked for after our own library: there is the library that has it.
bool is_of_program(const char* name) {
  const void* const original = dlsym(RTLD_NEXT, name);
  return original != nullptr &&
         program_modules.came_with_program(reinterpret_cast<std::uintptr_t>(original));
}

}  // namespace

std::vector<AddressRange> copied_variables(const link_map& executable) {
  std::vector<AddressRange> ranges;
  const Tables tables = tables_of(executable);
  for (std::size_t i = 0; tables.relocations != nullptr && i < tables.count; ++i) {
    const ElfW(Rela)& relocation = tables.relocations[i];
    if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_COPY) continue;
    const ElfW(Sym)& symbol = tables.symbols[ELF64_R_SYM(relocation.r_info)];
    if (is_of_program(tables.texts + symbol.st_name)) continue;
    const std::uintptr_t begin = executable.l_addr + relocation.r_offset;
    ranges.push_back({begin, begin + symbol.st_size});
  }
  std::ranges::sort(ranges, {}, &AddressRange::begin);
  return ranges;
}

}  // namespace orrery::host
