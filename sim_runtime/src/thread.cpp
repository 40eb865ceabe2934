#include <utility>

#include <orrery/sim_runtime/thread.hpp>

#include "machine.hpp"

namespace orrery {

Thread::Thread(Thread&& other) noexcept
    : machine_(std::exchange(other.machine_, nullptr)), task_(other.task_) {}

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    if (joinable()) join();
    machine_ = std::exchange(other.machine_, nullptr);
    task_ = other.task_;
  }
  return *this;
}

Thread::~Thread() {
  if (joinable()) join();
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
