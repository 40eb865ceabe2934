// Where a thread has what is its own.
#pragma once

#include "loaded_range.hpp"

namespace orrery::on_hardware {

/// The calling thread's stack: as far as it may grow.
[[nodiscard]] ByteRange own_stack();
/// Its thread-local variables: of the program and of libraries that were there from the start, with
/// what the C library knows of it; and of the program alone.
struct ThreadLocals {
  ByteRange all;
  ByteRange of_program;
};
[[nodiscard]] ThreadLocals own_thread_locals();

/// The arguments and the environment that the process began with.
[[nodiscard]] ByteRange process_start();

}  // namespace orrery::on_hardware
