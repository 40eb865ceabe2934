#include "told_already.hpp"

#include <span>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include <orrery/network_model/usage_error.hpp>

#include "memory_file.hpp"

namespace orrery::host {

// Few enough to stay in the nearer caches, and not so few that there are many mappings.
ToldAlready::Mapping ToldAlready::repeated(std::uint64_t word, std::size_t pattern_bytes,
                                           std::size_t bytes) {
  void* const begin =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return {};
  Mapping mapping{begin, bytes};
  try {
    const std::vector<std::uint64_t> pattern(pattern_bytes / sizeof word, word);
    const MemoryFile file("orrery-told");
    file.write(std::as_bytes(std::span(pattern)).data(), pattern_bytes, 0);
    for (std::size_t at = 0; at < bytes; at += pattern_bytes) {
      void* const piece = mmap(static_cast<std::byte*>(begin) + at, pattern_bytes, PROT_READ,
                               MAP_SHARED | MAP_FIXED, file.descriptor(), 0);
      if (piece != MAP_FAILED) continue;
      remove(mapping);
      break;
    }
  } catch (const UsageError&) {  // it goes without
    remove(mapping);
  }
  return mapping;
}

void ToldAlready::remove(Mapping& mapping) {
  if (mapping.begin != nullptr) munmap(mapping.begin, mapping.bytes);
  mapping = {};
}

OrreryToldWord* const* ToldAlready::words() {
  if (!std::exchange(has_tried_, true)) {
    leaf_ = repeated(~OrreryToldWord{0}, std::size_t{1} << 16U,
                     ORRERY_TOLD_LEAF_WORDS * sizeof(OrreryToldWord));
    if (leaf_.begin != nullptr) {
      directory_ = repeated(reinterpret_cast<std::uintptr_t>(leaf_.begin), std::size_t{1} << 20U,
                            ORRERY_TOLD_LEAVES * sizeof(OrreryToldWord*));
    }
  }
  return static_cast<OrreryToldWord* const*>(directory_.begin);
}

ToldAlready::~ToldAlready() {
  remove(leaf_);
  remove(directory_);
}

}  // namespace orrery::host
