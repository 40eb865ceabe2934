// Where a thread has what is its own.
#pragma once

#include <cstdint>

namespace orrery::on_hardware {

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] bool has(std::uint64_t address) const { return address - begin < bytes; }
};

/// The calling thread's stack: as far as it may grow.
[[nodiscard]] ByteRange own_stack();
/// Its thread-local variables: of the program and of libraries that were there from the start, with
/// what the C library knows of it; and of the program alone.
struct ThreadLocals {
  ByteRange all;
  ByteRange of_program;
};
[[nodiscard]] ThreadLocals own_thread_locals();

}  // namespace orrery::on_hardware
