// orrery-restore: becomes a process whose image was saved.
//
// Started by `ImageStore::restore` as `orrery-restore PLAN STATUS`, two open descriptors.  It has
// no C library and no memory but its own few pages at an address that nobody else uses, gives up
// everything else that the kernel has given it, does the steps of the plan, and goes on as the
// process.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "images/raw_system_calls.hpp"
#include "images/restore_plan.hpp"

using orrery::detail::as_argument;
using orrery::detail::KernelRange;
using orrery::detail::raw_system_call;
using orrery::detail::RestorePlan;
using orrery::detail::RestoreReport;
using orrery::detail::RestoreStep;
using orrery::detail::SavedRegisters;

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t lowest_address = 0x10000;
constexpr std::uint64_t highest_address = 0x7fff'ffff'f000;

int status_descriptor = -1;
SavedRegisters registers;
char maps_text[64 * 1024];

void report(std::uint64_t step, long error) {
  const RestoreReport words{step, error};
  raw_system_call(SYS_write, status_descriptor, as_argument(&words), sizeof words);
}

[[noreturn]] void fail(std::uint64_t step, long error) {
  report(step, error);
  for (;;) raw_system_call(SYS_exit_group, 127);
}

long must(long result) {
  if (result < 0 && result > -4096) fail(RestoreReport::before_steps, result);
  return result;
}

long number_in(const char* text) {
  long value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
  return value;
}

std::uint64_t read_hexadecimal(const char*& next) {
  std::uint64_t value = 0;
  for (;; ++next) {
    if (*next >= '0' && *next <= '9') {
      value = value * 16 + static_cast<std::uint64_t>(*next - '0');
    } else if (*next >= 'a' && *next <= 'f') {
      value = value * 16 + static_cast<std::uint64_t>(*next - 'a' + 10);
    } else {
      return value;
    }
  }
}

bool begins_with(const char* text, const char* beginning) {
  while (*beginning != '\0') {
    if (*text++ != *beginning++) return false;
  }
  return true;
}

/// Is the rest of a line of /proc/self/maps the name of code or data of the kernel's own?
bool names_kernel_range(const char* line) {
  while (*line != '\n' && *line != '\0' && *line != '[') ++line;
  return begins_with(line, "[vvar") || begins_with(line, "[vdso");
}

std::uint64_t find_kernel_ranges(KernelRange* ranges) {
  const long maps = must(
      raw_system_call(SYS_openat, AT_FDCWD, as_argument("/proc/self/maps"), O_RDONLY | O_CLOEXEC));
  std::uint64_t bytes = 0;
  for (;;) {
    const long count = must(raw_system_call(SYS_read, maps, as_argument(maps_text + bytes),
                                            static_cast<long>(sizeof maps_text - 1 - bytes)));
    if (count == 0) break;
    bytes += static_cast<std::uint64_t>(count);
  }
  raw_system_call(SYS_close, maps);
  maps_text[bytes] = '\0';
  std::uint64_t found = 0;
  for (const char* next = maps_text; *next != '\0';) {
    KernelRange range{};
    range.begin = read_hexadecimal(next);
    if (*next == '-') ++next;
    range.end = read_hexadecimal(next);
    if (names_kernel_range(next) && found < RestorePlan::kernel_ranges_max) ranges[found++] = range;
    while (*next != '\0' && *next != '\n') ++next;
    if (*next == '\n') ++next;
  }
  return found;
}

void move(const KernelRange& from, std::uint64_t to) {
  const auto bytes = static_cast<long>(from.end - from.begin);
  must(raw_system_call(SYS_mremap, static_cast<long>(from.begin), bytes, bytes,
                       MREMAP_MAYMOVE | MREMAP_FIXED, static_cast<long>(to)));
}

void unmap(std::uint64_t begin, std::uint64_t end) {
  if (begin < end) {
    must(raw_system_call(SYS_munmap, static_cast<long>(begin), static_cast<long>(end - begin)));
  }
}

/// Nothing is left but this program, the plan, and the kernel's own where the process had it.
void make_room(const RestorePlan& plan) {
  KernelRange ranges[RestorePlan::kernel_ranges_max];
  const std::uint64_t count = find_kernel_ranges(ranges);
  if (count != plan.kernel_range_count) fail(RestoreReport::before_steps, -22);
  std::uint64_t next = RestorePlan::kernel_ranges_begin;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (ranges[i].end - ranges[i].begin !=
        plan.kernel_ranges[i].end - plan.kernel_ranges[i].begin) {
      fail(RestoreReport::before_steps, -22);
    }
    move(ranges[i], next);
    ranges[i] = {next, next + (ranges[i].end - ranges[i].begin)};
    next = ranges[i].end;
  }
  unmap(lowest_address, RestorePlan::own_begin);
  unmap(RestorePlan::own_end, highest_address);
  for (std::uint64_t i = 0; i < count; ++i) move(ranges[i], plan.kernel_ranges[i].begin);
}

void read_pages(const RestoreStep& step, std::uint64_t index, long plan_file) {
  std::uint64_t done = 0;
  while (done < step.arguments[1]) {
    const long count = raw_system_call(
        SYS_pread64, plan_file, static_cast<long>(step.arguments[0] + done),
        static_cast<long>(step.arguments[1] - done), static_cast<long>(step.arguments[2] + done));
    if (count <= 0) fail(index, count);
    done += static_cast<std::uint64_t>(count);
  }
}

void do_steps(const RestorePlan& plan, long plan_file) {
  const auto* const steps =
      reinterpret_cast<const RestoreStep*>(RestorePlan::plan_begin + plan.steps_offset);
  long opened = -1;
  for (std::uint64_t i = 0; i < plan.step_count; ++i) {
    const RestoreStep& step = steps[i];
    if (step.kind == RestoreStep::Kind::read_pages) {
      read_pages(step, i, plan_file);
      continue;
    }
    long arguments[6];
    for (std::uint32_t argument = 0; argument < 6; ++argument) {
      arguments[argument] =
          argument == step.opened_argument ? opened : static_cast<long>(step.arguments[argument]);
    }
    const long result = raw_system_call(static_cast<long>(step.number), arguments[0], arguments[1],
                                        arguments[2], arguments[3], arguments[4], arguments[5]);
    if (result < 0 && result > -4096) fail(i, result);
    if (step.kind == RestoreStep::Kind::place && result != arguments[0]) fail(i, -17);
    if (step.kind == RestoreStep::Kind::open) opened = result;
  }
}

[[noreturn]] void go_on(std::uint64_t value) {
  asm volatile(
      "ldmxcsr 64(%%rcx)\n\t"
      "fldcw 68(%%rcx)\n\t"
      "mov 0(%%rcx), %%rbx\n\t"
      "mov 8(%%rcx), %%rbp\n\t"
      "mov 16(%%rcx), %%r12\n\t"
      "mov 24(%%rcx), %%r13\n\t"
      "mov 32(%%rcx), %%r14\n\t"
      "mov 40(%%rcx), %%r15\n\t"
      "mov 48(%%rcx), %%rsp\n\t"
      "jmp *56(%%rcx)"
      :
      : "a"(value), "c"(&registers)
      : "memory");
  __builtin_unreachable();
}
static_assert(offsetof(SavedRegisters, stack) == 48);
static_assert(offsetof(SavedRegisters, instruction) == 56);
static_assert(offsetof(SavedRegisters, vector_control) == 64);
static_assert(offsetof(SavedRegisters, float_control) == 68);

}  // namespace

/// `words` is what the kernel has put on the stack: the number of arguments, then each.
extern "C" [[noreturn]] void orrery_restore(const std::uintptr_t* words) {
  if (words[0] != 3) {
    for (;;) raw_system_call(SYS_exit_group, 2);  // not started by us
  }
  const long plan_file = number_in(reinterpret_cast<const char*>(words[2]));
  status_descriptor = static_cast<int>(number_in(reinterpret_cast<const char*>(words[3])));
  RestorePlan beginning;
  if (raw_system_call(SYS_pread64, plan_file, as_argument(&beginning), sizeof beginning, 0) !=
          sizeof beginning ||
      beginning.magic != RestorePlan::magic_number) {
    fail(RestoreReport::before_steps, -8);
  }
  must(raw_system_call(SYS_mmap, RestorePlan::plan_begin, static_cast<long>(beginning.bytes),
                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED_NOREPLACE, plan_file, 0));
  auto& plan = *reinterpret_cast<RestorePlan*>(RestorePlan::plan_begin);
  make_room(plan);
  do_steps(plan, plan_file);
  registers = plan.registers;
  const std::uint64_t value = plan.return_value;
  const std::uint64_t plan_bytes = (plan.bytes + page_bytes - 1) / page_bytes * page_bytes;
  report(RestoreReport::done, 0);
  raw_system_call(SYS_close, plan_file);
  raw_system_call(SYS_close, status_descriptor);
  raw_system_call(SYS_munmap, RestorePlan::plan_begin, static_cast<long>(plan_bytes));
  go_on(value);
}

// Where the kernel begins: its stack has the arguments, and is about to be given up.
asm(R"(
  .globl _start
  _start:
    mov %rsp, %rdi
    lea restorer_stack_end(%rip), %rsp
    xor %ebp, %ebp
    call orrery_restore
  .local restorer_stack
  .comm restorer_stack, 32768, 16
  .set restorer_stack_end, restorer_stack + 32768
)");

// Compilers call this for structures.
extern "C" void* memcpy(void* to, const void* from, std::size_t bytes) {
  void* next = to;
  asm volatile("rep movsb" : "+D"(next), "+S"(from), "+c"(bytes) : : "memory");
  return to;
}
