#include "program_copy.hpp"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>

// The loader's own way to a thread-local variable.
struct TlsIndex {
  unsigned long module;
  unsigned long offset;
};
extern "C" void* __tls_get_addr(TlsIndex*);

namespace orrery::host {
namespace {

// Of each rank, however many there are.
constexpr std::size_t copied_bytes_min = 64 * 1024;

}  // namespace

ProgramCopy::ProgramCopy(const ProgramFile& file, std::uint32_t copies)
    : file_(&file),
      memory_(file.path().filename().string()),
      snapshot_(std::max(MemorySnapshot::copied_bytes_max / copies, copied_bytes_min)) {
  load();
  for (const AddressRange& range : file_->writable) {
    snapshot_.add(address(range.begin), range.size(), file_->path().c_str());
  }
}

void ProgramCopy::load() {
  memory_.write(file_->bytes().data(), file_->bytes().size(), 0);
  // Not /proc/self: a debugger opens the file by the name that the loader was given.
  const std::string path = fmt::format("/proc/{}/fd/{}", getpid(), memory_.descriptor());
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* const message = dlerror();
    throw UsageError(fmt::format("the program cannot be loaded: {}", message),
                     file_->path().string(),
                     "all its libraries must be found, as when it runs by itself: see `ldd`");
  }
  link_map* map = nullptr;
  dlinfo(handle_, RTLD_DI_LINKMAP, &map);
  base_ = map->l_addr;
  if (file_->has_thread_locals) {
    dlinfo(handle_, RTLD_DI_TLS_MODID, &thread_local_module_);
  }
  const auto* const entry = static_cast<const Main*>(dlsym(handle_, "orrery_program_main"));
  detail::ensure(entry != nullptr, "a program with our note has our start object");
  main_ = *entry;
}

ProgramCopy::~ProgramCopy() {
  dlclose(handle_);
}

void ProgramCopy::restore() {
  snapshot_.restore();
  if (!file_->has_thread_locals) return;
  TlsIndex index{thread_local_module_, 0};
  auto* const block = static_cast<std::byte*>(__tls_get_addr(&index));
  const std::size_t initialised = file_->thread_local_image.size();
  std::memcpy(block, address(file_->thread_local_image.begin), initialised);
  std::memset(block + initialised, 0, file_->thread_local_bytes - initialised);
}

void ProgramCopy::call_constructors(int argc, char** argv, char** environment) const {
  using Constructor = void (*)(int, char**, char**);
  if (file_->initialiser != 0) {
    reinterpret_cast<Constructor>(address(file_->initialiser))(argc, argv, environment);
  }
  const auto* const begin = reinterpret_cast<const Constructor*>(base_ + file_->initialisers.begin);
  const std::size_t count = file_->initialisers.size() / sizeof(Constructor);
  for (std::size_t i = 0; i < count; ++i) begin[i](argc, argv, environment);
}

void ProgramCopy::call_destructors() const {
  using Destructor = void (*)();
  const auto* const begin = reinterpret_cast<const Destructor*>(base_ + file_->finalisers.begin);
  for (std::size_t i = file_->finalisers.size() / sizeof(Destructor); i-- > 0;) begin[i]();
  if (file_->finaliser != 0) reinterpret_cast<Destructor>(address(file_->finaliser))();
}

}  // namespace orrery::host
