// Where instructions of x86-64 end, and which of them are atomic.
#pragma once

#include <cstddef>
#include <span>

namespace orrery::cli {

struct Instruction {
  std::size_t bytes = 0;   ///< 0: there is none that programs have
  bool is_atomic = false;  ///< locked, or an exchange with memory, which is so without saying it
};

/// The one that begins there.
[[nodiscard]] Instruction decode_instruction(std::span<const std::byte> code);

}  // namespace orrery::cli
