#include "program_copy.hpp"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

// Up to here copying the whole is faster than having touched pages mapped anew.
constexpr std::size_t copied_bytes_max = 64 * 1024;
constexpr std::uintptr_t page_bytes = 4096;

void allow_many_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int make_file(const char* name) {
  int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0 && errno == EMFILE) {
    allow_many_open_files();
    file = memfd_create(name, MFD_CLOEXEC);
  }
  if (file >= 0) return file;
  throw UsageError(fmt::format("no file for another copy of the program: {}", std::strerror(errno)),
                   name, "use fewer ranks, or raise the limit on open files (`ulimit -n`)");
}

void write_all(int file, const std::byte* bytes, std::size_t size, std::size_t offset) {
  while (size > 0) {
    const ssize_t written = pwrite(file, bytes, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw UsageError(
          fmt::format("no memory for another copy of the program: {}", std::strerror(errno)),
          "ranks", "use fewer ranks");
    }
    bytes += written;
    offset += static_cast<std::size_t>(written);
    size -= static_cast<std::size_t>(written);
  }
}

bool is_zero(const std::byte* bytes, std::size_t size) {
  return size == 0 || (bytes[0] == std::byte{0} && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

}  // namespace

ProgramCopy::ProgramCopy(const ProgramFile& file) : file_(&file) {
  load();
  take_snapshot();
}

void ProgramCopy::load() {
  descriptor_ = make_file(file_->path().filename().c_str());
  write_all(descriptor_, file_->bytes().data(), file_->bytes().size(), 0);
  // Not /proc/self: a debugger opens the file by the name that the loader was given.
  const std::string path = fmt::format("/proc/{}/fd/{}", getpid(), descriptor_);
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* const message = dlerror();
    close(descriptor_);
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
  close(descriptor_);
}

void ProgramCopy::take_snapshot() {
  for (const AddressRange& range : file_->writable) {
    Region region{address(range.begin), range.size(), {}};
    if (region.size <= copied_bytes_max) {
      region.content.assign(region.begin, region.begin + region.size);
    } else {
      map_privately(region);
    }
    regions_.push_back(std::move(region));
  }
}

// AddressSanitizer watches memcpy, and would object to the red zones between a program's variables,
// which are restored with them.
static void copy_unwatched(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  std::memcpy(to, from, bytes);
#endif
}

// A private mapping of a file falls back to the file when its pages are given up: a run then costs
// what it touches, not what the program has.
void ProgramCopy::map_privately(Region& region) {
  const auto begin = reinterpret_cast<std::uintptr_t>(region.begin) & ~(page_bytes - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(region.begin) + region.size + page_bytes - 1) &
                   ~(page_bytes - 1);
  region.begin = reinterpret_cast<std::byte*>(begin);
  region.size = end - begin;
  const int file = make_file("orrery snapshot");
  const bool has_room = ftruncate(file, static_cast<off_t>(region.size)) == 0;
  for (std::size_t at = 0; has_room && at < region.size; at += page_bytes) {
    if (!is_zero(region.begin + at, page_bytes)) {
      write_all(file, region.begin + at, page_bytes, at);
    }
  }
  void* const mapping = mmap(region.begin, region.size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0);
  close(file);
  if (!has_room || mapping == MAP_FAILED) {
    throw UsageError(fmt::format("no memory for a snapshot of {} bytes", region.size),
                     file_->path().string(), "use fewer ranks");
  }
}

void ProgramCopy::restore() {
  for (Region& region : regions_) {
    if (region.content.empty()) {
      madvise(region.begin, region.size, MADV_DONTNEED);
    } else {
      copy_unwatched(region.begin, region.content.data(), region.size);
    }
  }
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
