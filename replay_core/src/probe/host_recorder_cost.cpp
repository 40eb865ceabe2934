#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/host_recorder_cost.hpp>
#include <orrery/sim_runtime/contexts.hpp>

namespace orrery {

HostRecorderCosts HostRecorderCosts::of_wildcards() {
  using namespace std::chrono_literals;
  return {.keeps_all = false, .receive = 28ns, .file = 8us, .file_record = {}};
}

HostRecorderCosts HostRecorderCosts::of_orders() {
  using namespace std::chrono_literals;
  return {.keeps_all = true,
          .receive = 20ns,
          .file = 14us,
          .file_record = VirtualDuration::from_picoseconds(480)};
}

HostRecorderCosts host_recorder_costs(const NameWithOptions& given) {
  given.allow_no_count();
  given.allow_keys({"keeps", "receive", "file", "file_record"});
  const std::string keeps = given.text("keeps").value_or("wildcards");
  if (keeps != "wildcards" && keeps != "orders") {
    throw UsageError("'" + keeps + "' is neither wildcards nor orders",
                     given.where() + " " + given.name() + ":keeps", "write keeps=orders");
  }
  HostRecorderCosts costs =
      keeps == "orders" ? HostRecorderCosts::of_orders() : HostRecorderCosts::of_wildcards();
  costs.receive = given.duration("receive", costs.receive);
  costs.file = given.duration("file", costs.file);
  costs.file_record = given.duration("file_record", costs.file_record);
  return costs;
}

void HostRecorderCost::begin_run(const RunInfo&) {
  ranks_.clear();
  taken_ = {};
  records_ = 0;
}

void HostRecorderCost::on_matching(const MatchingStep& step) {
  using Kind = MatchingStep::Kind;
  const bool is_got = step.kind == Kind::taken || step.kind == Kind::seen;
  if (!is_got || !is_of_program(step.context)) return;
  if (!costs_.keeps_all && step.source != any_source) return;
  ++ranks_[step.destination].records;
  ++records_;
}

VirtualDuration HostRecorderCost::time_taken(std::int32_t rank) {
  Rank& own = ranks_[rank];
  const VirtualDuration time = costs_.receive * (own.records - own.paid);
  own.paid = own.records;
  taken_ = taken_ + time;
  return time;
}

VirtualDuration HostRecorderCost::time_taken_at_end(std::int32_t rank) {
  const VirtualDuration file = costs_.file + costs_.file_record * ranks_[rank].records;
  taken_ = taken_ + file;
  return time_taken(rank) + file;
}

}  // namespace orrery
