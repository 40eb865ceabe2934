// What Linux does when it calls a handler: a frame on the stack of the thread that the signal is
// for.
#pragma once

#include <cstddef>
#include <cstdint>

#include <signal.h>

namespace orrery::host {

/// The part of a stack that handlers may use.
struct StackRange {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  [[nodiscard]] bool has(std::uintptr_t address) const { return address - begin < bytes; }
};

using HandlerEntry = void (*)(int signal, siginfo_t* info, void* context);

/// The stack pointer of what a signal has interrupted.
[[nodiscard]] std::uintptr_t interrupted_stack_pointer(const void* context);

/// In a handler of ours, which was called by the kernel on a stack that all tasks have in common:
/// once it returns, `entry` is called as if by the kernel, in a copy of its frame below `top`.  So
/// the task may lose its turn there, or leave it by a long jump; if it returns, the registers are
/// put back as the copy then has them.  False: the frame does not fit.
[[nodiscard]] bool enter_on(const StackRange& stack, std::uintptr_t top, HandlerEntry entry,
                            int signal, const siginfo_t* info, void* context);

}  // namespace orrery::host
