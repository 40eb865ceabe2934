// What may go wrong in a run: kinds of fault, how often, for how long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <orrery/network_model/virtual_time.hpp>

namespace orrery {

/// Everything that can be made to fail.  The numbers are part of the log format (answers to
/// questions of the kind `fault`): new kinds go to the end.
enum class FaultKind : std::uint8_t {
  none = 0,
  loss,        ///< a message does not arrive
  duplicate,   ///< a message arrives twice
  corrupt,     ///< one bit of a message is turned over
  delay,       ///< a message comes later than the network would have it
  partition,   ///< two groups of hosts cannot reach each other for a while
  link_down,   ///< one host's link is down for a while
  nic_stall,   ///< one host's NIC sends and takes nothing for a while, and loses nothing
  sram_full,   ///< one host's NIC has no buffer for what arrives, for a while
  crash,       ///< a host loses its processes, and starts them again after a while
  clock_skew,  ///< a host's clock shows another time than the others
  count_
};
inline constexpr std::size_t fault_kind_count = static_cast<std::size_t>(FaultKind::count_);

/// As on the command line: `loss`, `link-down`.
[[nodiscard]] std::string_view name(FaultKind kind);

/// One line of the table of faults, for `orrery list faults`.
struct FaultEntry {
  FaultKind kind = FaultKind::none;
  std::string_view description;
  /// Strikes single messages, each with a probability; the others strike so many times a run.
  bool is_of_messages = false;
  VirtualDuration usual_duration;  ///< zero: the kind has none
};
[[nodiscard]] std::span<const FaultEntry> fault_table();

/// May a kind of fault strike, and how?
struct FaultSetting {
  bool is_on = false;
  std::uint32_t parts_per_billion = 0;  ///< of messages: the probability for each
  std::uint32_t per_run_max = 0;        ///< of the others: at most so often in a run
  VirtualDuration duration;             ///< how long it lasts; delay, clock_skew: the longest
  friend bool operator==(const FaultSetting&, const FaultSetting&) = default;
};

/// Which faults a run may have.  Whether and where one strikes is a choice, like everything that
/// could have gone otherwise.  A value type; the default has none.
///
///     const auto plan = orrery::parse_faults("loss=0.01,crash=1:20ms", "--faults");
///     plan[orrery::FaultKind::crash].per_run_max;   // 1
struct FaultPlan {
  std::array<FaultSetting, fault_kind_count> settings{};
  /// MPI only: a message that is lost breaks the connection instead of being sent again.
  bool is_unreliable = false;
  /// MPI only: after so long the NIC sends again what was lost (GM's timer of resending).
  VirtualDuration resend_timeout = std::chrono::milliseconds(1);

  [[nodiscard]] const FaultSetting& operator[](FaultKind kind) const {
    return settings[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] FaultSetting& operator[](FaultKind kind) {
    return settings[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] bool is_empty() const;
  friend bool operator==(const FaultPlan&, const FaultPlan&) = default;
};

/// How often each kind could have struck, and did; indexed by `FaultKind`.
struct FaultCounts {
  std::array<std::uint64_t, fault_kind_count> possible{};
  std::array<std::uint64_t, fault_kind_count> fired{};

  /// Did anything strike?
  [[nodiscard]] bool has_fired() const;
  void add(const FaultCounts& more);
  friend bool operator==(const FaultCounts&, const FaultCounts&) = default;
};

/// Reads `KIND[=HOW_OFTEN][:DURATION],...`: HOW_OFTEN is a probability in [0, 1] for faults of
/// messages (0.01 where it is left out), else a number of times a run (1); DURATION as
/// `parse_duration` reads it.  Beside kinds: `unreliable` and `resend=DURATION`.  `where` is the
/// flag to name in the `UsageError` for unknown kinds (suggesting the nearest) and bad values.
[[nodiscard]] FaultPlan parse_faults(std::string_view text, std::string_view where = {});

/// What `parse_faults` reads back to the same plan; empty for the empty plan.
[[nodiscard]] std::string text(const FaultPlan& plan);

}  // namespace orrery
