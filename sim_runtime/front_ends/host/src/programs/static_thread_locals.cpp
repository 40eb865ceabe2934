#include "static_thread_locals.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <link.h>

#include "program_modules.hpp"
#include "ranks/rank_context.hpp"

namespace orrery::host {
namespace {

std::byte* thread_pointer() {
  return static_cast<std::byte*>(__builtin_thread_pointer());
}

const ElfW(Phdr) * segment_of(const dl_phdr_info& module, std::uint32_t type) {
  const auto* const end = module.dlpi_phdr + module.dlpi_phnum;
  const auto* const found = std::find_if(
      module.dlpi_phdr, end, [type](const auto& segment) { return segment.p_type == type; });
  return found == end ? nullptr : found;
}

/// Was it built to reach its variables so?
bool says_so(const dl_phdr_info& module) {
  const auto* const segment = segment_of(module, PT_DYNAMIC);
  if (segment == nullptr) return false;
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + segment->p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FLAGS) return (entry->d_un.d_val & DF_STATIC_TLS) != 0;
  }
  return false;
}

/// All that was loaded when the process began has one; what came later, if it needs it.
bool has_fixed_place(const dl_phdr_info& module) {
  return !is_later_module(module.dlpi_tls_modid) || says_so(module);
}

}  // namespace

void StaticThreadLocals::find() {
  const auto visit = [](dl_phdr_info* module, std::size_t, void* self) {
    const auto* const segment = segment_of(*module, PT_TLS);
    if (segment == nullptr || segment->p_memsz == 0) return 0;
    if (!program_modules.came_with_program(*module) || !has_fixed_place(*module)) return 0;
    const std::byte* const now = system_thread_block(module->dlpi_tls_modid);
    if (now >= thread_pointer()) return 0;  // on x86-64 fixed places lie below it
    const auto* const image =
        reinterpret_cast<const std::byte*>(module->dlpi_addr + segment->p_vaddr);
    Block block;
    block.module = module->dlpi_tls_modid;
    block.offset = now - thread_pointer();
    block.bytes = segment->p_memsz;
    block.image.assign(image, image + segment->p_filesz);
    block.image.resize(block.bytes);
    // An earlier program of this process may have used those of a module that came later.
    block.first = block.image;
    if (!is_later_module(block.module)) block.first.assign(now, now + block.bytes);
    static_cast<StaticThreadLocals*>(self)->note(std::move(block));
    return 0;
  };
  dl_iterate_phdr(visit, this);
}

// The number of a module that has gone is given to another one.
void StaticThreadLocals::note(Block block) {
  const auto known = std::ranges::find(blocks_, block.module, &Block::module);
  if (known == blocks_.end()) {
    blocks_.push_back(std::move(block));
  } else if (is_later_module(block.module)) {
    *known = std::move(block);
  }
}

std::byte* StaticThreadLocals::place_of(const Block& block) {
  return thread_pointer() + block.offset;
}

std::byte* StaticThreadLocals::block_of(std::size_t module) const {
  const auto block = std::ranges::find(blocks_, module, &Block::module);
  return block == blocks_.end() ? nullptr : place_of(*block);
}

std::vector<MemoryRange> StaticThreadLocals::ranges_of(const ThreadContext& thread) const {
  std::vector<MemoryRange> all;
  const bool is_in_place = running().thread_in_place == &thread;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const auto& kept = thread.static_thread_locals;
    if (!is_in_place && i >= kept.size()) break;
    const std::byte* const begin = is_in_place ? place_of(blocks_[i]) : kept[i].data();
    const auto place = reinterpret_cast<std::uintptr_t>(begin);
    all.push_back({place, place + blocks_[i].bytes});
  }
  return all;
}

void StaticThreadLocals::exchange(ThreadContext& thread) const {
  ThreadContext* const former = std::exchange(running().thread_in_place, &thread);
  if (former != nullptr && !former->has_ended) {
    auto& kept = former->static_thread_locals;
    kept.resize(blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::byte* const place = place_of(blocks_[i]);
      kept[i].assign(place, place + blocks_[i].bytes);
    }
  }
  const bool is_first = &thread == &thread.rank().threads.front();
  const auto& kept = thread.static_thread_locals;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const auto& fresh = is_first ? block.first : block.image;
    const bool is_kept = i < kept.size() && kept[i].size() == block.bytes;
    std::ranges::copy(is_kept ? kept[i] : fresh, place_of(block));
  }
}

StaticThreadLocals& static_thread_locals() {
  static StaticThreadLocals of_this_process;
  return of_this_process;
}

}  // namespace orrery::host
