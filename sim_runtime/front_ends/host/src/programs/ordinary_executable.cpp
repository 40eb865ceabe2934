#include "ordinary_executable.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <ucontext.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/elf_sections.hpp>

#include "interposed/refused_call.hpp"
#include "needed_libraries.hpp"

namespace orrery::host {
namespace {

constexpr const char* build_instead = "build it with `orrery cc` or `orrery c++`";

// The way from a program's first instructions back to `main_of`.
struct Start {
  ucontext_t here;
  ucontext_t first_instructions;
  void* main = nullptr;
};
thread_local Start* start_in_progress = nullptr;

/// What first instructions call instead of `__libc_start_main`.
void take_main(void* main) {
  start_in_progress->main = main;
  setcontext(&start_in_progress->here);
}

// Open MPI's header for C++ has them in each program; most never call one.
bool is_of_cplusplus_bindings(std::string_view name) {
  return name.starts_with("ompi_mpi_cxx_") || name == "ompi_op_set_cxx_callback" ||
         name.starts_with("_ZN3MPI") || name.starts_with("_ZNK3MPI") ||
         name.starts_with("_ZTVN3MPI") || name.starts_with("_ZTIN3MPI");
}

void refuse_cplusplus_bindings() {
  refuse_call("the C++ bindings of MPI-2 (MPI::) are called, which Orrery's MPI does not have",
              "call the functions of the C binding: MPI 3.0 has no others");
}

/// One rewriting.
class Rewriting {
 public:
  Rewriting(std::vector<std::byte>& bytes, const std::filesystem::path& path)
      : bytes_(&bytes), path_(&path), header_(value_at<Elf64_Ehdr>(bytes, 0)) {
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      segments_.push_back(at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr)));
    }
  }

  OrdinaryExecutable run() {
    check_segments();
    read_dynamic();
    read_relocations();
    divert_calls();
    for (const CopiedVariable& handle : handles_) redirect_instructions(handle);
    write_relocations();
    result_.start = header_.e_entry;
    return std::move(result_);
  }

 private:
  struct Table {
    std::size_t offset = 0;
    std::vector<Elf64_Rela> entries;
  };

  template <typename T>
  [[nodiscard]] T at(std::size_t offset) const {
    return value_at<T>(*bytes_, offset);
  }
  template <typename T>
  void put(std::size_t offset, const T& value) {
    if (offset + sizeof value > bytes_->size()) refuse("the file is damaged", "build it again");
    std::memcpy(bytes_->data() + offset, &value, sizeof value);
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const {
    throw UsageError(what, path_->string(), hint);
  }

  [[nodiscard]] std::size_t offset_of(std::uintptr_t address) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
      const std::uintptr_t within = address - segment.p_vaddr;
      if (within < segment.p_filesz) return segment.p_offset + within;
    }
    return bytes_->size();
  }

  [[nodiscard]] std::string_view name_of(const Elf64_Sym& symbol) const {
    const std::size_t offset = offset_of(strings_ + symbol.st_name);
    return text_at(*bytes_, offset);
  }
  [[nodiscard]] Elf64_Sym symbol(std::size_t index) const {
    return at<Elf64_Sym>(offset_of(symbols_) + index * sizeof(Elf64_Sym));
  }

  void check_segments() const {
    if (header_.e_type != ET_DYN) {
      refuse(
          "it can be at one address only (it was linked with -no-pie), and each rank needs a "
          "copy of it",
          std::string(build_instead) + ", or with -fPIE -pie");
    }
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_TLS && segment.p_memsz > 0) {
        refuse(fmt::format("it has thread-local variables ({}), which an executable reaches by "
                           "places that it has only once",
                           thread_local_name(segment)),
               build_instead);
      }
    }
  }

  [[nodiscard]] std::string thread_local_name(const Elf64_Phdr& segment) const {
    const ElfSections sections(*bytes_);
    for (std::size_t i = 0; i < sections.headers().size(); ++i) {
      const auto& section = sections.headers()[i];
      if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
      const auto entries = sections.content(i);
      const auto names = sections.content(section.sh_link);
      for (std::size_t byte = 0; byte < entries.size(); byte += sizeof(Elf64_Sym)) {
        const auto symbol = value_at<Elf64_Sym>(entries, byte);
        const bool is_own = symbol.st_shndx != SHN_UNDEF;
        if (is_own && ELF64_ST_TYPE(symbol.st_info) == STT_TLS) {
          return std::string(text_at(names, symbol.st_name));
        }
      }
    }
    return fmt::format("{} bytes, without a name", segment.p_memsz);
  }

  void read_dynamic() {
    std::array<std::uintptr_t, 2> tables{};
    std::array<std::size_t, 2> sizes{};
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_DYNAMIC) continue;
      const std::size_t end = segment.p_offset + segment.p_filesz;
      for (std::size_t place = segment.p_offset; place < end; place += sizeof(Elf64_Dyn)) {
        auto entry = at<Elf64_Dyn>(place);
        const std::uintptr_t value = entry.d_un.d_val;
        switch (entry.d_tag) {
          case DT_STRTAB: strings_ = value; break;
          case DT_SYMTAB: symbols_ = value; break;
          case DT_RELA: tables[0] = value; break;
          case DT_RELASZ: sizes[0] = value; break;
          case DT_JMPREL: tables[1] = value; break;
          case DT_PLTRELSZ: sizes[1] = value; break;
          case DT_RELACOUNT:
            relative_count_ = value;
            relative_count_at_ = place + offsetof(Elf64_Dyn, d_un);
            break;
          case DT_NEEDED: needed_at_.push_back(place); break;
          case DT_RELR: refuse("its relocations are packed (DT_RELR)", build_instead);
          case DT_PREINIT_ARRAY:
            refuse("it has code that runs before all libraries", build_instead);
          case DT_FLAGS_1:
            entry.d_un.d_val &= ~static_cast<Elf64_Xword>(DF_1_PIE);  // which loaders refuse
            put(place, entry);
            break;
          default: break;
        }
      }
    }
    for (std::size_t i = 0; i < tables.size(); ++i) {
      Table& table = tables_[i];
      table.offset = offset_of(tables[i]);
      for (std::size_t byte = 0; byte < sizes[i]; byte += sizeof(Elf64_Rela)) {
        table.entries.push_back(at<Elf64_Rela>(table.offset + byte));
      }
    }
    drop_inner_libraries();
  }

  // Parts of Open MPI itself, which programs are linked with whether they need them or not.
  void drop_inner_libraries() {
    for (const std::size_t place : needed_at_) {
      auto entry = at<Elf64_Dyn>(place);
      const std::string_view name = text_at(*bytes_, offset_of(strings_ + entry.d_un.d_val));
      const bool is_inner = name.starts_with("libmpi_cxx.so") ||
                            name.starts_with("libopen-rte.so") ||
                            name.starts_with("libopen-pal.so");
      if (!is_inner) continue;
      entry.d_tag = ignored_tag;
      put(place, entry);
    }
  }

  void read_relocations() {
    for (Elf64_Rela& entry : tables_[0].entries) {
      if (ELF64_R_TYPE(entry.r_info) != R_X86_64_COPY) continue;
      const Elf64_Sym copied = symbol(ELF64_R_SYM(entry.r_info));
      CopiedVariable variable{std::string(name_of(copied)), entry.r_offset, copied.st_size};
      if (!variable.name.starts_with("ompi_")) {
        result_.copied.push_back(std::move(variable));
        continue;
      }
      // From here on its address, not what lies there.
      entry.r_info = ELF64_R_INFO(ELF64_R_SYM(entry.r_info), R_X86_64_64);
      entry.r_addend = 0;
      handle_symbols_.push_back(ELF64_R_SYM(entry.r_info));
      handles_.push_back(std::move(variable));
    }
  }

  /// The handle whose copy this is the address of.
  [[nodiscard]] std::optional<std::size_t> handle_at(std::uintptr_t address) const {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const std::uintptr_t begin = handles_[i].address;
      if (address == begin) return i;
      if (address > begin && address - begin < handles_[i].size_bytes) {
        refuse(fmt::format("it looks into {}", handles_[i].name), build_instead);
      }
    }
    return std::nullopt;
  }

  // Words that hold the address of a copy get the library's.  Relocations that know no symbol come
  // first, and are counted: loaders look at nothing but their number.
  void write_relocations() {
    auto& entries = tables_[0].entries;
    std::vector<Elf64_Rela> with_symbol;
    std::vector<Elf64_Rela> kept;
    std::size_t relatives_gone = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Elf64_Rela entry = entries[i];
      const bool is_relative = ELF64_R_TYPE(entry.r_info) == R_X86_64_RELATIVE;
      const auto handle = is_relative ? handle_at(static_cast<std::uintptr_t>(entry.r_addend))
                                      : std::optional<std::size_t>();
      if (!handle) {
        kept.push_back(entry);
        continue;
      }
      entry.r_info = ELF64_R_INFO(handle_symbols_[*handle], R_X86_64_64);
      entry.r_addend = 0;
      with_symbol.push_back(entry);
      if (i < relative_count_) ++relatives_gone;
    }
    kept.insert(kept.end(), with_symbol.begin(), with_symbol.end());
    entries = std::move(kept);
    if (relative_count_at_ != 0) put(relative_count_at_, relative_count_ - relatives_gone);
    for (const Table& table : tables_) {
      for (std::size_t i = 0; i < table.entries.size(); ++i) {
        put(table.offset + i * sizeof(Elf64_Rela), table.entries[i]);
      }
    }
  }

  void divert_calls() {
    bool starts = false;
    for (Table& table : tables_) {
      for (Elf64_Rela& entry : table.entries) {
        const std::size_t index = ELF64_R_SYM(entry.r_info);
        if (index == 0 || symbol(index).st_shndx != SHN_UNDEF) continue;
        const std::string_view name = name_of(symbol(index));
        if (name == "__libc_start_main") {
          divert(entry, &take_main);
          starts = true;
        } else if (is_of_cplusplus_bindings(name)) {
          divert(entry, &refuse_cplusplus_bindings);
        }
      }
    }
    if (!starts) refuse("it does not begin as programs of the C library do", build_instead);
  }

  /// The word that the loader would have filled holds the address of a function of ours.
  template <typename Function>
  void divert(Elf64_Rela& entry, Function* function) {
    entry.r_info = ELF64_R_INFO(0, R_X86_64_NONE);
    put(offset_of(entry.r_offset), reinterpret_cast<std::uintptr_t>(function));
  }

  void redirect_instructions(const CopiedVariable& handle) {
    constexpr std::byte lea{0x8d};
    constexpr std::byte mov{0x8b};
    constexpr std::size_t displacement_bytes = 4;
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      const std::span<std::byte> code(bytes_->data() + segment.p_offset, segment.p_filesz);
      for (std::size_t i = 3; i + displacement_bytes <= code.size(); ++i) {
        // The byte before says which register, and that the address is relative to what follows.
        constexpr unsigned mode_mask = 0xc7;
        constexpr unsigned relative_mode = 0x05;
        if ((std::to_integer<unsigned>(code[i - 1]) & mode_mask) != relative_mode) continue;
        const auto displacement = value_at<std::int32_t>(code, i);
        const std::uintptr_t next = segment.p_vaddr + i + displacement_bytes;
        if (next + static_cast<std::uintptr_t>(displacement) != handle.address) continue;
        // Of 64 bits, for any register: 0x48 or 0x4c before `lea`.
        const bool is_wide = (std::to_integer<unsigned>(code[i - 3]) & 0xfbU) == 0x48U;
        if (code[i - 2] != lea || !is_wide) {
          refuse(fmt::format("what its instruction at 0x{:x} does with {} is not known",
                             segment.p_vaddr + i - 3, handle.name),
                 build_instead);
        }
        code[i - 2] = mov;
      }
    }
  }

  std::vector<std::byte>* bytes_;
  const std::filesystem::path* path_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Phdr> segments_;
  std::uintptr_t strings_ = 0;
  std::uintptr_t symbols_ = 0;
  std::array<Table, 2> tables_;
  std::size_t relative_count_ = 0;
  std::size_t relative_count_at_ = 0;
  std::vector<std::size_t> needed_at_;
  std::vector<CopiedVariable> handles_;
  std::vector<std::size_t> handle_symbols_;
  OrdinaryExecutable result_;
};

}  // namespace

OrdinaryExecutable make_loadable(std::vector<std::byte>& bytes, const std::filesystem::path& path) {
  return Rewriting(bytes, path).run();
}

void* main_of(void* start) {
  Start now;
  std::array<std::byte, 64 * 1024> stack;
  getcontext(&now.first_instructions);
  now.first_instructions.uc_stack.ss_sp = stack.data();
  now.first_instructions.uc_stack.ss_size = stack.size();
  now.first_instructions.uc_link = nullptr;
  makecontext(&now.first_instructions, reinterpret_cast<void (*)()>(start), 0);
  start_in_progress = &now;
  swapcontext(&now.here, &now.first_instructions);
  start_in_progress = nullptr;
  return now.main;
}

bool is_variable(const void* place) {
  struct Search {
    std::uintptr_t place;
    bool is_variable = false;
  } search{reinterpret_cast<std::uintptr_t>(place)};
  const auto visit = [](dl_phdr_info* module, std::size_t, void* argument) {
    auto& into = *static_cast<Search*>(argument);
    bool is_writable = false;
    bool is_protected = false;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      const std::uintptr_t within = into.place - (module->dlpi_addr + segment.p_vaddr);
      if (within >= segment.p_memsz) continue;
      is_writable |= segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0;
      is_protected |= segment.p_type == PT_GNU_RELRO;
    }
    into.is_variable |= is_writable && !is_protected;
    return 0;
  };
  dl_iterate_phdr(visit, &search);
  return search.is_variable;
}

}  // namespace orrery::host
