#include "thread_context.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <link.h>

#include <orrery/network_model/usage_error.hpp>

#include "memory/given_blocks.hpp"
#include "memory/program_memory.hpp"
#include "next_function.hpp"
#include "programs/program_modules.hpp"
#include "programs/static_thread_locals.hpp"
#include "rank_context.hpp"

// The loader's own way to a thread-local variable.
struct TlsIndex {
  unsigned long module;
  unsigned long offset;
};
extern "C" void* __tls_get_addr(TlsIndex* index);

namespace orrery::host {
namespace {

/// What a new block of thread-local variables holds.
struct Module {
  const void* image = nullptr;
  std::size_t image_bytes = 0;
  std::size_t bytes = 0;
  std::size_t alignment = 1;
};

// The last module whose variables are common to all threads; 0: no program has been loaded.  Read
// before libraries of sanitizers have begun, which no variable with a destructor would bear.
constinit std::size_t common_modules = 0;

/// The others.
std::vector<Module>& modules() {
  static std::vector<Module> known;
  return known;
}

int note_module(dl_phdr_info* object, std::size_t, void*) {
  if (object->dlpi_tls_modid == 0) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_TLS) continue;
    if (object->dlpi_tls_modid <= common_modules) return 0;
    auto& known = modules();
    const std::size_t index = object->dlpi_tls_modid - common_modules - 1;
    if (index >= known.size()) known.resize(index + 1);
    known[index] = {reinterpret_cast<const void*>(object->dlpi_addr + segment.p_vaddr),
                    segment.p_filesz, segment.p_memsz,
                    std::max<std::size_t>(segment.p_align, sizeof(void*))};
  }
  return 0;
}

struct Range {
  std::uintptr_t begin;
  std::uintptr_t end;
};

/// Where the modules lie that were there before the first program.
std::vector<Range>& common_ranges() {
  static std::vector<Range> ranges;
  return ranges;
}

int note_common(dl_phdr_info* object, std::size_t, void*) {
  common_modules = std::max<std::size_t>(common_modules, object->dlpi_tls_modid);
  if (program_modules.came_with_program(*object)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    common_ranges().push_back({begin, begin + segment.p_memsz});
  }
  return 0;
}

}  // namespace

void remember_common_modules() {
  if (common_modules == 0) dl_iterate_phdr(note_common, nullptr);
  modules().clear();  // a new program may have taken the number of an old one
}

bool is_in_common_module(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return std::ranges::any_of(
      common_ranges(), [at](const Range& range) { return at >= range.begin && at < range.end; });
}

bool is_later_module(std::size_t module) {
  return module > common_modules;
}

bool has_programs() {
  return common_modules != 0;
}

std::byte* system_thread_block(std::size_t module) {
  TlsIndex begin{module, 0};
  return static_cast<std::byte*>(original<&__tls_get_addr>("__tls_get_addr")(&begin));
}

void* ThreadContext::thread_local_block(std::size_t module) {
  const std::size_t index = module - common_modules - 1;
  if (index < blocks_.size() && blocks_[index] != nullptr) return blocks_[index];
  Module wanted;
  {
    const HostScope ours;
    auto* const fixed = host::static_thread_locals().block_of(module);
    const auto& known = modules();
    if (index >= known.size() || known[index].bytes == 0) {
      dl_iterate_phdr(note_module, nullptr);
    }
    if (index >= blocks_.size()) blocks_.resize(index + 1);
    if (fixed != nullptr) return blocks_[index] = fixed;
    wanted = known[index];
  }
  // The program's own memory: it goes with the run, and lies at the same place in each.
  const std::size_t bytes =
      (wanted.bytes + wanted.alignment - 1) / wanted.alignment * wanted.alignment;
  void* memory = nullptr;
  if (__interceptor_malloc == nullptr) {
    memory = given(rank_memory.heap_of(rank_->rank()).allocate_aligned(wanted.alignment, bytes));
  }
  if (memory == nullptr) memory = std::aligned_alloc(wanted.alignment, bytes);
  auto* const block = static_cast<std::byte*>(memory);
  detail::ensure(block != nullptr, "there is memory for thread-local variables");
  std::memcpy(block, wanted.image, wanted.image_bytes);
  std::memset(block + wanted.image_bytes, 0, bytes - wanted.image_bytes);
  blocks_[index] = block;
  return block;
}

void ThreadContext::forget_thread_locals(std::size_t module) {
  const std::size_t index = module - common_modules - 1;
  if (module > common_modules && index < blocks_.size()) blocks_[index] = nullptr;
}

void call_all(std::vector<ExitHandler>& handlers) {
  while (!handlers.empty()) {
    const auto handler = handlers.back();
    handlers.pop_back();
    handler.function(handler.argument);
  }
}

}  // namespace orrery::host

extern "C" {

extern const char orrery_thread_locals;
const char orrery_thread_locals = 0;

// What compilers call for a thread-local variable of a library, and of a program that is loaded as
// one.  The loader knows one thread: ours are told apart here.
void* __tls_get_addr(TlsIndex* index) {
  using orrery::host::running;
  const auto& now = running();
  if (now.user != nullptr && index->module > orrery::host::common_modules) {
    return static_cast<std::byte*>(now.thread->thread_local_block(index->module)) + index->offset;
  }
  return orrery::host::original<&__tls_get_addr>("__tls_get_addr")(index);
}
}
