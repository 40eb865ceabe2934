#include "interrupt.hpp"

namespace orrery::detail {
namespace {

// A signal handler can reach nothing but an object of static storage.
volatile std::sig_atomic_t interrupts = 0;

extern "C" void count_interrupt(int /*signal*/) {
  interrupts = interrupts + 1;
}

}  // namespace

InterruptGuard::InterruptGuard(bool is_on) : is_on_(is_on) {
  interrupts = 0;
  if (!is_on_) return;
  struct sigaction action {};
  action.sa_handler = count_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_);
}

InterruptGuard::~InterruptGuard() {
  if (is_on_) sigaction(SIGINT, &before_, nullptr);
}

bool InterruptGuard::was_interrupted() const {
  return interrupts > 0;
}

}  // namespace orrery::detail
