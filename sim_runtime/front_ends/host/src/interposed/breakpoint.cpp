#include "breakpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/sim_runtime/crash_reporter.hpp>

#include "ranks/program_signals.hpp"
#include "ranks/rank_context.hpp"

namespace orrery::host {
namespace {

constexpr std::byte trap_instruction{0xcc};

thread_local Breakpoint* set_breakpoint = nullptr;

void put(std::byte* place, std::byte value) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  auto* const page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
  const bool is_open = mprotect(page, page_bytes, PROT_READ | PROT_WRITE) == 0;
  if (is_open) *place = value;
  if (!is_open || mprotect(page, page_bytes, PROT_READ | PROT_EXEC) != 0) {
    throw UsageError("the program's code cannot be changed", "--snapshot-at",
                     "does the system forbid it? search without");
  }
}

}  // namespace

Breakpoint::Breakpoint(std::vector<std::byte*> places, std::function<void()> reached)
    : reached_(std::move(reached)) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (std::byte* const place : places) {
    traps_.push_back({place, *place});
    put(place, trap_instruction);
  }
  set_breakpoint = this;
  CrashReporter::set_fault_filter(filter);
}

Breakpoint::~Breakpoint() {
  remove();
}

void Breakpoint::remove() {
  if (set_breakpoint != this) return;
  set_breakpoint = nullptr;
  CrashReporter::set_fault_filter(filter_fault);
  for (const Trap& trap : traps_) put(trap.place, trap.replaced);
}

bool Breakpoint::is_reached(void* context) const {
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto behind = static_cast<std::uintptr_t>(registers[REG_RIP]);
  return std::any_of(traps_.begin(), traps_.end(), [behind](const Trap& trap) {
    return reinterpret_cast<std::uintptr_t>(trap.place) + 1 == behind;
  });
}

bool Breakpoint::filter(int signal, void* info, void* context) {
  Breakpoint* const self = set_breakpoint;
  if (signal != SIGTRAP || self == nullptr || !self->is_reached(context)) {
    return filter_fault(signal, info, context);
  }
  const HostScope scope;
  const int error = errno;
  self->remove();
  --static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  self->reached_();
  errno = error;
  return true;
}

}  // namespace orrery::host
