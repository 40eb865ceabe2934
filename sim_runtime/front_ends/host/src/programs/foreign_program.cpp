#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>
#include <string_view>

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/foreign_program.hpp>
#include <orrery/program_host/mapped_file.hpp>

#include "needed_libraries.hpp"

namespace orrery {
namespace {

constexpr const char* build_instead = "build it with `orrery cc` or `orrery c++` instead";

/// The loader that it asks for; empty: none.
std::string_view loader_of(std::span<const std::byte> bytes) {
  const auto header = value_at<Elf64_Ehdr>(bytes, 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = value_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_INTERP) return text_at(bytes, segment.p_offset);
  }
  return {};
}

/// The names that the loader looks up for it, and in it.
struct Symbols {
  std::set<std::string_view> wanted;
  std::set<std::string_view> given;
  bool has_thread_locals = false;
};

Symbols symbols_of(const ElfSections& sections) {
  Symbols symbols;
  for (std::size_t i = 0; i < sections.headers().size(); ++i) {
    const auto& header = sections.headers()[i];
    symbols.has_thread_locals |= (header.sh_flags & SHF_TLS) != 0;
    if (header.sh_type != SHT_DYNSYM) continue;
    const auto entries = sections.content(i);
    const auto names = sections.content(header.sh_link);
    for (std::size_t at = 0; at < entries.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = value_at<Elf64_Sym>(entries, at);
      auto& into = symbol.st_shndx == SHN_UNDEF ? symbols.wanted : symbols.given;
      into.insert(text_at(names, symbol.st_name));
    }
  }
  return symbols;
}

void check_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  if (bytes.size() > 2 && bytes[0] == std::byte{'#'} && bytes[1] == std::byte{'!'}) {
    throw UsageError("this is a script, which another program reads", path.string(),
                     "name that program, with the script as its argument");
  }
  const auto header = value_at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    throw UsageError("this is not a compiled program", path.string(), "name one");
  }
  if (!is_elf(bytes) || header.e_machine != EM_X86_64) {
    throw UsageError("this program is not for 64-bit x86 processors", path.string(),
                     "name one that is");
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    throw UsageError("this is an object, and no program yet", path.string(), "link it");
  }
  struct stat status {};
  const bool is_other_user =
      stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0;
  if (is_other_user || getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    throw UsageError(
        "it runs with the rights of another user, and the system then preloads nothing",
        path.string(), "run a copy of it: `cp` leaves these rights out");
  }
}

void check_loader(const std::filesystem::path& path, std::string_view loader,
                  const ElfSections& sections) {
  if (loader.empty()) {
    const bool is_library = sections.find(".dynsym") < sections.headers().size() &&
                            sections.find(".dynamic") < sections.headers().size();
    throw UsageError(is_library
                         ? "no loader is named in it: it is linked statically, or is a library"
                         : "it is linked statically: nothing can be preloaded",
                     path.string(), std::string("link it without -static, or ") + build_instead);
  }
  if (loader.substr(loader.rfind('/') + 1) != "ld-linux-x86-64.so.2") {
    throw UsageError(fmt::format("it is for another C library: its loader is {}", loader),
                     path.string(), "Orrery knows glibc");
  }
}

bool is_of_mpi(const Symbols& symbols) {
  return std::ranges::any_of(symbols.wanted, [](std::string_view name) {
    return name.starts_with("MPI_") || name.starts_with("PMPI_");
  });
}

void check_own_allocator(const std::filesystem::path& path, const Symbols& symbols) {
  for (const std::string_view name : {"malloc", "calloc", "realloc", "free"}) {
    if (!symbols.given.contains(name)) continue;
    throw UsageError(
        fmt::format("it has a `{}` of its own, which Orrery would have to share", name),
        path.string(), build_instead);
  }
}

/// Can, and may, our library be the first that it is loaded with?
void check_loading(const std::filesystem::path& path, std::string_view loader,
                   const ElfSections& sections, const Symbols& symbols) {
  check_loader(path, loader, sections);
  if (!symbols.wanted.contains("__libc_start_main")) {
    throw UsageError("it does not begin as programs of the C library do", path.string(),
                     build_instead);
  }
  if (is_of_mpi(symbols)) {
    throw UsageError("this is an MPI program: --threads is for programs without", path.string(),
                     "leave --threads out");
  }
  check_own_allocator(path, symbols);
}

// Which programs are linked with whether they need them or not.
bool is_inner_library_of_mpi(const std::string& library) {
  return library.starts_with("libmpi_cxx.so") || library.starts_with("libopen-rte.so") ||
         library.starts_with("libopen-pal.so");
}

/// Is it the binary interface that our library has?
void check_mpi(const std::filesystem::path& path, const std::vector<std::string>& libraries,
               const Symbols& symbols) {
  for (const std::string& library : libraries) {
    const bool is_fortran =
        library.starts_with("libmpi_mpifh") || library.starts_with("libmpi_usempi");
    if (is_fortran) {
      throw UsageError(fmt::format("it calls MPI from Fortran ({})", library), path.string(),
                       "Orrery's MPI has the C binding only");
    }
    const bool is_other = (library.starts_with("libmpi.so") && library != "libmpi.so.40") ||
                          library.starts_with("libmpich.so") || library.starts_with("libmsmpi");
    if (!is_other) continue;
    throw UsageError(
        fmt::format("it was linked with another MPI, {}, whose types are not Open MPI's", library),
        path.string(),
        std::string("give a program of Open MPI 4 (libmpi.so.40), or ") + build_instead);
  }
  for (const std::string_view name : symbols.wanted) {
    if (name.starts_with("opal_") || name.starts_with("orte_")) {
      throw UsageError(fmt::format("it calls {}, an inner function of Open MPI", name),
                       path.string(), build_instead);
    }
  }
}

void check_sanitizers(const std::filesystem::path& path, const std::vector<std::string>& libraries,
                      const Symbols& symbols) {
  struct Sanitizer {
    std::string_view name;
    std::string_view library;
    std::string_view function;
  };
  constexpr std::array<Sanitizer, 4> all{{
      {"address", "libasan.so", "__asan_init"},
      {"thread", "libtsan.so", "__tsan_init"},
      {"memory", "libmsan.so", "__msan_init"},
      {"leak", "liblsan.so", "__lsan_init"},
  }};
  for (const Sanitizer& one : all) {
    const bool needs_it = std::ranges::any_of(
        libraries, [&one](const std::string& library) { return library.starts_with(one.library); });
    if (!needs_it && !symbols.given.contains(one.function)) continue;
    throw UsageError(
        fmt::format("it was built with -fsanitize={}, which must be loaded first", one.name),
        path.string(), std::string("leave that out, or ") + build_instead);
  }
}

/// Those whose functions are ours, or leave it to the program what happens.
bool is_of_the_languages(const std::string& library) {
  constexpr std::array names{"libc.so",      "libm.so",  "libpthread.so",
                             "libdl.so",     "librt.so", "libgcc_s.so",
                             "libstdc++.so", "ld-linux", "libgomp.so"};
  return std::ranges::any_of(names, [&](const char* name) { return library.starts_with(name); });
}

/// Those that make threads or wait by means that are not the C library's functions.
bool is_hidden_call(std::string_view function) {
  constexpr std::array beginnings{"aio_read",  "aio_write", "lio_listio", "getaddrinfo_a",
                                  "io_uring_", "__atomic_", "__cilkrts_"};
  return std::ranges::any_of(beginnings,
                             [&](const char* start) { return function.starts_with(start); });
}

}  // namespace

bool is_built_for_orrery(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  const ElfSections sections(bytes);
  return sections.find(".note.orrery") < sections.headers().size();
}

bool is_ordinary_mpi_program(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  const ElfSections sections(bytes);
  if (sections.find(".note.orrery") < sections.headers().size()) return false;
  return is_of_mpi(symbols_of(sections));
}

ForeignProgram ordinary_mpi_program(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  check_file(path, bytes);
  const ElfSections sections(bytes);
  const Symbols symbols = symbols_of(sections);
  ForeignProgram program;
  program.path = path;
  program.libraries = host::needed_libraries(bytes).names;
  check_loader(path, loader_of(bytes), sections);
  check_sanitizers(path, program.libraries, symbols);
  check_own_allocator(path, symbols);
  check_mpi(path, program.libraries, symbols);
  std::erase_if(program.libraries, [](const std::string& library) {
    return is_of_the_languages(library) || library.starts_with("libmpi.so") ||
           is_inner_library_of_mpi(library);
  });
  program.has_thread_locals = symbols.has_thread_locals;
  return program;
}

ForeignProgram foreign_program(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  check_file(path, bytes);
  const ElfSections sections(bytes);
  const Symbols symbols = symbols_of(sections);
  ForeignProgram program;
  program.path = path;
  check_loading(path, loader_of(bytes), sections, symbols);
  program.libraries = host::needed_libraries(bytes).names;
  check_sanitizers(path, program.libraries, symbols);
  std::erase_if(program.libraries, is_of_the_languages);
  program.has_thread_locals = symbols.has_thread_locals;
  for (const std::string_view name : symbols.wanted) {
    if (is_hidden_call(name)) program.hidden_calls.emplace_back(name);
  }
  return program;
}

std::vector<std::string> ForeignProgram::unseen() const {
  std::vector<std::string> sentences{
      "accesses to memory, and atomics and system calls that are instructions of its own"};
  if (!libraries.empty()) {
    sentences.push_back(fmt::format("the same in its libraries: {}", fmt::join(libraries, ", ")));
  }
  if (!hidden_calls.empty()) {
    sentences.push_back(fmt::format("what happens within {}", fmt::join(hidden_calls, ", ")));
  }
  if (has_thread_locals) {
    sentences.emplace_back(
        "thread_local variables of another thread: each thread has its own, at one address");
  }
  return sentences;
}

}  // namespace orrery
