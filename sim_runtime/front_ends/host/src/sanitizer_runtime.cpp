#include <algorithm>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/sanitizer_runtime.hpp>

namespace orrery {
namespace {

/// A file as libelf reads it.  What is no ELF file has no sections.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path) : fd_(open(path.c_str(), O_RDONLY)) {
    elf_version(EV_CURRENT);
    elf_ = fd_ < 0 ? nullptr : elf_begin(fd_, ELF_C_READ, nullptr);
  }
  ~ElfFile() {
    elf_end(elf_);
    if (fd_ >= 0) close(fd_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// Calls `visit(data, count, string_table)` for each section of this type.
  template <typename Visit>
  void for_each_section(GElf_Word type, const Visit& visit) const {
    if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF) return;
    for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr;
         section = elf_nextscn(elf_, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != type) continue;
      Elf_Data* const data = elf_getdata(section, nullptr);
      if (data == nullptr || header.sh_entsize == 0) continue;
      visit(data, static_cast<int>(header.sh_size / header.sh_entsize), header.sh_link);
    }
  }
  [[nodiscard]] std::string text(std::size_t string_table, std::size_t offset) const {
    const char* const found = elf_strptr(elf_, string_table, offset);
    return found == nullptr ? "" : found;
  }

 private:
  int fd_;
  Elf* elf_;
};

/// What a program says of the libraries that it needs.
struct Needs {
  std::vector<std::string> libraries;
  std::string directories;  ///< of DT_RUNPATH or DT_RPATH, with colons between
};

Needs needs_of(const ElfFile& file) {
  Needs needs;
  file.for_each_section(SHT_DYNAMIC, [&](Elf_Data* data, int count, std::size_t strings) {
    for (int i = 0; i < count; ++i) {
      GElf_Dyn entry;
      if (gelf_getdyn(data, i, &entry) == nullptr) continue;
      if (entry.d_tag == DT_NEEDED) needs.libraries.push_back(file.text(strings, entry.d_un.d_val));
      if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH) {
        needs.directories = file.text(strings, entry.d_un.d_val);
      }
    }
  });
  return needs;
}

/// Each file of AddressSanitizer's code calls it.
bool has_instrumented_code(const ElfFile& file) {
  bool has_it = false;
  file.for_each_section(SHT_DYNSYM, [&](Elf_Data* data, int count, std::size_t strings) {
    for (int i = 0; i < count && !has_it; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, i, &symbol) == nullptr) continue;
      has_it = file.text(strings, symbol.st_name) == "__asan_init";
    }
  });
  return has_it;
}

bool is_sanitizer(std::string_view library) {
  return library.starts_with("libasan.so") || library.starts_with("libclang_rt.asan");
}

std::string with_origin(std::string directory, const std::filesystem::path& program) {
  const std::string origin = std::filesystem::absolute(program).parent_path().string();
  for (const std::string_view name : {"$ORIGIN", "${ORIGIN}"}) {
    const std::size_t at = directory.find(name);
    if (at != std::string::npos) directory.replace(at, name.size(), origin);
  }
  return directory;
}

/// Where the loader would find it by what the program says; else it looks where it always does.
std::filesystem::path place_of(const std::string& library, std::string_view directories,
                               const std::filesystem::path& program) {
  while (!directories.empty()) {
    const std::size_t end = std::min(directories.find(':'), directories.size());
    const std::string directory = with_origin(std::string(directories.substr(0, end)), program);
    const std::filesystem::path candidate = std::filesystem::path(directory) / library;
    if (!directory.empty() && access(candidate.c_str(), R_OK) == 0) return candidate;
    directories.remove_prefix(std::min(end + 1, directories.size()));
  }
  return library;
}

}  // namespace

bool SanitizerRuntime::is_loaded() const {
  void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  dlclose(handle);
  return true;
}

std::optional<SanitizerRuntime> sanitizer_runtime_of(const std::filesystem::path& path) {
  const ElfFile file(path);
  const Needs needs = needs_of(file);
  for (const std::string& library : needs.libraries) {
    if (!is_sanitizer(library)) continue;
    return SanitizerRuntime{library, place_of(library, needs.directories, path)};
  }
  if (!has_instrumented_code(file)) return std::nullopt;
  throw UsageError("AddressSanitizer's runtime is linked into this program", path.string(),
                   "link it with `orrery cc -fsanitize=address`, which takes the shared runtime; "
                   "leave -static-libasan and -static-libsan out");
}

bool has_sanitizer_runtime() {
  return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
}

}  // namespace orrery
