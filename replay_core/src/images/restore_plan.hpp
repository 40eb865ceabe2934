// What `orrery-restore` does, step by step: the contract between it and who starts it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::detail {

/// Where a process goes on: what a called function must leave as it was, and where it returns to.
struct SavedRegisters {
  std::uint64_t rbx, rbp, r12, r13, r14, r15;
  std::uint64_t stack;        ///< after the return
  std::uint64_t instruction;  ///< where it returns to
  std::uint32_t vector_control;
  std::uint16_t float_control;
  std::uint16_t unused;
};

/// A system call to be made.
struct RestoreStep {
  enum class Kind : std::uint32_t {
    call,        ///< must not fail
    place,       ///< must give its first argument
    open,        ///< as `call`; the file is meant by the steps that follow
    read_pages,  ///< (address, bytes, offset in the plan's file)
  };
  static constexpr std::uint32_t no_argument = 6;

  Kind kind;
  std::uint32_t opened_argument;  ///< which argument is the number of the file that was opened last
  std::uint64_t number;
  std::uint64_t arguments[6];
};

/// A range of the kernel's own that is moved, as it lies in the process to be restored.  In the
/// order of their addresses, which is the same under the same kernel.
struct KernelRange {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The beginning of the file that `orrery-restore` is given; what the steps point to follows, then
/// the steps, then pages.
struct RestorePlan {
  static constexpr std::uint64_t magic_number = 0x316e'616c'5072'724fU;  // "OrrPlan1"
  // The restorer has these addresses for itself; no process has anything there (its linker's script
  // says the first).
  static constexpr std::uint64_t own_begin = 0x7000'0000;
  static constexpr std::uint64_t plan_begin = 0x7100'0000;
  static constexpr std::uint64_t kernel_ranges_begin = 0x7f00'0000;
  static constexpr std::uint64_t own_end = 0x8000'0000;
  static constexpr std::size_t kernel_ranges_max = 8;

  std::uint64_t magic;
  std::uint64_t bytes;  ///< of the plan without pages
  std::uint64_t steps_offset;
  std::uint64_t step_count;
  std::uint64_t return_value;
  SavedRegisters registers;
  KernelRange kernel_ranges[kernel_ranges_max];
  std::uint64_t kernel_range_count;
};

/// What the restorer writes to the descriptor that it is given for that.
struct RestoreReport {
  static constexpr std::uint64_t done = UINT64_MAX;              ///< the process goes on
  static constexpr std::uint64_t before_steps = UINT64_MAX - 1;  ///< it could not make room
  static constexpr std::uint64_t not_started = UINT64_MAX - 2;
  std::uint64_t step;  ///< which has failed, or one of these
  std::int64_t error;
};

}  // namespace orrery::detail
