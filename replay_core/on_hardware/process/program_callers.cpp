#include "program_callers.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <link.h>

#include "loaded_range.hpp"
#include "own_lock.hpp"

namespace orrery::on_hardware {
namespace {

OwnLock adding;  // NOLINT: of the process

std::string name_of(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool is_mpi(const std::string& name) {
  for (const char* const begin : {"libmpi", "libopen-", "liboshmem", "mca_", "libpmix"}) {
    if (name.rfind(begin, 0) == 0) return true;
  }
  return false;
}

bool is_system(const std::string& name) {
  for (const char* const begin : {"libc.so", "ld-linux", "libpthread.so", "libdl.so", "librt.so",
                                  "libm.so", "libgcc_s.so", "linux-vdso", "liborrery_record_"}) {
    if (name.rfind(begin, 0) == 0) return true;
  }
  return false;
}

bool begins_with_one_of(const std::string& name, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&name](const char* begin) { return name.rfind(begin, 0) == 0; });
}

bool is_openmp(const std::string& name) {
  return begins_with_one_of(name, {"libgomp.so", "libomp.so", "libiomp5.so"});
}

/// What `orrery` is linked with, and what that needs.
bool is_hosts(const std::string& name) {
  return begins_with_one_of(
      name, {"libfmt.so", "libz.so", "libzstd.so", "liblzma.so", "libbz2.so", "libelf.so",
             "libdw.so", "libboost_fiber.so", "libboost_context.so", "libboost_filesystem.so"});
}

struct Object {
  std::string name;
  std::vector<std::string> needed;
  ByteRange range;
};

int add_object(dl_phdr_info* info, std::size_t, void* into) {
  auto& objects = *static_cast<std::vector<Object>*>(into);
  Object object;
  object.name = name_of(info->dlpi_name);
  object.range = loaded_range(*info);
  const ElfW(Dyn)* const dynamic = dynamic_section(*info);
  const char* names = nullptr;
  for (const auto* at = dynamic; at != nullptr && at->d_tag != DT_NULL; ++at) {
    // The loader has put the address there, but in what the kernel itself maps.
    if (at->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(at->d_un.d_ptr);
  }
  const bool are_mapped = object.range.has(names);
  for (const auto* at = dynamic; are_mapped && at->d_tag != DT_NULL; ++at) {
    if (at->d_tag == DT_NEEDED) object.needed.emplace_back(names + at->d_un.d_val);
  }
  objects.push_back(std::move(object));
  return 0;
}

std::vector<Object> loaded_objects() {
  std::vector<Object> objects;
  dl_iterate_phdr(add_object, &objects);
  return objects;
}

/// The libraries that the program itself needs: not those that only MPI does.
std::set<std::string> needed_by_program(const std::vector<Object>& objects) {
  std::set<std::string> found;
  std::vector<std::string> next = objects.front().needed;
  while (!next.empty()) {
    const std::string name = next.back();
    next.pop_back();
    if (is_mpi(name) || is_system(name) || !found.insert(name).second) continue;
    for (const Object& object : objects) {
      if (object.name == name) next.insert(next.end(), object.needed.begin(), object.needed.end());
    }
  }
  return found;
}

}  // namespace

void ProgramCallers::begin() {
  const std::vector<Object> objects = loaded_objects();
  const std::set<std::string> needed = needed_by_program(objects);
  executable_begin_ = objects.front().range.begin;
  executable_end_ = objects.front().range.end();
  for (std::size_t i = 1; i < objects.size() && count_ < ranges_max; ++i) {
    const Object& object = objects[i];
    if (object.name.rfind("libstdc++.so", 0) == 0) {
      cxx_begin_ = object.range.begin;
      cxx_end_ = object.range.end();
    }
    ranges_[count_++] = {
        object.range.begin,     object.range.end(),    needed.count(object.name) > 0,
        is_system(object.name), is_hosts(object.name), is_openmp(object.name)};
  }
}

const ProgramCallers::Range* ProgramCallers::find(std::uintptr_t place) const {
  const std::size_t count = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
  for (std::size_t i = 0; i < count; ++i) {
    if (place >= ranges_[i].begin && place < ranges_[i].end) return &ranges_[i];
  }
  return nullptr;
}

const ProgramCallers::Range* ProgramCallers::known(std::uintptr_t place) {
  const Range* const found = find(place);
  if (found != nullptr) return found;
  add_new();
  return find(place);
}

void ProgramCallers::add_new() {
  const std::lock_guard lock(adding);
  for (const Object& object : loaded_objects()) {
    const bool is_known =
        object.range.begin >= executable_begin_ && object.range.end() <= executable_end_;
    if (is_known || count_ == ranges_max || find(object.range.begin) != nullptr) continue;
    ranges_[count_] = {object.range.begin,
                       object.range.end(),
                       !is_mpi_beginning_ && !is_mpi(object.name) && !is_system(object.name),
                       is_system(object.name),
                       is_hosts(object.name),
                       is_openmp(object.name)};
    __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
  }
}

void ProgramCallers::mpi_begins() {
  add_new();
  is_mpi_beginning_ = true;
}

void ProgramCallers::mpi_has_begun() {
  add_new();
  is_mpi_beginning_ = false;
}

std::uint64_t ProgramCallers::look_up(std::uintptr_t place) {
  const Range* const range = known(place);
  const bool is_program = range != nullptr && range->is_program;
  const bool allocates = is_program && !range->is_openmp && !(range->is_hosts && is_built_by_us_);
  const std::uint64_t found =
      place << kind_bits | (is_program ? program_bit : 0) | (allocates ? allocates_bit : 0);
  __atomic_store_n(&places_[index_of(place)], found, __ATOMIC_RELAXED);
  return found;
}

ProgramCallers& program_callers() {
  static ProgramCallers of_process;
  return of_process;
}

}  // namespace orrery::on_hardware
