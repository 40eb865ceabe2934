// What a program or library says of the libraries that it needs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

namespace orrery::host {

/// Of an entry of a dynamic section that loaders are not to see.
constexpr Elf64_Sxword ignored_tag = 0x6000f00d;

struct NeededLibraries {
  std::vector<std::string> names;
  std::string directories;  ///< of DT_RUNPATH or DT_RPATH, with colons between
};

/// Of the content of a file; nothing for what is no ELF file.
[[nodiscard]] NeededLibraries needed_libraries(std::span<const std::byte> file);

/// Where the loader would find a library by LD_LIBRARY_PATH and by what the file at `needed_by`
/// says; empty if it looks where it always does.
[[nodiscard]] std::filesystem::path library_place(const std::string& name,
                                                  std::string_view directories,
                                                  const std::filesystem::path& needed_by);

}  // namespace orrery::host
