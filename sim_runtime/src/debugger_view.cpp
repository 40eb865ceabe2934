// What a debugger sees of a run: see orrery/sim_runtime/debugger.h.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include <sys/mman.h>

#include <orrery/sim_runtime/debugger.h>

#include "machine.hpp"

namespace orrery::detail {
namespace {

/// Rows in memory of their own: the process stands still in the midst of whatever it did, which may
/// have been a call of the heap.
template <typename Row>
class Rows {
  static_assert(std::is_trivially_copyable_v<Row>);

 public:
  void clear() { count_ = 0; }
  void add(const Row& row) {
    if (count_ == capacity_ && !grow()) return;
    rows_[count_++] = row;
  }
  [[nodiscard]] const Row* data() const { return rows_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  bool grow() {
    const std::size_t capacity = std::max<std::size_t>(1024, capacity_ * 2);
    void* const memory = mmap(nullptr, capacity * sizeof(Row), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    if (rows_ != nullptr) {
      std::memcpy(memory, rows_, count_ * sizeof(Row));
      munmap(rows_, capacity_ * sizeof(Row));
    }
    rows_ = static_cast<Row*>(memory);
    capacity_ = capacity;
    return true;
  }

  Row* rows_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
};

/// What the debugger was shown last; it has no place of its own to put it.
struct Shown {
  OrreryDebuggerView view;
  Rows<OrreryDebuggerTask> tasks;
  Rows<OrreryDebuggerMessage> messages;
  Rows<OrreryDebuggerReceive> receives;
};
Shown shown;

const char* state_of(const Task& task, bool is_running) {
  if (is_running) return "running";
  switch (task.state) {
    case TaskState::enabled: return "ready";
    case TaskState::disabled: return "waiting";
    case TaskState::polling: return "polling";
    case TaskState::sleeping: return "sleeping";
    case TaskState::ended: return "ended";
  }
  return "";
}

const char* state_of(const MessageState& message) {
  using Phase = MessageState::Phase;
  switch (message.phase) {
    case Phase::in_flight: return message.is_lost ? "lost" : "on its way";
    case Phase::arrived: return "arrived";
    case Phase::claimed: return "seen by a probe";
    case Phase::clear_to_send:
    case Phase::data: return "being received";
    case Phase::acknowledgement: return "received, not acknowledged";
    case Phase::called:
    case Phase::answer: return "being answered";
    case Phase::done: break;
  }
  return "received";
}

std::int64_t picoseconds_or_none(VirtualTime date) {
  return date == VirtualTime::never() ? -1 : date.since_start().picoseconds();
}

OrreryDebuggerTask row_of(Machine& machine, const Task& task) {
  const bool is_running = machine.has_running() && &machine.running() == &task;
  const bool is_begun = task.fiber != nullptr && task.fiber->suspended.rip != 0;
  OrreryDebuggerTask row{};
  row.task = task.id.value;
  row.rank = machine.process_at(task.process).rank;
  row.operations = task.current_id().number;
  row.start_number = task.start_number;
  row.start_function = task.start_function;
  row.state = state_of(task, is_running);
  row.operation = "";
  row.peer = row.tag = -1;
  row.deadline_ps = -1;
  if (task.pending != nullptr && !is_running && !task.has_ended()) {
    const Operation& operation = *task.pending;
    row.operation = name(operation.kind).data();  // of a table of literals
    row.peer = operation.peer;
    row.tag = operation.tag;
    row.object = operation.object.packed();
    row.deadline_ps = picoseconds_or_none(operation.deadline);
  }
  if (is_begun && !is_running && !task.has_ended()) row.registers = &task.fiber->suspended;
  task.name.copy(row.name, sizeof row.name - 1);
  return row;
}

void look_at_messages(const MessageSystem& system) {
  for (const MessageState& message : system.messages()) {
    if (message.phase == MessageState::Phase::done) continue;
    const MessagePattern& envelope = message.envelope;
    shown.messages.add({.sender = message.sender.task.value,
                        .number = message.sender.number,
                        .context = envelope.context,
                        .source = envelope.source,
                        .destination = envelope.destination,
                        .tag = envelope.tag,
                        .size_bytes = message.payload.size(),
                        .state = state_of(message),
                        .date_ps = picoseconds_or_none(message.date)});
  }
  for (const RequestState& request : system.requests()) {
    const bool is_open = request.in_use && request.is_receive && !request.complete &&
                         !request.is_event && request.message == no_message;
    if (!is_open) continue;
    shown.receives.add({.task = request.started_by.task.value,
                        .number = request.started_by.number,
                        .context = request.pattern.context,
                        .rank = request.pattern.destination,
                        .source = request.pattern.source,
                        .tag = request.pattern.tag});
  }
}

}  // namespace
}  // namespace orrery::detail

// In this file, so that whoever can make a run has the view too.
[[gnu::noinline]] void orrery_debugger_run_begins() {
  asm volatile("" : : : "memory");  // else callers would leave it out
}

const OrreryDebuggerView* orrery_debugger_look() {
  using namespace orrery::detail;
  shown.tasks.clear();
  shown.messages.clear();
  shown.receives.clear();
  OrreryDebuggerView& view = shown.view;
  view = {};
  view.version = ORRERY_DEBUGGER_VERSION;
  view.running = UINT32_MAX;
  Machine* const machine = Machine::current();
  if (machine != nullptr) {
    view.steps = machine->steps();
    view.now_ps = machine->now().since_start().picoseconds();
    if (machine->has_running()) view.running = machine->running().id.value;
    for (std::uint32_t i = 0; i < machine->pending().task_count(); ++i) {
      shown.tasks.add(row_of(*machine, machine->task_at(orrery::TaskId{i})));
    }
    look_at_messages(machine->messages());
  }
  view.tasks = shown.tasks.data();
  view.task_count = shown.tasks.count();
  view.messages = shown.messages.data();
  view.message_count = shown.messages.count();
  view.receives = shown.receives.data();
  view.receive_count = shown.receives.count();
  return &view;
}
