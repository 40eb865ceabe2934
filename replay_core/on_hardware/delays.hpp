// Noise: short sleeps that make rare orders of messages less rare.
#pragma once

#include <cstdint>

namespace orrery::on_hardware {

/// Sleeps before every other send and receive on average.
class Delays {
 public:
  /// As `orrery record` says in the environment, MAX_NS:SEED; none without it.
  void begin(std::uint32_t rank);
  void before_message() {
    if (__builtin_expect(max_ns_ != 0, 0)) sleep();
  }

 private:
  void sleep();
  std::uint64_t max_ns_ = 0;
  std::uint64_t state_ = 0;
};

Delays& delays();

}  // namespace orrery::on_hardware
