#include "fault_frame.hpp"

#include <cstring>

#include <ucontext.h>

namespace orrery::host {
namespace {

// As the kernel lays it down: where a handler returns to, the context, what there is to know, and
// beyond them the state of the floating-point unit.
constexpr std::uintptr_t return_address_bytes = 8;
constexpr std::uintptr_t call_alignment_bytes = 16;
constexpr std::uintptr_t float_alignment_bytes = 64;
constexpr std::size_t float_bytes_least = 512;
constexpr std::size_t float_extension_offset = 464;
constexpr std::uint32_t float_extension_magic = 0x46505853;
constexpr greg_t trap_and_direction_flags = 0x500;

struct FloatExtension {
  std::uint32_t magic;
  std::uint32_t all_bytes;
};

std::size_t float_bytes(const void* state) {
  FloatExtension extension{};
  std::memcpy(&extension, static_cast<const std::byte*>(state) + float_extension_offset,
              sizeof extension);
  return extension.magic == float_extension_magic ? extension.all_bytes : float_bytes_least;
}

std::byte* at(std::uintptr_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

std::uintptr_t interrupted_stack_pointer(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  return static_cast<std::uintptr_t>(registers[REG_RSP]);
}

bool enter_on(const StackRange& stack, std::uintptr_t top, HandlerEntry entry, int signal,
              const siginfo_t* info, void* context) {
  auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(context) - return_address_bytes;
  const std::uintptr_t info_at = reinterpret_cast<std::uintptr_t>(info) - from;
  const std::size_t frame_bytes = info_at + sizeof *info;
  const std::size_t float_size = machine.fpregs == nullptr ? 0 : float_bytes(machine.fpregs);
  const std::uintptr_t float_at = (top - float_size) & ~(float_alignment_bytes - 1);
  const std::uintptr_t frame =
      ((float_at - frame_bytes) & ~(call_alignment_bytes - 1)) - return_address_bytes;
  if (!stack.has(frame)) return false;
  std::memcpy(at(frame), at(from), frame_bytes);
  auto& copy = *reinterpret_cast<ucontext_t*>(at(frame + return_address_bytes));
  if (float_size > 0) {
    std::memcpy(at(float_at), machine.fpregs, float_size);
    copy.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(at(float_at));
  }
  const auto set = [&](int which, std::uintptr_t value) {
    machine.gregs[which] = static_cast<greg_t>(value);
  };
  set(REG_RIP, reinterpret_cast<std::uintptr_t>(entry));
  set(REG_RSP, frame);
  set(REG_RDI, static_cast<std::uintptr_t>(signal));
  set(REG_RSI, frame + info_at);
  set(REG_RDX, reinterpret_cast<std::uintptr_t>(&copy));
  set(REG_RAX, 0);
  machine.gregs[REG_EFL] &= ~trap_and_direction_flags;
  machine.fpregs = nullptr;  // to the kernel: as it is when a program begins
  return true;
}

}  // namespace orrery::host
