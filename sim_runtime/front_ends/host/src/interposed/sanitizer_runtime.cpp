#include <span>
#include <string_view>

#include <dlfcn.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/elf_sections.hpp>
#include <orrery/program_host/mapped_file.hpp>
#include <orrery/program_host/sanitizer_runtime.hpp>

#include "programs/needed_libraries.hpp"

namespace orrery {
namespace {

/// Each file of AddressSanitizer's code calls it.
bool has_instrumented_code(std::span<const std::byte> file) {
  const ElfSections sections(file);
  for (std::size_t i = 0; i < sections.headers().size(); ++i) {
    if (sections.headers()[i].sh_type != SHT_DYNSYM) continue;
    const auto symbols = sections.content(i);
    const auto names = sections.content(sections.headers()[i].sh_link);
    for (std::size_t at = 0; at < symbols.size(); at += sizeof(Elf64_Sym)) {
      if (text_at(names, value_at<Elf64_Sym>(symbols, at).st_name) == "__asan_init") return true;
    }
  }
  return false;
}

bool is_sanitizer(std::string_view library) {
  return library.starts_with("libasan.so") || library.starts_with("libclang_rt.asan");
}

}  // namespace

bool SanitizerRuntime::is_loaded() const {
  void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  dlclose(handle);
  return true;
}

std::optional<SanitizerRuntime> sanitizer_runtime_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  if (access(path.c_str(), R_OK) != 0) return std::nullopt;  // who runs it says so
  const MappedFile mapped(path);
  const std::span<const std::byte> file = mapped.bytes();
  const host::NeededLibraries needed = host::needed_libraries(file);
  for (const std::string& library : needed.names) {
    if (!is_sanitizer(library)) continue;
    auto place = host::library_place(library, needed.directories, path);
    if (place.empty()) place = library;
    return SanitizerRuntime{library, std::move(place)};
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
