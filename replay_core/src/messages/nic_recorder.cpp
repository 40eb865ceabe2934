#include "nic_recorder.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <orrery/sim_runtime/contexts.hpp>

#include "arrival_order.hpp"
#include "message_recorder.hpp"
#include "nic_firmware.hpp"

namespace orrery::detail {
namespace {

/// What the log has of messages.
struct ArrivalRecords {
  std::vector<OpenCalls> arrivals;        // ascending by task
  std::vector<TracedMessage> exceptions;  // by task, then by event
  std::int32_t rank_out_of_order = -1;    // that took a message which did not come first
  std::string fault;                      // what no run of an unbroken recorder has
};

class NicRecorder final : public MessageRecorder {
 public:
  NicRecorder(const NicFirmwareOptions& options, HookPlace place, bool keeps_open_calls)
      : firmware_(std::make_shared<NicFirmware>(options, place)),
        keeps_open_calls_(keeps_open_calls) {}

  [[nodiscard]] std::shared_ptr<FirmwareHook> firmware() override { return firmware_; }
  [[nodiscard]] std::string blind_spot() const override;

 private:
  void begin_records() override {
    steps_.clear();
    receivers_.clear();
    users_.clear();
    rank_with_threads_ = -1;
    known_.reset();
  }
  void on_message(const MatchingStep& step) override;
  void add_records(MessageRecords& records) const override;
  void add_counts(Counts& counts) const override;

  [[nodiscard]] const ArrivalRecords& result() const;
  [[nodiscard]] ArrivalRecords find_result() const;
  [[nodiscard]] bool find_exceptions(ArrivalRecords& records) const;
  [[nodiscard]] bool is_at_ports() const { return firmware_->place() == HookPlace::switch_ports; }
  /// For people.
  [[nodiscard]] const char* witness() const { return is_at_ports() ? "switch" : "card"; }
  [[nodiscard]] std::string what_nobody_sees() const;

  std::shared_ptr<NicFirmware> firmware_;
  bool keeps_open_calls_;
  std::vector<MatchingStep> steps_;  // of messages, in order
  /// Who receives for a rank in a communicator.
  struct User {
    TaskId task;
    bool is_shared = false;  // not this one only
    bool has_wildcards = false;
  };
  std::map<std::int32_t, TaskId> receivers_;  // by rank: the first of its tasks that receive
  std::map<std::pair<std::int32_t, std::uint32_t>, User> users_;  // by rank and context
  std::int32_t rank_with_threads_ = -1;          // where two receive the same messages
  mutable std::optional<ArrivalRecords> known_;  // of the run so far
};

void NicRecorder::on_message(const MatchingStep& step) {
  using Kind = MatchingStep::Kind;
  if (!is_of_program(step.context)) return;
  known_.reset();
  steps_.push_back(step);
  steps_.back().where = nullptr;
  if (step.kind != Kind::posted && step.kind != Kind::seen) return;
  const TaskId task = step.receiver.task;
  const auto [own, is_first] = receivers_.try_emplace(step.destination, task);
  if (!is_first) own->second = std::min(own->second, task);
  const std::pair place(step.destination, step.context);
  const auto user = users_.try_emplace(place, User{task}).first;
  user->second.is_shared |= user->second.task != task;
  user->second.has_wildcards |= step.source == any_source || step.tag == any_tag;
  if (user->second.is_shared && user->second.has_wildcards) rank_with_threads_ = step.destination;
}

const ArrivalRecords& NicRecorder::result() const {
  if (!known_) known_ = find_result();
  return *known_;
}

ArrivalRecords NicRecorder::find_result() const {
  ArrivalRecords result;
  const auto records = firmware_->records();
  if (!records) {
    result.fault = fmt::format("what a {} has written cannot be read", witness());
    return result;
  }
  std::map<TaskId, std::vector<std::int32_t>> sources;
  for (const CardRecord& record : *records) {
    const auto task = receivers_.find(static_cast<std::int32_t>(record.receiver));
    if (task == receivers_.end()) continue;  // nobody has asked for messages there
    sources[task->second].push_back(static_cast<std::int32_t>(record.sender));
  }
  for (auto& [task, senders] : sources) {
    result.arrivals.emplace_back();
    result.arrivals.back().task = task;
    result.arrivals.back().sources = std::move(senders);
  }
  // What is given to a receive by name is not for others, so that these may have changed.
  while (find_exceptions(result)) {
  }
  return result;
}

/// Goes through the run as a replay will.  True: a receive more was found whose message does not
/// follow from the order of coming.
bool NicRecorder::find_exceptions(ArrivalRecords& records) const {
  using Kind = MatchingStep::Kind;
  const std::size_t known = records.exceptions.size();
  ArrivalOrder order;
  order.begin(records.arrivals, records.exceptions);
  std::vector<TracedMessage> found;
  for (const MatchingStep& step : steps_) {
    if (step.kind == Kind::sent) {
      order.on_sent(step);
      continue;
    }
    order.link(step.receiver.task, step.destination);
    if (step.kind == Kind::posted || step.kind == Kind::seen) {
      order.begin_receive(step.receiver, step, /*is_probe=*/step.kind == Kind::seen);
    }
    if (step.kind == Kind::posted) continue;
    const bool is_withdrawn = step.kind == Kind::withdrawn;
    const bool follows =
        is_withdrawn ? order.is_exception(step.receiver) : order.may_take(step.send, step.receiver);
    if (!follows) {
      found.push_back({step.receiver.task, order.event_of(step.receiver), step.send});
      if (!is_withdrawn && records.rank_out_of_order < 0) {
        records.rank_out_of_order = step.destination;
      }
    }
    if (step.kind == Kind::taken) order.on_taken(step.send, step.receiver);
    if (step.kind == Kind::seen) order.on_seen(step.receiver);
    if (is_withdrawn) order.on_withdrawn(step.receiver);
  }
  const std::int32_t unsent = order.rank_with_unsent();
  if (unsent >= 0) {
    records.fault = fmt::format("the {} has records of messages to rank {} that nobody has sent",
                                witness(), unsent);
  }
  records.exceptions.insert(records.exceptions.end(), found.begin(), found.end());
  std::ranges::sort(records.exceptions, {},
                    [](const TracedMessage& one) { return std::pair(one.receiver, one.event); });
  return records.exceptions.size() != known;
}

void NicRecorder::add_records(MessageRecords& records) const {
  const ArrivalRecords& own = result();
  for (const OpenCalls& arrivals : own.arrivals) {
    const auto calls = std::ranges::lower_bound(records.calls, arrivals.task, {}, &OpenCalls::task);
    if (calls != records.calls.end() && calls->task == arrivals.task) {
      calls->sources = arrivals.sources;
    } else {
      records.calls.insert(calls, arrivals);
    }
  }
  records.traced = own.exceptions;
}

void NicRecorder::add_counts(Counts& counts) const {
  const NicFirmware::Totals totals = firmware_->totals();
  const bool at_ports = is_at_ports();
  counts.emplace_back(at_ports ? "port_records" : "card_records", totals.records);
  counts.emplace_back(at_ports ? "port_bytes" : "card_bytes", totals.bytes);
  counts.emplace_back(at_ports ? "port_flushes" : "card_flushes", totals.flushes);
  counts.emplace_back(at_ports ? "port_cycles" : "card_cycles", totals.cycles);
  counts.emplace_back("out_of_order", result().exceptions.size());
}

std::string NicRecorder::blind_spot() const {
  if (std::string shared = MessageRecorder::blind_spot(); !shared.empty()) return shared;
  if (rank_with_threads_ >= 0) {
    return fmt::format("two threads of rank {} may receive the same messages", rank_with_threads_);
  }
  if (!result().fault.empty()) return result().fault;
  return keeps_open_calls_ ? std::string() : what_nobody_sees();
}

std::string NicRecorder::what_nobody_sees() const {
  const MessageRecords kept = keeper().records();
  for (const OpenCalls& calls : kept.calls) {
    const char* what = nullptr;
    if (!calls.failed_polls.empty() || calls.last_failed_polls > 0) {
      what = "polls (MPI_Test, MPI_Iprobe or the like, or a receive with a deadline)";
    } else if (!calls.selections.empty()) {
      what = "waits for any or some of several requests (MPI_Waitany or MPI_Waitsome)";
    } else if (!calls.cancellations.empty()) {
      what = "cancels a request (MPI_Cancel)";
    }
    if (what == nullptr) continue;
    const std::int32_t rank = rank_of(calls.task);  // none: it has not sent or received anything
    return fmt::format("{} {}, and no {} sees what comes of that",
                       rank < 0 ? "a rank" : fmt::format("rank {}", rank), what, witness());
  }
  if (!kept.remote_calls.empty()) {
    return fmt::format("the program uses one-sided operations, and no {} sees when they are done",
                       witness());
  }
  if (result().rank_out_of_order < 0) return {};
  return fmt::format("a receive of rank {} took another message than the first that had come",
                     result().rank_out_of_order);
}

}  // namespace

std::unique_ptr<Recorder> make_nic_recorder(const NameWithOptions& given) {
  return std::make_unique<NicRecorder>(nic_firmware_options(given), HookPlace::cards,
                                       /*keeps_open_calls=*/false);
}

std::unique_ptr<Recorder> make_nic_polls_recorder(const NameWithOptions& given) {
  return std::make_unique<NicRecorder>(nic_firmware_options(given), HookPlace::cards,
                                       /*keeps_open_calls=*/true);
}

std::unique_ptr<Recorder> make_switch_recorder(const NameWithOptions& given) {
  return std::make_unique<NicRecorder>(nic_firmware_options(given), HookPlace::switch_ports,
                                       /*keeps_open_calls=*/false);
}

std::unique_ptr<Recorder> make_switch_polls_recorder(const NameWithOptions& given) {
  return std::make_unique<NicRecorder>(nic_firmware_options(given), HookPlace::switch_ports,
                                       /*keeps_open_calls=*/true);
}

}  // namespace orrery::detail
