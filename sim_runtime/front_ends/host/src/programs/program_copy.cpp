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
#include "memory/program_memory.hpp"

namespace orrery::host {
namespace {

// Of each rank, however many there are.
constexpr std::size_t copied_bytes_min = 64 * 1024;

}  // namespace

ProgramCopy::ProgramCopy(ProgramFiles& files, std::uint32_t copies, ProgramFile::Extent extent)
    : files_(&files),
      is_alone_(copies == 1),
      snapshot_(std::max(MemorySnapshot::copied_bytes_max / copies, copied_bytes_min)) {
  if (taken_process() != nullptr) {
    take(files.program());
    return;
  }
  for (const auto& library : files.found_by_place()) load_or_refuse(library, library);
  load_new_parts(extent);
  for (const Part& part : parts_) {
    for (const AddressRange& range : part.file->writable) {
      snapshot_.add(part.address(range.begin), range.size(), part.file->path().c_str());
    }
  }
  const ProgramFile& program = files.program();
  if (program.role() == ProgramFile::Role::ordinary) {
    const Part& part = parts_[files.program_number()];
    main_ = reinterpret_cast<Main>(main_of(part.address(program.ordinary.start)));
    variables_ =
        ExecutableVariables(program.ordinary.copied, part.base, program.needed, program.path());
    return;
  }
  const auto* const entry = static_cast<const Main*>(dlsym(handle(), "orrery_program_main"));
  detail::ensure(entry != nullptr, "a program with our note has our start object");
  main_ = *entry;
}

// Not /proc/self: a debugger opens the file by the name that the loader was given.
std::string ProgramCopy::Part::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), memory->descriptor());
}

// Each library is called by the name of its copy: so the loader finds it, and each copy of the
// program has its own.
void ProgramCopy::write_new_parts(ProgramFile::Extent extent) {
  const std::size_t begin = parts_.size();
  for (std::size_t i = begin; i < files_->all().size(); ++i) {
    const ProgramFile& file = files_->all()[i];
    parts_.push_back({&file, MemoryFile(file.path().filename().string())});
  }
  for (std::size_t i = begin; i < parts_.size(); ++i) {
    std::vector<ProgramFile::Renaming> renamings;
    for (const auto& need : files_->needs(i)) {
      renamings.push_back({need.index, parts_[need.file].path()});
    }
    parts_[i].file->write_copy(*parts_[i].memory, extent, renamings);
  }
}

void* ProgramCopy::load_or_refuse(const std::string& path, const std::filesystem::path& name) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* const message = dlerror();
  throw UsageError(fmt::format("the program cannot be loaded: {}", message), name.string(),
                   "all its libraries must be found, as when it runs by itself: see `ldd`");
}

// The last one first: it needs the others.
void ProgramCopy::load_new_parts(ProgramFile::Extent extent) {
  const std::size_t begin = parts_.size();
  write_new_parts(extent);
  for (std::size_t i = parts_.size(); i-- > begin;) {
    Part& part = parts_[i];
    part.handle = load_or_refuse(part.path(), part.file->path());
    link_map* map = nullptr;
    dlinfo(part.handle, RTLD_DI_LINKMAP, &map);
    part.base = map->l_addr;
  }
}

void ProgramCopy::take(const ProgramFile& program) {
  void* const handle = dlopen(nullptr, RTLD_NOW);
  const link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  main_ = taken_process()->main;
  const Part& part = parts_.emplace_back(Part{&program, std::nullopt, map->l_addr, handle});
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

void ProgramCopy::leave_loaded() {
  for (Part& part : parts_) part.handle = nullptr;
}

ProgramCopy::~ProgramCopy() {
  for (std::size_t i = parts_.size(); i-- > 0;) {
    if (parts_[i].handle != nullptr) dlclose(parts_[i].handle);
  }
}

std::vector<std::size_t> ProgramCopy::load(const std::filesystem::path& library) {
  const std::size_t number = files_->opened(library);
  if (number >= parts_.size()) {
    for (const auto& place : files_->found_by_place()) load_or_refuse(place, place);
    const std::size_t begin = parts_.size();
    // What is opened may call the program.  Of several copies it would find that of another rank.
    const Part& program = parts_[files_->program_number()];
    if (is_alone_ && program.memory.has_value()) {
      dlclose(dlopen(program.path().c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL));
    }
    load_new_parts(ProgramFile::Extent::whole);  // it may be the only one that opens them
    for (std::size_t i = begin; i < parts_.size(); ++i) {
      for (const AddressRange& range : parts_[i].file->writable) {
        parts_[i].snapshot.add(parts_[i].address(range.begin), range.size(),
                               parts_[i].file->path().c_str());
      }
    }
  }
  return files_->with_needs(number);
}

void* ProgramCopy::open(const std::vector<std::size_t>& parts, int argc, char** argv,
                        char** environment) {
  void* handle = nullptr;
  for (const std::size_t number : parts) {
    Part& part = parts_[number];
    handle = part.handle;
    const bool is_first = part.openings++ == 0;
    if (is_first && number > files_->program_number()) {
      call_constructors(part, argc, argv, environment);
    }
  }
  return handle;  // of the last: the others are what it needs
}

std::vector<std::size_t> ProgramCopy::opened_by(const void* handle) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].handle == handle && parts_[i].openings > 0) return files_->with_needs(i);
  }
  return {};
}

bool ProgramCopy::has_open(const std::filesystem::path& library) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    std::error_code error;
    return part.openings > 0 && std::filesystem::equivalent(part.file->path(), library, error);
  });
}

bool ProgramCopy::contains(const Part& part, const void* place) const {
  const auto at = reinterpret_cast<std::uintptr_t>(place) - part.base;
  return at >= part.file->loaded.begin && at < part.file->loaded.end;
}

bool ProgramCopy::contains(std::size_t part, const void* place) const {
  return contains(parts_[part], place);
}

bool ProgramCopy::contains(const void* place) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return contains(part, place); });
}

std::vector<MemoryRange> ProgramCopy::ranges() const {
  std::vector<MemoryRange> all;
  for (const Part& part : parts_) {
    all.push_back({part.base + part.file->loaded.begin, part.base + part.file->loaded.end});
  }
  return all;
}

std::vector<MemoryRange> ProgramCopy::variable_ranges() const {
  std::vector<MemoryRange> all;
  for (const Part& part : parts_) {
    for (const AddressRange& range : part.file->writable) {
      all.push_back({part.base + range.begin, part.base + range.end});
    }
  }
  return all;
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
    const auto pointer = reinterpret_cast<std::uintptr_t>(&hooks);
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
  for (Part& part : parts_) {
    part.snapshot.restore();
    part.openings = 0;
  }
}

void ProgramCopy::call_constructors(const Part& part, int argc, char** argv, char** environment) {
  using Constructor = void (*)(int, char**, char**);
  const ProgramFile& file = *part.file;
  if (file.initialiser != 0) {
    reinterpret_cast<Constructor>(part.address(file.initialiser))(argc, argv, environment);
  }
  const auto* const begin =
      reinterpret_cast<const Constructor*>(part.base + file.initialisers.begin);
  const std::size_t count = file.initialisers.size() / sizeof(Constructor);
  for (std::size_t i = 0; i < count; ++i) begin[i](argc, argv, environment);
}

void ProgramCopy::call_destructors(const Part& part) {
  using Destructor = void (*)();
  const ProgramFile& file = *part.file;
  const auto* const begin = reinterpret_cast<const Destructor*>(part.base + file.finalisers.begin);
  for (std::size_t i = file.finalisers.size() / sizeof(Destructor); i-- > 0;) begin[i]();
  if (file.finaliser != 0) reinterpret_cast<Destructor>(part.address(file.finaliser))();
}

void ProgramCopy::call_constructors(int argc, char** argv, char** environment) {
  for (std::size_t i = 0; i <= files_->program_number(); ++i) {
    ++parts_[i].openings;
    // On real cores, too, its libraries' come before anything is recorded.
    if (i == files_->program_number()) begin_arena(*running().thread);
    call_constructors(parts_[i], argc, argv, environment);
  }
}

void ProgramCopy::call_destructors() {
  for (std::size_t i = parts_.size(); i-- > 0;) {
    if (parts_[i].openings > 0) call_destructors(parts_[i]);
  }
}

}  // namespace orrery::host
