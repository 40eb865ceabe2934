#include "source_recorder.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "begun_receives.hpp"
#include "message_recorder.hpp"

namespace orrery::detail {
namespace {

class SourceRecorder final : public MessageRecorder {
 public:
  explicit SourceRecorder(bool keeps_all) : keeps_all_(keeps_all) {}

 private:
  void begin_records() override {
    open_.clear();
    begun_.clear();
    withdrawn_.clear();
  }

  void on_message(const MatchingStep& step) override {
    using Kind = MatchingStep::Kind;
    if (step.kind == Kind::sent) return;
    if (!keeps_all_) {
      if (step.source != any_source) return on_named(step);
      if (step.kind == Kind::posted || step.kind == Kind::seen) begun_.pass(step.receiver);
    }
    std::vector<std::int32_t>& sources = keeper().calls_of(step.receiver.task).sources;
    switch (step.kind) {
      case Kind::posted:
        open_[step.receiver.packed()] = sources.size();
        sources.push_back(OpenCalls::nobody);
        return;
      case Kind::seen: sources.push_back(rank_of(step.send.task)); return;
      case Kind::taken: {
        const auto found = open_.find(step.receiver.packed());
        sources[found->second] = rank_of(step.send.task);
        open_.erase(found);
        return;
      }
      default: open_.erase(step.receiver.packed()); return;
    }
  }

  // Who names its sender needs no record, unless it was cancelled: elsewhere the message that is
  // another one's might be there before the cancellation.
  void on_named(const MatchingStep& step) {
    using Kind = MatchingStep::Kind;
    if (step.kind == Kind::posted) return begun_.begin(step.receiver);
    if (step.kind == Kind::seen) return begun_.pass(step.receiver);
    if (step.kind == Kind::withdrawn) {
      withdrawn_.push_back({step.receiver.task, begun_.place_of(step.receiver), {}});
    }
    begun_.end(step.receiver);
  }

  void add_records(MessageRecords& records) const override {
    records.traced = withdrawn_;
    std::ranges::sort(records.traced, [](const TracedMessage& a, const TracedMessage& b) {
      return a.receiver != b.receiver ? a.receiver < b.receiver : a.event < b.event;
    });
  }

  bool keeps_all_;
  std::unordered_map<std::uint64_t, std::size_t> open_;  // receives without a message: their places
  OpenReceives begun_;                    // that name their source; the others are counted
  std::vector<TracedMessage> withdrawn_;  // of those with a name
};

}  // namespace

std::unique_ptr<Recorder> make_orders_recorder() {
  return std::make_unique<SourceRecorder>(/*keeps_all=*/true);
}

std::unique_ptr<Recorder> make_wildcards_recorder() {
  return std::make_unique<SourceRecorder>(/*keeps_all=*/false);
}

}  // namespace orrery::detail
