// Signals in a replay of real threads: who got which one in a call is in the log, and is the same
// here however many of them were pending at a time.
#include <bit>

#include "files/shared_file.hpp"
#include "program_signals.hpp"
#include "rank_context.hpp"
#include "told_signals.hpp"

namespace orrery::host {
namespace {

/// Where the log ends: no call comes to it.
constexpr std::uint64_t not_told = UINT64_MAX;

}  // namespace

bool ProgramSignals::are_told() {
  const ThreadContext* const thread = running().thread;
  return thread != nullptr && thread->keeps_signals;
}

SignalSet ProgramSignals::handled(SignalSet signals) const {
  SignalSet result = 0;
  for (SignalSet rest = signals; rest != 0; rest &= rest - 1) {
    const int signal = std::countr_zero(rest) + 1;
    if (has_handler(signal) && is_told_signal(signal)) result |= bit_of(signal);
  }
  return result;
}

SignalSet ProgramSignals::admitted(SignalSet coming, const ThreadContext& thread) {
  if (!thread.keeps_signals || coming == 0) return coming;
  const bool may_be_interrupted =
      thread.handlers_to_come > 0 && !this->thread(thread.handle()).is_told;
  return may_be_interrupted ? coming : coming & ~handled(coming);
}

bool ProgramSignals::is_dropped_at_once(SignalSet mask, int signal,
                                        std::uintptr_t program_counter) {
  if (!are_told() || (mask & bit_of(signal)) != 0) return false;
  return is_dropped(signal, program_counter);
}

void ProgramSignals::begin_send(std::uintptr_t program_counter) {
  guarded_runtime().semaphore_release(&order_, program_counter);
}

void ProgramSignals::order_taking(std::uintptr_t program_counter) {
  guarded_runtime().semaphore_release(&order_, program_counter);
  guarded_runtime().semaphore_acquire(&order_, ORRERY_LOCK_WAIT, ORRERY_NEVER, program_counter);
}

void ProgramSignals::tell(siginfo_t& info) {
  info.si_code = static_cast<int>(told(static_cast<std::uint32_t>(info.si_code)));
  info.si_pid = static_cast<pid_t>(told(static_cast<std::uint32_t>(info.si_pid)));
  const auto value = reinterpret_cast<std::uintptr_t>(info.si_value.sival_ptr);
  info.si_value.sival_ptr = reinterpret_cast<void*>(told(value));
}

int ProgramSignals::take(int signal) {
  if (!is_signal(signal)) return 0;
  self().pending &= ~bit_of(signal);
  pending_ &= ~bit_of(signal);
  return signal;
}

void ProgramSignals::call_told(int signal) {
  Thread& own = self();
  take(signal);
  if (handled(bit_of(signal)) == 0) return;
  call(signal, own, /*is_told=*/true);
}

void ProgramSignals::run_told_handlers(std::uintptr_t program_counter) {
  while (const int signal = handler_in(told(0))) {
    order_taking(program_counter);
    call_told(signal);
  }
}

std::optional<std::int64_t> ProgramSignals::told_wait(std::uintptr_t program_counter) {
  while (true) {
    self().is_told = true;
    order_taking(program_counter);
    const std::uint64_t answer = told(not_told);
    self().is_told = false;
    if (answer == not_told) return std::nullopt;
    const int signal = handler_in(answer);
    if (signal == 0) return static_cast<std::int64_t>(answer);
    call_told(signal);
  }
}

SignalSet ProgramSignals::told_pending(SignalSet own, std::uintptr_t program_counter) {
  order_taking(program_counter);
  return told(own);
}

}  // namespace orrery::host
