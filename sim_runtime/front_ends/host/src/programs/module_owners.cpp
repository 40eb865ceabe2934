#include "module_owners.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <dlfcn.h>
#include <link.h>

namespace orrery::host {
namespace {

// What the C library consists of, with the parts that find the way through stacks.
constexpr std::array<std::string_view, 11> of_the_c_library{
    "libc.so.6",       "ld-linux-x86-64.so.2", "libm.so.6",    "libpthread.so.0",
    "libdl.so.2",      "librt.so.1",           "libutil.so.1", "libresolv.so.2",
    "linux-vdso.so.1", "libanl.so.1",          "libgcc_s.so.1"};

/// What the machine itself stands on while it runs a program.
bool is_below_machine(std::string_view name) {
  return name.starts_with("libboost_fiber") || name.starts_with("libboost_context") ||
         std::ranges::find(of_the_c_library, name) != of_the_c_library.end();
}

const link_map* map_at(std::uintptr_t address) {
  Dl_info info;
  link_map* map = nullptr;
  const int found = dladdr1(reinterpret_cast<const void*>(address), &info,
                            reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
  return found != 0 ? map : nullptr;
}

}  // namespace

ModuleOwners::Module ModuleOwners::read(const link_map& map) {
  Module module;
  module.map = &map;
  const std::string_view path = map.l_name;
  module.name = path.substr(path.rfind('/') + 1);
  if (module.name == "linux-vdso.so.1") return module;  // its table is as in the file
  const char* texts = nullptr;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  for (const ElfW(Dyn)* entry = map.l_ld; texts != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SONAME) module.name = texts + entry->d_un.d_val;
    if (entry->d_tag == DT_NEEDED) module.needed.emplace_back(texts + entry->d_un.d_val);
  }
  return module;
}

void ModuleOwners::mark(Module& module, bool Module::*owner) {
  if (module.*owner) return;
  module.*owner = true;
  for (const std::string& name : module.needed) {
    const std::string_view file = std::string_view(name).substr(name.rfind('/') + 1);
    const auto needed = std::ranges::find_if(
        modules_, [&](const Module& other) { return other.name == name || other.name == file; });
    if (needed != modules_.end()) mark(*needed, owner);
  }
}

ModuleOwners::ModuleOwners() {
  void* const program = dlopen(nullptr, RTLD_NOW);
  const link_map* first = nullptr;
  dlinfo(program, RTLD_DI_LINKMAP, &first);
  dlclose(program);
  for (const link_map* map = first; map != nullptr; map = map->l_next) {
    modules_.push_back(read(*map));
  }
  const link_map* const ours = map_at(reinterpret_cast<std::uintptr_t>(&map_at));
  for (Module& module : modules_) {
    if (module.map == first) mark(module, &Module::is_of_program);
    if (module.map == ours) mark(module, &Module::is_of_host);
  }
}

bool ModuleOwners::is_hosts(std::uintptr_t address) const {
  const link_map* const map = map_at(address);
  const auto module = std::ranges::find(modules_, map, &Module::map);
  if (module == modules_.end()) return false;
  return is_below_machine(module->name) || (module->is_of_host && !module->is_of_program);
}

}  // namespace orrery::host
