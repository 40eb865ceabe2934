// Signals whose handlers the program gets a moment later than the system would have it.
#pragma once

#include <csignal>
#include <cstdint>

namespace orrery::on_hardware {

/// How long a signal that came in a handler has been late for it: not for ever, the handler may
/// wait for it.
struct Lateness {
  int times = 0;
  std::int64_t since_ns = 0;  ///< what its thread had computed then; 0: it has not been late

  /// Once more?
  [[nodiscard]] bool may_grow() const;
};

// All of these are for the calling thread, which has its signals blocked.

/// It comes again, soon or when `send_late` is called.  False: it cannot.
bool put_off(int signal, const siginfo_t& info, const Lateness& lateness);
/// Was it put off?  Then `info` is made what it was at first.
Lateness take_late(int signal, siginfo_t& info);
/// All that are late come when they are no longer blocked.
void send_late();

}  // namespace orrery::on_hardware
