// What a replay of real threads is told of calls in which signals come: a number for each handler
// that has run in it, then one for what the call came to.
#pragma once

#include <csignal>
#include <cstdint>

namespace orrery::host {

inline constexpr int last_signal = 64;

/// They come from what a thread does at that place, and nobody is told of them.
constexpr bool is_fault(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT: return true;
    default: return false;
  }
}

/// One that is told of.
constexpr bool is_told_signal(int signal) {
  return signal >= 1 && signal <= last_signal && !is_fault(signal);
}

/// In place of a signal: handlers have run, and then the thread was cancelled.
inline constexpr std::uint64_t told_cancelled = 127;
inline constexpr std::uint64_t told_handler_base = 128;

/// The handler of this signal has run.
constexpr std::uint64_t told_handler(int signal) {
  return told_handler_base + static_cast<std::uint64_t>(signal);
}
/// Whose handler has run; 0: that is what the call came to.
constexpr int handler_in(std::uint64_t told) {
  const bool is_handler = told > told_handler_base && told <= told_handler_base + last_signal;
  return is_handler ? static_cast<int>(told - told_handler_base) : 0;
}

}  // namespace orrery::host
