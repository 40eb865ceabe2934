#include "program_copy.hpp"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/program_host/taken_process.hpp>

#include "copied_variables.hpp"
#include "function_symbols.hpp"

namespace orrery::host {
namespace {

// Of each rank, however many there are.
constexpr std::size_t copied_bytes_min = 64 * 1024;

}  // namespace

ProgramCopy::ProgramCopy(const ProgramFiles& files, std::uint32_t copies)
    : snapshot_(std::max(MemorySnapshot::copied_bytes_max / copies, copied_bytes_min)) {
  if (taken_process() != nullptr) {
    take(files.program());
    return;
  }
  for (const auto& library : files.found_by_place()) load_or_refuse(library, library);
  write_parts(files);
  load();
  for (const Part& part : parts_) {
    for (const AddressRange& range : part.file->writable) {
      snapshot_.add(part.address(range.begin), range.size(), part.file->path().c_str());
    }
  }
}

// Not /proc/self: a debugger opens the file by the name that the loader was given.
std::string ProgramCopy::Part::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), memory->descriptor());
}

// Each library is called by the name of its copy: so the loader finds it, and each copy of the
// program has its own.
void ProgramCopy::write_parts(const ProgramFiles& files) {
  for (const ProgramFile& file : files.all()) {
    parts_.push_back({&file, MemoryFile(file.path().filename().string()), 0});
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::vector<ProgramFile::Renaming> renamings;
    for (const auto& need : files.needs(i)) {
      renamings.push_back({need.index, parts_[need.file].path()});
    }
    const auto bytes = parts_[i].file->bytes_with(renamings);
    parts_[i].memory->write(bytes.data(), bytes.size(), 0);
  }
}

void* ProgramCopy::load_or_refuse(const std::string& path, const std::filesystem::path& name) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* const message = dlerror();
  throw UsageError(fmt::format("the program cannot be loaded: {}", message), name.string(),
                   "all its libraries must be found, as when it runs by itself: see `ldd`");
}

void ProgramCopy::load() {
  handle_ = load_or_refuse(parts_.back().path(), parts_.back().file->path());
  for (Part& part : parts_) {
    void* const handle = load_or_refuse(part.path(), part.file->path());
    link_map* map = nullptr;
    dlinfo(handle, RTLD_DI_LINKMAP, &map);
    part.base = map->l_addr;
    dlclose(handle);  // the program's own handle keeps it
  }
  const auto* const entry = static_cast<const Main*>(dlsym(handle_, "orrery_program_main"));
  detail::ensure(entry != nullptr, "a program with our note has our start object");
  main_ = *entry;
}

void ProgramCopy::take(const ProgramFile& program) {
  handle_ = dlopen(nullptr, RTLD_NOW);
  const link_map* map = nullptr;
  dlinfo(handle_, RTLD_DI_LINKMAP, &map);
  main_ = taken_process()->main;
  const Part& part = parts_.emplace_back(Part{&program, std::nullopt, map->l_addr});
  const auto shared = copied_variables(*map);
  for (const AddressRange& range : program.writable) {
    std::uintptr_t begin = part.base + range.begin;
    const std::uintptr_t end = part.base + range.end;
    const auto add_up_to = [&](std::uintptr_t limit) {
      if (begin >= limit) return;
      snapshot_.add(reinterpret_cast<std::byte*>(begin), limit - begin, program.path().c_str());
    };
    for (const AddressRange& variable : shared) {
      if (variable.end <= begin || variable.begin >= end) continue;
      add_up_to(variable.begin);
      begin = variable.end;
    }
    add_up_to(end);
  }
}

ProgramCopy::~ProgramCopy() {
  dlclose(handle_);
}

bool ProgramCopy::contains(const void* place) const {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  return std::any_of(parts_.begin(), parts_.end(), [at](const Part& part) {
    return at >= part.base && at - part.base < part.file->loaded_end;
  });
}

bool ProgramCopy::is_code(const void* place) const {
  const auto at = reinterpret_cast<std::uintptr_t>(place);
  return std::any_of(parts_.begin(), parts_.end(), [at](const Part& part) {
    return at >= part.base + part.file->code.begin && at < part.base + part.file->code.end;
  });
}

std::vector<std::byte*> ProgramCopy::functions(const std::string& name) const {
  std::vector<std::byte*> all;
  for (const Part& part : parts_) {
    for (const std::uintptr_t begin : functions_named(part.file->bytes(), name)) {
      all.push_back(part.address(begin));
    }
  }
  return all;
}

void ProgramCopy::attach(OrreryHooks& hooks) const {
  for (const Part& part : parts_) {
    if (part.file->hooks_slot == 0) continue;
    OrreryHooks* const pointer = &hooks;
    std::memcpy(part.address(part.file->hooks_slot), &pointer, sizeof pointer);
  }
}

std::vector<std::uintptr_t> ProgramCopy::guards() const {
  std::vector<std::uintptr_t> all;
  for (const Part& part : parts_) {
    for (const std::uintptr_t guard : part.file->guards) all.push_back(part.base + guard);
  }
  return all;
}

void ProgramCopy::restore() {
  snapshot_.restore();
}

void ProgramCopy::call_constructors(int argc, char** argv, char** environment) const {
  using Constructor = void (*)(int, char**, char**);
  for (const Part& part : parts_) {
    const ProgramFile& file = *part.file;
    if (file.initialiser != 0) {
      reinterpret_cast<Constructor>(part.address(file.initialiser))(argc, argv, environment);
    }
    const auto* const begin =
        reinterpret_cast<const Constructor*>(part.base + file.initialisers.begin);
    const std::size_t count = file.initialisers.size() / sizeof(Constructor);
    for (std::size_t i = 0; i < count; ++i) begin[i](argc, argv, environment);
  }
}

void ProgramCopy::call_destructors() const {
  using Destructor = void (*)();
  for (std::size_t number = parts_.size(); number-- > 0;) {
    const Part& part = parts_[number];
    const ProgramFile& file = *part.file;
    const auto* const begin =
        reinterpret_cast<const Destructor*>(part.base + file.finalisers.begin);
    for (std::size_t i = file.finalisers.size() / sizeof(Destructor); i-- > 0;) begin[i]();
    if (file.finaliser != 0) reinterpret_cast<Destructor>(part.address(file.finaliser))();
  }
}

}  // namespace orrery::host
