// Noise: short sleeps that make rare orders less rare.
#pragma once

#include <cstdint>

namespace orrery::on_hardware {

/// Of a rank, or of a thread.
class Delays {
 public:
  /// As `orrery record` says in the environment, MAX_NS:SEED; none without it.
  void begin(std::uint32_t number);
  /// Sleeps before every other message on average.
  void before_message() {
    if (__builtin_expect(max_ns_ != 0, 0)) sleep(1);
  }
  /// Before every other of a thread's first operations, and then more and more rarely: locks are
  /// taken more often than messages are sent.
  void before_operation() {
    if (__builtin_expect(max_ns_ != 0, 0)) sleep_now_and_then();
  }

 private:
  void sleep_now_and_then();
  /// One time of 2 to that.
  void sleep(unsigned rarity_log2);
  std::uint64_t max_ns_ = 0;
  std::uint64_t state_ = 0;
  std::uint64_t operations_ = 0;
};

/// Of this process.
Delays& delays();

}  // namespace orrery::on_hardware
