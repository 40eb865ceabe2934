// Long jumps that put the mask of signals back: the thread's in the simulated process.
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <optional>

#include "caller.hpp"
#include "ranks/next_function.hpp"
#include "ranks/program_signals.hpp"
#include "ranks/rank_context.hpp"

using orrery::host::next_function;
using orrery::host::ProgramSignals;
using orrery::host::running;
using orrery::host::SignalSet;

namespace {

using SetJump = int (*)(__jmp_buf_tag*, int);
using Jump = void (*)(__jmp_buf_tag*, int);

/// Lies where the C library has room for more signals than there are.
struct KeptMask {
  SignalSet mask;
  SignalSet complement;  ///< else it is none
};

std::byte* place_of_mask(__jmp_buf_tag* state) {
  return reinterpret_cast<std::byte*>(&state->__saved_mask + 1) - sizeof(KeptMask);
}

std::optional<SignalSet> kept_mask(__jmp_buf_tag* state) {
  if (state->__mask_was_saved == 0) return std::nullopt;
  KeptMask kept{};
  std::memcpy(&kept, place_of_mask(state), sizeof kept);
  return kept.complement == ~kept.mask ? std::optional(kept.mask) : std::nullopt;
}

void put_mask_back(__jmp_buf_tag* state, std::uintptr_t program_counter) {
  auto* const signals = ProgramSignals::known();
  if (signals == nullptr) return;
  const auto mask = kept_mask(state);
  if (!mask) return;
  sigset_t set;
  orrery::host::put_set(*mask, set);
  signals->set_mask(SIG_SETMASK, &set, nullptr);
  signals->deliver(program_counter);
}

/// `next` keeps what has been found under the name.
[[noreturn]] void jump(Jump& next, const char* name, __jmp_buf_tag* state, int value,
                       std::uintptr_t program_counter) {
  put_mask_back(state, program_counter);
  if (next == nullptr) next = next_function<Jump>(name);
  next(state, value);
  __builtin_unreachable();
}

}  // namespace

// The C library's is to see the frame of our caller, which it comes back to.
__asm__(R"(
  .text
  .globl __sigsetjmp
  .type __sigsetjmp, @function
__sigsetjmp:
  .cfi_startproc
  endbr64
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call orrery_begin_sigsetjmp
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size __sigsetjmp, .-__sigsetjmp
)");

extern "C" {

extern const char orrery_interposed_jumps;
const char orrery_interposed_jumps = 0;

/// Keeps the mask, and returns who does the rest.
[[gnu::used, gnu::visibility("hidden")]] SetJump orrery_begin_sigsetjmp(__jmp_buf_tag* state,
                                                                        int keeps_mask) {
  if (keeps_mask != 0 && running().user != nullptr) {
    auto* const signals = ProgramSignals::known();
    const SignalSet mask = signals != nullptr ? signals->mask() : 0;
    const KeptMask kept{mask, ~mask};
    std::memcpy(place_of_mask(state), &kept, sizeof kept);
  }
  static constinit SetJump next = nullptr;
  if (next == nullptr) next = next_function<SetJump>("__sigsetjmp");
  return next;
}

void siglongjmp(__jmp_buf_tag* state, int value) {
  static constinit Jump next = nullptr;
  jump(next, "siglongjmp", state, value, ORRERY_CALLER);
}

void longjmp(__jmp_buf_tag* state, int value) noexcept {
  static constinit Jump next = nullptr;
  jump(next, "longjmp", state, value, ORRERY_CALLER);
}

void _longjmp(__jmp_buf_tag* state, int value) noexcept {
  static constinit Jump next = nullptr;
  jump(next, "_longjmp", state, value, ORRERY_CALLER);
}

[[noreturn]] void __longjmp_chk(__jmp_buf_tag* state, int value) {
  static constinit Jump next = nullptr;
  jump(next, "__longjmp_chk", state, value, ORRERY_CALLER);
}
}
