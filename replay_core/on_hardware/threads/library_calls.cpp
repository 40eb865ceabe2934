#include "library_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include "loaded_range.hpp"

namespace orrery::on_hardware {
namespace {

constexpr std::uintptr_t page_mask = ~std::uintptr_t{4095};

template <typename T>
const T* pointer_to(ElfW(Addr) address) {
  return reinterpret_cast<const T*>(address);
}

/// What the loader has read of an executable or a library.
struct LoadedFile {
  std::uintptr_t base = 0;
  ByteRange memory;
  ByteRange made_read_only;  ///< when its relocations were done
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hashes = nullptr;  ///< of GNU's kind
  const ElfW(Rela) * relocations = nullptr;
  std::size_t relocations_bytes = 0;
  const ElfW(Rela) * calls = nullptr;
  std::size_t calls_bytes = 0;

  explicit LoadedFile(const dl_phdr_info& info) : base(info.dlpi_addr), memory(loaded_range(info)) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info.dlpi_phdr[i];
      if (segment.p_type != PT_GNU_RELRO) continue;
      const std::uintptr_t begin = (base + segment.p_vaddr) & page_mask;
      made_read_only = {begin, ((base + segment.p_vaddr + segment.p_memsz) & page_mask) - begin};
    }
    for (const auto* at = dynamic_section(info); at != nullptr && at->d_tag != DT_NULL; ++at)
      take(*at);
    // The loader has put addresses there, but in what the kernel itself maps.
    if (!memory.has(symbols) || !memory.has(names)) symbols = nullptr;
  }

  void take(const ElfW(Dyn) & entry) {
    switch (entry.d_tag) {
      case DT_SYMTAB: symbols = pointer_to<ElfW(Sym)>(entry.d_un.d_ptr); break;
      case DT_STRTAB: names = pointer_to<char>(entry.d_un.d_ptr); break;
      case DT_GNU_HASH: hashes = pointer_to<std::uint32_t>(entry.d_un.d_ptr); break;
      case DT_RELA: relocations = pointer_to<ElfW(Rela)>(entry.d_un.d_ptr); break;
      case DT_RELASZ: relocations_bytes = entry.d_un.d_val; break;
      case DT_JMPREL: calls = pointer_to<ElfW(Rela)>(entry.d_un.d_ptr); break;
      case DT_PLTRELSZ: calls_bytes = entry.d_un.d_val; break;
      default: break;
    }
  }

  [[nodiscard]] std::string_view name_of(const ElfW(Sym) & symbol) const {
    return names + symbol.st_name;
  }
};

/// Those symbols that others can find: the table says where they begin and, in chains, where they
/// end (what a linker calls "GNU hash").
template <typename Function>
void for_each_exported(const LoadedFile& file, const Function& function) {
  if (file.symbols == nullptr || !file.memory.has(file.hashes)) return;
  const std::uint32_t bucket_count = file.hashes[0];
  const std::uint32_t first = file.hashes[1];
  constexpr std::size_t head_words = 4;
  const std::size_t filter_words = file.hashes[2] * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t));
  const std::uint32_t* const buckets = file.hashes + head_words + filter_words;
  const std::uint32_t* const chains = buckets + bucket_count;
  for (std::uint32_t i = 0; i < bucket_count; ++i) {
    if (buckets[i] < first) continue;
    for (std::uint32_t at = buckets[i];; ++at) {
      function(file.symbols[at]);
      if ((chains[at - first] & 1U) != 0) break;
    }
  }
}

int add_file(dl_phdr_info* info, std::size_t, void* into) {
  static_cast<std::vector<LoadedFile>*>(into)->emplace_back(*info);
  return 0;
}

/// Functions that may be in several files: sorted.
std::vector<std::string_view> common_functions(const LoadedFile& file) {
  std::vector<std::string_view> found;
  for_each_exported(file, [&](const ElfW(Sym) & symbol) {
    const bool is_one = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
                        ELF64_ST_BIND(symbol.st_info) == STB_WEAK && symbol.st_shndx != SHN_UNDEF;
    if (is_one) found.push_back(file.name_of(symbol));
  });
  std::sort(found.begin(), found.end());
  return found;
}

class Binding {
 public:
  explicit Binding(const LoadedFile& executable)
      : executable_(executable.memory), common_(common_functions(executable)) {}

  [[nodiscard]] bool is_needed() const { return !common_.empty(); }
  void bind(const LoadedFile& library) const {
    if (library.symbols == nullptr) return;
    bind_all(library, library.relocations, library.relocations_bytes);
    bind_all(library, library.calls, library.calls_bytes);
  }

 private:
  void bind_all(const LoadedFile& library, const ElfW(Rela) * first, std::size_t bytes) const {
    for (std::size_t i = 0; first != nullptr && i < bytes / sizeof *first; ++i) {
      bind_one(library, first[i]);
    }
  }

  void bind_one(const LoadedFile& library, const ElfW(Rela) & relocation) const {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    const bool is_call = type == R_X86_64_JUMP_SLOT;
    if (!is_call && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return;
    const ElfW(Sym)& symbol = library.symbols[ELF64_R_SYM(relocation.r_info)];
    const std::string_view name = library.name_of(symbol);
    if (!std::binary_search(common_.begin(), common_.end(), name)) return;
    auto* const place = reinterpret_cast<std::uintptr_t*>(library.base + relocation.r_offset);
    // Of a call that was not made yet it leads to what looks the function up.
    if (!executable_.has(*place) && !(is_call && library.memory.has(*place))) return;
    // Behind us, who come behind the executable.
    const void* const found = dlsym(RTLD_NEXT, name.data());
    if (found == nullptr) return;
    const auto addend = type == R_X86_64_64 ? relocation.r_addend : 0;
    write(library, place,
          reinterpret_cast<std::uintptr_t>(found) + static_cast<std::uintptr_t>(addend));
  }

  static void write(const LoadedFile& library, std::uintptr_t* place, std::uintptr_t value) {
    auto* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place) & page_mask);
    const bool is_read_only = library.made_read_only.has(place);
    if (is_read_only && mprotect(page, ~page_mask + 1, PROT_READ | PROT_WRITE) != 0) return;
    *place = value;
    if (is_read_only) mprotect(page, ~page_mask + 1, PROT_READ);
  }

  ByteRange executable_;
  std::vector<std::string_view> common_;
};

}  // namespace

void keep_libraries_to_themselves() {
  std::vector<LoadedFile> files;
  dl_iterate_phdr(add_file, &files);
  const Binding binding(files.front());
  for (std::size_t i = 1; binding.is_needed() && i < files.size(); ++i) binding.bind(files[i]);
}

}  // namespace orrery::on_hardware
