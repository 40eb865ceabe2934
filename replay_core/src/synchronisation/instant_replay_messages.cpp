#include "instant_replay_messages.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "messages/message_recorder.hpp"

namespace orrery::detail {
namespace {

class SendRecorder final : public MessageRecorder {
 private:
  /// A receive or a probe.
  struct Begun {
    TaskId task;
    std::uint64_t event = 0;  ///< its place among those of its task
    OperationId send = {};    ///< whose message it took or saw
    std::int32_t rank = 0;
    std::uint32_t context = 0;
    bool names_sender = false;
  };
  using Kind = MatchingStep::Kind;

  void begin_records() override {
    begun_.clear();
    counts_.clear();
    open_.clear();
    first_users_.clear();
    crowded_.clear();
  }

  void on_message(const MatchingStep& step) override {
    switch (step.kind) {
      case Kind::sent: note_user(step.source, step.context, step.send.task); return;
      case Kind::posted:
        note_user(step.destination, step.context, step.receiver.task);
        open_[step.receiver.packed()] = begun_.size();
        begin(step);
        return;
      case Kind::seen:
        note_user(step.destination, step.context, step.receiver.task);
        begin(step);
        begun_.back().send = step.send;
        return;
      case Kind::taken: {
        const auto found = open_.find(step.receiver.packed());
        begun_[found->second].send = step.send;
        open_.erase(found);
        return;
      }
      case Kind::withdrawn: open_.erase(step.receiver.packed()); return;
    }
  }

  void begin(const MatchingStep& step) {
    const std::size_t task = step.receiver.task.value;
    if (task >= counts_.size()) counts_.resize(task + 1);
    begun_.push_back({.task = step.receiver.task,
                      .event = counts_[task]++,
                      .rank = step.destination,
                      .context = step.context,
                      .names_sender = step.source != any_source});
  }

  /// Messages of one context do not get into another: a collective operation that goes on by itself
  /// has a task, and a context, of its own.
  static std::uint64_t place_of(std::int32_t rank, std::uint32_t context) {
    return static_cast<std::uint64_t>(rank) << 32U | context;
  }
  void note_user(std::int32_t rank, std::uint32_t context, TaskId task) {
    const std::uint64_t place = place_of(rank, context);
    const auto [first, is_new] = first_users_.try_emplace(place, task);
    if (!is_new && first->second != task) crowded_.insert(place);
  }

  void add_records(MessageRecords& records) const override {
    for (const Begun& one : begun_) {
      const bool follows = one.names_sender && one.send != OperationId{} &&
                           !crowded_.contains(place_of(one.rank, one.context)) &&
                           !crowded_.contains(place_of(rank_of(one.send.task), one.context));
      if (!follows) records.traced.push_back({one.task, one.event, one.send});
    }
    std::ranges::sort(records.traced, [](const TracedMessage& a, const TracedMessage& b) {
      return a.receiver != b.receiver ? a.receiver < b.receiver : a.event < b.event;
    });
  }

  std::vector<Begun> begun_;
  std::vector<std::uint64_t> counts_;                      // by task
  std::unordered_map<std::uint64_t, std::size_t> open_;    // without a message, in `begun_`
  std::unordered_map<std::uint64_t, TaskId> first_users_;  // by rank and context
  std::unordered_set<std::uint64_t> crowded_;              // with several
};

}  // namespace

std::unique_ptr<Recorder> make_send_recorder() {
  return std::make_unique<SendRecorder>();
}

}  // namespace orrery::detail
