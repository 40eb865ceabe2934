#include "careful_access.hpp"

#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

// Each has one access, of 8, 4, 2 or 1 bytes; behind a fault it goes on at its end.  Nothing is on
// the stack but the way back, and no sanitizer looks: the word may reach beyond a block of memory.
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

.hidden orrery_store
.hidden orrery_store_nothing
.globl orrery_store
.globl orrery_store_nothing
.type orrery_store, @function
orrery_store:
  cmpq $8, %rsi
  je 8f
  cmpq $4, %rsi
  je 4f
  cmpq $2, %rsi
  je 2f
  movb %dl, (%rdi)
  ret
8: movq %rdx, (%rdi)
  ret
4: movl %edx, (%rdi)
  ret
2: movw %dx, (%rdi)
  ret
orrery_store_nothing:
  ret
.size orrery_store, . - orrery_store
)");

extern "C" {
[[gnu::visibility("hidden")]] std::uint64_t orrery_load(const void* from, std::size_t bytes);
[[gnu::visibility("hidden")]] extern const char orrery_load_nothing[];
[[gnu::visibility("hidden")]] void orrery_store(void* to, std::size_t bytes, std::uint64_t value);
[[gnu::visibility("hidden")]] extern const char orrery_store_nothing[];
}

namespace orrery::detail {
namespace {

// Of the process, as the handlers of its signals are.
bool resumes = false;

std::uint64_t load_by_system(const void* from, std::size_t bytes) {
  std::uint64_t value = 0;
  const iovec here{&value, bytes};
  const iovec there{const_cast<void*>(from), bytes};
  // What was read before it came to an end is as good as nothing.
  const bool is_whole =
      process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
  return is_whole ? value : 0;
}

void store_by_system(void* to, std::size_t bytes, std::uint64_t value) {
  const iovec here{&value, bytes};
  const iovec there{to, bytes};
  [[maybe_unused]] const auto written = process_vm_writev(getpid(), &here, 1, &there, 1, 0);
}

}  // namespace

void set_resumes_careful_accesses(bool is_so) {
  resumes = is_so;
}

std::uint64_t careful_load(const void* from, std::size_t bytes) {
  if (!resumes) return load_by_system(from, bytes);
  if (bytes == 8 || bytes == 4 || bytes == 2) return orrery_load(from, bytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= orrery_load(static_cast<const std::byte*>(from) + i, 1) << (8 * i);
  }
  return value;
}

void careful_store(void* to, std::size_t bytes, std::uint64_t value) {
  if (!resumes) return store_by_system(to, bytes, value);
  if (bytes == 8 || bytes == 4 || bytes == 2) return orrery_store(to, bytes, value);
  for (std::size_t i = 0; i < bytes; ++i) {
    orrery_store(static_cast<std::byte*>(to) + i, 1, value >> (8 * i));
  }
}

bool resume_careful_access(void* context) {
  auto& program_counter = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  const auto at = static_cast<std::uintptr_t>(program_counter);
  const auto goes_on = [&](auto* begin, const char* behind) {
    const auto end = reinterpret_cast<std::uintptr_t>(behind);
    if (at < reinterpret_cast<std::uintptr_t>(begin) || at >= end) return false;
    program_counter = static_cast<greg_t>(end);
    return true;
  };
  return goes_on(&orrery_load, orrery_load_nothing) || goes_on(&orrery_store, orrery_store_nothing);
}

}  // namespace orrery::detail
