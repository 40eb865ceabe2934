#include <array>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/operation.hpp>

namespace orrery {
namespace {

// In the order of the enumeration: part of the log format and of JSON.
constexpr std::array<std::string_view, static_cast<std::size_t>(OperationKind::count_)>
    operation_names = {
        "none",
        "task_start",
        "task_end",
        "spawn",
        "join",
        "sleep",
        "yield",
        "read",
        "write",
        "read_modify_write",
        "fence",
        "mutex_lock",
        "mutex_try_lock",
        "mutex_unlock",
        "shared_lock",
        "shared_try_lock",
        "shared_unlock",
        "condition_wait",
        "condition_notify",
        "semaphore_acquire",
        "semaphore_try_acquire",
        "semaphore_release",
        "barrier_arrive",
        "barrier_wait",
        "latch_count_down",
        "latch_wait",
        "once_begin",
        "once_end",
        "send",
        "receive",
        "post_receive",
        "wait",
        "select",
        "test",
        "probe",
        "try_probe",
        "cancel",
        "deliver",
        "timeout",
        "transfer",
        "random",
        "call",
        "output",
        "disk_write",
        "disk_read",
        "disk_flush",
        "fault",
        "recover",
        "compute",
};

/// A task starts, and another ends for whoever joins it, in an order that causality gives alone.
bool only_waits(OperationKind kind) {
  return kind == OperationKind::task_start || kind == OperationKind::join;
}

bool only_reads(OperationKind kind) {
  return kind == OperationKind::read || kind == OperationKind::yield ||
         kind == OperationKind::sleep || kind == OperationKind::none ||
         kind == OperationKind::disk_read || kind == OperationKind::compute;
}

}  // namespace

std::string_view name(OperationKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < operation_names.size() ? operation_names[index] : "unknown";
}

std::string_view name(ChoiceKind kind) {
  constexpr std::array<std::string_view, 10> names = {"step",     "message", "waiter", "request",
                                                      "spurious", "fault",   "value",  "jitter",
                                                      "input",    "clock"};
  const auto index = static_cast<std::size_t>(kind);
  return index < names.size() ? names[index] : "unknown";
}

bool is_poll(OperationKind kind) {
  switch (kind) {
    case OperationKind::yield:
    case OperationKind::mutex_try_lock:
    case OperationKind::shared_try_lock:
    case OperationKind::semaphore_try_acquire:
    case OperationKind::test:
    case OperationKind::try_probe: return true;
    default: return false;
  }
}

bool are_dependent(const Operation& a, const Operation& b) {
  if (a.object != b.object || a.object == ObjectId{}) return false;
  if (only_waits(a.kind) || only_waits(b.kind)) return false;
  return !(only_reads(a.kind) && only_reads(b.kind));
}

}  // namespace orrery
