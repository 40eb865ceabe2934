// The process of an interval, as the command that has started it sees it.
#pragma once

#include <optional>
#include <vector>

#include <sys/types.h>

#include <orrery/replay_core/interval_replay.hpp>
#include <orrery/sim_runtime/outside.hpp>

#include "interval_wire.hpp"

namespace orrery::detail {

/// One process; killed, however this ends.
class IntervalChild {
 public:
  /// Throws `UsageError`: no socket is to be had, and what `start` throws.
  IntervalChild(const IntervalSetup& setup, const IntervalStarter& start);
  ~IntervalChild() { stop(); }
  IntervalChild(const IntervalChild&) = delete;
  IntervalChild& operator=(const IntervalChild&) = delete;

  [[nodiscard]] const IntervalId& id() const { return result_.id; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_running() const { return descriptor_ >= 0; }
  [[nodiscard]] bool is_waiting() const { return is_running() && is_waiting_; }
  [[nodiscard]] ReplayedInterval& result() { return result_; }

  /// Gives what it says; nothing: it has died.
  std::optional<Frame> hear();
  /// Has it said more that has been read already?
  [[nodiscard]] bool has_said_more() const { return is_running() && reader_.has_next(); }
  void give(const std::vector<OutsideMessage>& messages);
  void stop();
  /// Waits for one that has said its last, and returns how it has ended, as `waitpid` tells.
  int wait();

 private:
  void stop_listening();

  ReplayedInterval result_;
  pid_t process_ = -1;
  int descriptor_ = -1;
  FrameReader reader_;
  bool is_waiting_ = false;
};

}  // namespace orrery::detail
