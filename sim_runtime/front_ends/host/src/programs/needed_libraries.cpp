#include "needed_libraries.hpp"

#include <algorithm>
#include <cstdlib>

#include <elf.h>
#include <unistd.h>

#include <orrery/program_host/elf_sections.hpp>

namespace orrery::host {
namespace {

std::string with_origin(std::string directory, const std::filesystem::path& needed_by) {
  const std::string origin = std::filesystem::absolute(needed_by).parent_path().string();
  for (const std::string_view name : {"$ORIGIN", "${ORIGIN}"}) {
    const std::size_t at = directory.find(name);
    if (at != std::string::npos) directory.replace(at, name.size(), origin);
  }
  return directory;
}

std::filesystem::path find_in(std::string_view directories, const std::string& name,
                              const std::filesystem::path& needed_by) {
  while (!directories.empty()) {
    const std::size_t end = std::min(directories.find(':'), directories.size());
    const std::string directory = with_origin(std::string(directories.substr(0, end)), needed_by);
    std::filesystem::path candidate = std::filesystem::path(directory) / name;
    if (!directory.empty() && access(candidate.c_str(), R_OK) == 0) return candidate;
    directories.remove_prefix(std::min(end + 1, directories.size()));
  }
  return {};
}

}  // namespace

NeededLibraries needed_libraries(std::span<const std::byte> file) {
  NeededLibraries result;
  const ElfSections sections(file);
  for (std::size_t i = 0; i < sections.headers().size(); ++i) {
    if (sections.headers()[i].sh_type != SHT_DYNAMIC) continue;
    const auto entries = sections.content(i);
    const auto names = sections.content(sections.headers()[i].sh_link);
    for (std::size_t at = 0; at < entries.size(); at += sizeof(Elf64_Dyn)) {
      const auto entry = value_at<Elf64_Dyn>(entries, at);
      const std::string text(text_at(names, entry.d_un.d_val));
      if (entry.d_tag == DT_NEEDED) result.names.push_back(text);
      if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH) result.directories = text;
    }
  }
  return result;
}

std::filesystem::path library_place(const std::string& name, std::string_view directories,
                                    const std::filesystem::path& needed_by) {
  if (name.find('/') != std::string::npos) return name;
  const char* const first = std::getenv("LD_LIBRARY_PATH");
  const auto found = find_in(first != nullptr ? first : "", name, needed_by);
  return found.empty() ? find_in(directories, name, needed_by) : found;
}

}  // namespace orrery::host
