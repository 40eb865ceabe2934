#include <utility>

#include <orrery/sim_runtime/thread.hpp>

#include "machine.hpp"

namespace orrery {
namespace {

// A thread that is joined because it goes out of scope: there is no call of the user's to name,
// but the line that started it is theirs.
SourceLocation start_of(detail::Machine& machine, TaskId task) {
  return machine.task_at(task).spawned_at;
}

}  // namespace

Thread::Thread(Thread&& other) noexcept
    : machine_(std::exchange(other.machine_, nullptr)), task_(other.task_) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    if (joinable()) join(start_of(*machine_, task_));
    machine_ = std::exchange(other.machine_, nullptr);
    task_ = other.task_;
  }
  return *this;
}

Thread::~Thread() {
  if (joinable()) join(start_of(*machine_, task_));
}

void Thread::join(SourceLocation where) {
  if (!joinable()) {
    if (auto* const machine = detail::Machine::current(); machine != nullptr) {
      machine->fail_here(FindingKind::assertion, "a thread is joined twice", where);
    }
    return;
  }
  std::exchange(machine_, nullptr)->join(task_, where);
}

void Thread::detach() {
  if (joinable()) std::exchange(machine_, nullptr)->detach(task_);
}

}  // namespace orrery
