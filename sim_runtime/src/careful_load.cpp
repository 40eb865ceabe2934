#include "careful_load.hpp"

#include <ucontext.h>

// Its one access, of 8, 4, 2 or 1 bytes; behind a fault it goes on at `orrery_load_nothing`.
// Nothing is on the stack but the way back, and no sanitizer looks.
asm(R"(
.text
.hidden orrery_load
.hidden orrery_load_nothing
.globl orrery_load
.globl orrery_load_nothing
.type orrery_load, @function
orrery_load:
  cmpq $8, %rsi
  je 8f
  cmpq $4, %rsi
  je 4f
  cmpq $2, %rsi
  je 2f
  movzbl (%rdi), %eax
  ret
8: movq (%rdi), %rax
  ret
4: movl (%rdi), %eax
  ret
2: movzwl (%rdi), %eax
  ret
orrery_load_nothing:
  xorl %eax, %eax
  ret
.size orrery_load, . - orrery_load
)");

extern "C" {
[[gnu::visibility("hidden")]] std::uint64_t orrery_load(const void* from, std::size_t bytes);
[[gnu::visibility("hidden")]] extern const char orrery_load_nothing[];
}

namespace orrery::detail {

std::uint64_t careful_load(const void* from, std::size_t bytes) {
  if (bytes == 8 || bytes == 4 || bytes == 2) return orrery_load(from, bytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= orrery_load(static_cast<const std::byte*>(from) + i, 1) << (8 * i);
  }
  return value;
}

bool resume_careful_load(void* context) {
  auto& program_counter = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  const auto at = static_cast<std::uintptr_t>(program_counter);
  const auto end = reinterpret_cast<std::uintptr_t>(orrery_load_nothing);
  if (at < reinterpret_cast<std::uintptr_t>(&orrery_load) || at >= end) return false;
  program_counter = static_cast<greg_t>(end);
  return true;
}

}  // namespace orrery::detail
