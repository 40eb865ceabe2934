// Blocks of memory that the program gets.
#pragma once

#include <cerrno>

#include "memory/program_memory.hpp"
#include "programs/program_hooks.hpp"
#include "ranks/rank_context.hpp"

namespace orrery::host {

/// Do blocks matter to who watches accesses?
inline bool are_blocks_watched() {
  return running().user != nullptr && running().hooks != nullptr &&
         running().hooks->watches_blocks();
}

/// The running thread has got a block of the program's heap just now, or, with `errno`, none.
/// Returns it.
inline void* given(void* block) noexcept {
  if (block == nullptr) {
    errno = ENOMEM;
  } else if (are_blocks_watched()) {
    running().hooks->take_block(block, user_heap.usable_bytes(block));
  }
  return block;
}

}  // namespace orrery::host
