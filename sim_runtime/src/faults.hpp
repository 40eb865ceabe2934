// Faults in one run: where they may strike, whether they do, and what does not work meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <orrery/network_model/fault_plan.hpp>
#include <orrery/sim_runtime/ids.hpp>

#include "agenda.hpp"
#include "message.hpp"

namespace orrery {
class Disk;
}

namespace orrery::detail {

class Machine;

/// What becomes of one message that is being sent.
struct MessageFate {
  FaultKind kind = FaultKind::none;
  VirtualDuration delay;  ///< of `delay`
  std::uint64_t bit = 0;  ///< of `corrupt`: which one
};

/// Faults of single messages are asked for where a message is sent.  The others strike just before
/// an operation by which others can notice a process (a send, a receive, the use of a disk): to
/// fail in between would look the same to everybody.  Each place is one question of the kind
/// `fault`, whose answer is the number of a `FaultKind`; the undisturbed answer is none.  (Clocks
/// are a draw, of how much each is ahead.)
///
/// What lasts ends with a step `recover` of the machine, at a date; so it too is chosen, recorded
/// and replayed.  A message is disturbed by what does not work when it starts on its way.
class Faults {
 public:
  Faults(Machine& machine, const FaultPlan& plan);
  void reset();
  [[nodiscard]] bool is_on() const { return is_on_; }
  [[nodiscard]] const FaultPlan& plan() const { return plan_; }
  [[nodiscard]] bool may_crash() const { return plan_[FaultKind::crash].is_on; }

  /// The running task is about to do something that others can notice.  Does not return if its host
  /// crashes here (but in a destructor: then the run of the task is being unwound).
  void before_operation() {
    if (is_on_) ask_before_operation();
  }
  /// A message of `size_bytes` is being sent by the running task.  Whoever sends it tells of its
  /// fate, after the message.
  MessageFate fate_of_message(std::uint64_t size_bytes);
  /// A fault has struck at the running task's operation.
  void tell(FaultKind kind);
  /// By how much the clock of a host that gets its first process is ahead.
  VirtualDuration clock_offset();

  /// What keeps a message from going from one host to another now.
  struct Obstacle {
    FaultKind kind = FaultKind::none;
    std::uint32_t disturbance = 0;  ///< for `hold`
  };
  [[nodiscard]] Obstacle obstacle(std::uint32_t from_host, std::uint32_t to_host) const;
  /// Keeps a message until the disturbance is over.
  void hold(MessageIndex message, const Obstacle& obstacle) {
    disturbances_[obstacle.disturbance].held.push_back(message);
  }
  /// The machine has taken the step `recover` of this disturbance.
  void recover(std::uint32_t disturbance);

  void add_disk(Disk& disk) { disks_.push_back(&disk); }
  void remove_disk(Disk& disk) { std::erase(disks_, &disk); }

 private:
  /// Something that does not work for a while.
  struct Disturbance {
    FaultKind kind = FaultKind::none;
    std::vector<std::uint32_t> hosts;  ///< sorted: one side of a partition, or the one at fault
    std::vector<MessageIndex> held;
    Actor actor;
    [[nodiscard]] bool has(std::uint32_t host) const;
    [[nodiscard]] bool is_between(std::uint32_t from_host, std::uint32_t to_host) const;
  };

  void ask_before_operation();
  FaultKind ask(std::span<const std::uint32_t> weights);
  [[nodiscard]] bool has_left(FaultKind kind) const;
  [[nodiscard]] std::uint32_t hazard(FaultKind kind);
  void strike(FaultKind kind);
  [[nodiscard]] std::vector<std::uint32_t> side_of_partition();
  /// Those that have processes, sorted.
  const std::vector<std::uint32_t>& hosts_in_use();
  void begin(FaultKind kind, std::vector<std::uint32_t> hosts);
  void crash(std::uint32_t host);

  Machine& machine_;
  FaultPlan plan_;
  bool is_on_ = false;
  bool has_message_faults_ = false;
  std::array<std::uint64_t, fault_kind_count> places_{};  ///< of this run, so far
  std::array<std::uint32_t, fault_kind_count> struck_{};
  std::deque<Disturbance> disturbances_;  ///< actors stay where they are
  std::size_t disturbances_used_ = 0;
  std::vector<std::uint32_t> active_;  ///< their numbers, oldest first
  std::vector<std::uint32_t> hosts_;   ///< of the ranks below `ranks_seen_`
  std::int32_t ranks_seen_ = 0;
  std::vector<Disk*> disks_;
};

}  // namespace orrery::detail
