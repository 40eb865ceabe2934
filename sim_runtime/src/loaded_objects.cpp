#include "loaded_objects.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <elf.h>
#include <link.h>
#include <unistd.h>

namespace orrery::detail {
namespace {

struct Search {
  std::uintptr_t address;
  std::optional<LoadedObject> found;
};

bool contains(const dl_phdr_info& info, std::uintptr_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t start = info.dlpi_addr + header.p_vaddr;
    if (address >= start && address - start < header.p_memsz) return true;
  }
  return false;
}

std::uintptr_t rounded_up(std::uintptr_t value) {
  constexpr std::uintptr_t alignment = 4;
  return (value + alignment - 1) / alignment * alignment;
}

std::string_view build_id_in(std::uintptr_t note, std::uintptr_t end) {
  while (note + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) header;
    std::memcpy(&header, reinterpret_cast<const void*>(note), sizeof header);
    const auto* const name = reinterpret_cast<const char*>(note + sizeof header);
    const auto* const content = name + rounded_up(header.n_namesz);
    const bool is_gnu = header.n_namesz == sizeof "GNU" && std::memcmp(name, "GNU", 4) == 0;
    if (header.n_type == NT_GNU_BUILD_ID && is_gnu) return {content, header.n_descsz};
    note = reinterpret_cast<std::uintptr_t>(content) + rounded_up(header.n_descsz);
  }
  return {};
}

std::string_view build_id_of(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    // Notes aligned to 8 bytes (properties of the processor) are of no interest.
    if (header.p_type != PT_NOTE || header.p_align > 4) continue;
    const std::uintptr_t start = info.dlpi_addr + header.p_vaddr;
    if (const auto id = build_id_in(start, start + header.p_memsz); !id.empty()) return id;
  }
  return {};
}

// The copies of a program are files without a name.  A forked worker has them open too, and can
// read them when the process that made them is gone.
std::string readable_path(const char* name) {
  if (*name == '\0') return "/proc/self/exe";
  int process = 0;
  int descriptor = 0;
  if (std::sscanf(name, "/proc/%d/fd/%d", &process, &descriptor) == 2) {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }
  return name;
}

int look_at(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  if (!contains(*info, search.address)) return 0;
  search.found = LoadedObject{info->dlpi_addr, readable_path(info->dlpi_name),
                              std::string(build_id_of(*info))};
  return 1;
}

/// The build id, or the end of the path.
std::string_view identity_of(const dl_phdr_info& info) {
  const std::string_view build_id = build_id_of(info);
  const std::string_view text = build_id.empty() ? std::string_view(info.dlpi_name) : build_id;
  const std::size_t bytes = std::min(text.size(), ObjectPlace::identity_bytes_max);
  return text.substr(text.size() - bytes);
}

struct PlaceSearch {
  std::uintptr_t address;
  ObjectPlace& place;
};

int look_for_place(dl_phdr_info* info, std::size_t, void* argument) {
  const auto& search = *static_cast<PlaceSearch*>(argument);
  if (!contains(*info, search.address)) return 0;
  ObjectPlace& place = search.place;
  place = {};
  place.base = info->dlpi_addr;
  place.begin = search.address;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    place.begin = std::min(place.begin, start);
    place.end = std::max(place.end, start + header.p_memsz);
  }
  const std::string_view identity = identity_of(*info);
  std::memcpy(place.identity.data(), identity.data(), identity.size());
  place.identity_bytes = static_cast<std::uint32_t>(identity.size());
  return 1;
}

struct TwinSearch {
  const ObjectPlace& place;
  std::uintptr_t address;
  std::uintptr_t found;
};

// A program has copies: the one at the same place comes before all others.
int look_for_twin(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<TwinSearch*>(argument);
  const std::string_view wanted(search.place.identity.data(), search.place.identity_bytes);
  if (identity_of(*info) != wanted) return 0;
  if (search.found == 0) search.found = search.address - search.place.base + info->dlpi_addr;
  if (info->dlpi_addr != search.place.base) return 0;
  search.found = search.address;
  return 1;
}

struct BuildSearch {
  const std::string* build_id;
  std::string path;
};

int look_for_build(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<BuildSearch*>(argument);
  if (build_id_of(*info) != *search.build_id) return 0;
  search.path = readable_path(info->dlpi_name);
  return 1;
}

}  // namespace

std::optional<LoadedObject> find_loaded_object(std::uintptr_t address) {
  Search search{address, {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

bool find_object_place(std::uintptr_t address, ObjectPlace& place) {
  PlaceSearch search{address, place};
  return dl_iterate_phdr(look_for_place, &search) != 0;
}

std::uintptr_t address_here(std::span<const ObjectPlace> objects, std::uintptr_t address) {
  const auto place = std::ranges::find_if(
      objects, [&](const ObjectPlace& object) { return object.contains(address); });
  if (place == objects.end()) return 0;
  TwinSearch search{*place, address, 0};
  dl_iterate_phdr(look_for_twin, &search);
  return search.found;
}

std::string path_of_build(const std::string& build_id) {
  BuildSearch search{&build_id, {}};
  dl_iterate_phdr(look_for_build, &search);
  return search.path;
}

std::string display_name(const LoadedObject& object) {
  std::error_code not_a_link;
  const auto target = std::filesystem::read_symlink(object.path, not_a_link);
  std::string path =
      not_a_link || !object.path.starts_with("/proc/") ? object.path : target.string();
  constexpr std::string_view deleted = " (deleted)";
  if (path.ends_with(deleted)) path.resize(path.size() - deleted.size());
  constexpr std::string_view in_memory = "/memfd:";
  if (path.starts_with(in_memory)) path.erase(0, in_memory.size());
  return path.substr(path.rfind('/') + 1);
}

}  // namespace orrery::detail
