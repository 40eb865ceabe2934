#include "call_at_line.hpp"

// Whoever walks the stack, or unwinds it, finds the frame above by the saved frame pointer.
__asm__(R"(
  .text
  .type orrery_call_at_line, @function
  .hidden orrery_call_at_line
  .globl orrery_call_at_line
orrery_call_at_line:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  and $-64, %rsp
  mov %rsp, (%r8)
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  call *%rax
  leave
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size orrery_call_at_line, .-orrery_call_at_line
)");
