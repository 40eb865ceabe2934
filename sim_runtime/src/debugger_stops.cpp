#include "debugger_stops.hpp"

#include <cstring>
#include <span>

#include "machine.hpp"

// The debugger writes it: that is the way to talk to a process that stands still.
OrreryDebuggerControl orrery_debugger_control = {};

[[gnu::noinline]] void orrery_debugger_stopped(std::uint32_t reason) {
  asm volatile("" : : "r"(reason) : "memory");  // else callers would leave it out
}

namespace orrery::detail {
namespace {

bool has_changed(OrreryDebuggerWatch& watch) {
  const auto* const now = reinterpret_cast<const void*>(watch.address);
  if (std::memcmp(now, watch.last, watch.size_bytes) == 0) return false;
  std::memcpy(watch.last, now, watch.size_bytes);
  return true;
}

/// All of them are brought up to date.
bool has_watched_memory_changed(OrreryDebuggerControl& control) {
  bool has_any = false;
  for (OrreryDebuggerWatch& watch : std::span(control.watches).first(control.watch_count)) {
    has_any |= has_changed(watch);
  }
  return has_any;
}

bool is_target(const OrreryDebuggerControl& control, Machine& machine, OperationId coming) {
  if (control.task >= 0 && control.task != coming.task.value) return false;
  const Process& process = machine.process_at(machine.running().process);
  const bool is_ranks = process.rank == control.rank && process.first_task == coming.task;
  if (control.rank >= 0 && !is_ranks) return false;
  return coming.number >= control.number &&
         machine.now().since_start().picoseconds() >= control.date_ps;
}

}  // namespace

void tell_debugger(Machine& machine) {
  if (machine.is_unwinding() || !machine.has_running()) return;
  OrreryDebuggerControl& control = orrery_debugger_control;
  const Task& task = machine.running();
  if (control.has_target != 0 &&
      is_target(control, machine, {task.id, task.current_id().number + 1})) {
    control.has_target = 0;
    return orrery_debugger_stopped(ORRERY_DEBUGGER_TARGET);
  }
  if (control.watch_count != 0 && has_watched_memory_changed(control)) {
    return orrery_debugger_stopped(ORRERY_DEBUGGER_CHANGED);
  }
  if (control.stops_always != 0) orrery_debugger_stopped(ORRERY_DEBUGGER_OPERATION);
}

}  // namespace orrery::detail
