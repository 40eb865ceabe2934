// What a recorder on the hosts costs a run: the time of the processors that it takes.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include <orrery/network_model/name_with_options.hpp>
#include <orrery/sim_runtime/checkpointer.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery {

/// A recorder that keeps who sent what a receive or probe has got.
struct HostRecorderCosts {
  bool keeps_all = false;       ///< of all of them, or of those that name no sender?
  VirtualDuration receive;      ///< of a rank's processor, for each that is kept
  VirtualDuration file;         ///< when the rank is done, to have it in a file
  VirtualDuration file_record;  ///< and for each that was kept

  /// Those of `orrery record`, whose method is `wildcards`, on the machine of the project's
  /// figures: `./dev bench record --only costs`.
  [[nodiscard]] static HostRecorderCosts of_wildcards();
  /// Those of a recorder of `orders` that writes 8 bytes for each receive, from the same table.
  [[nodiscard]] static HostRecorderCosts of_orders();
};

/// Reads `host[:keeps=wildcards|orders,receive=28ns,file=8us,file_record=0ns]`; what is not given
/// is what was measured.  Throws `UsageError`.
[[nodiscard]] HostRecorderCosts host_recorder_costs(const NameWithOptions& given);

/// Takes that time of a run, and keeps nothing.  It has to be both the run's observer and its
/// checkpointer.
class HostRecorderCost final : public Observer, public Checkpointer {
 public:
  explicit HostRecorderCost(const HostRecorderCosts& costs) : costs_(costs) {}

  /// What it has taken of all ranks.
  [[nodiscard]] VirtualDuration taken() const { return taken_; }
  /// What it would have kept.
  [[nodiscard]] std::uint64_t records() const { return records_; }

  void begin_run(const RunInfo& info) override;
  [[nodiscard]] EventMask interest() const override { return EventMask::matching(); }
  void on_matching(const MatchingStep& step) override;

  [[nodiscard]] VirtualDuration time_taken(std::int32_t rank) override;
  [[nodiscard]] VirtualDuration time_taken_at_end(std::int32_t rank) override;
  void before_operation(const ComingOperation&) override {}
  void rank_ended(std::int32_t, OperationId) override {}
  void checkpoint_asked(std::int32_t) override {}
  void goes_beyond_messages(std::int32_t, const std::string&) override {}
  void sent(const CarriedMessage&) override {}
  void reached(const CarriedMessage&, OperationId) override {}

 private:
  struct Rank {
    std::int64_t records = 0;
    std::int64_t paid = 0;  // of these
  };
  HostRecorderCosts costs_;
  std::map<std::int32_t, Rank> ranks_;
  VirtualDuration taken_;
  std::uint64_t records_ = 0;
};

}  // namespace orrery
