#include "racing_replayer.hpp"

#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "begun_receives.hpp"
#include "message_replayer.hpp"

namespace orrery::detail {
namespace {

class RacingReplayer final : public MessageReplayer {
 public:
  using MessageReplayer::MessageReplayer;

 private:
  void begin_replay() override {
    receives_.clear();
    traced_.clear();
    traced_events_.clear();
    sends_.clear();
    names_source_.clear();
    for (const TracedMessage& message : records().traced) {
      if (message.receiver.value >= traced_.size()) {
        traced_.resize(std::size_t{message.receiver.value} + 1);
        traced_events_.resize(traced_.size());
      }
      traced_events_[message.receiver.value] = message.event + 1;  // they come in order
      traced_[message.receiver.value][message.event] = message.send;
      sends_.insert(message.send.packed());
    }
  }

  void begin_receive(OperationId id, const Operation& operation) override {
    receives_.add(id);
    if (id.task.value >= names_source_.size()) names_source_.resize(std::size_t{id.task.value} + 1);
    names_source_[id.task.value].push_back(operation.peer != any_source);
  }

  bool admits_match(OperationId send, OperationId receiver) override {
    const std::optional<std::size_t> event = receives_.place_of(receiver);
    if (event && receiver.task.value < traced_.size()) {
      const auto& own = traced_[receiver.task.value];
      const auto found = own.find(*event);
      if (found != own.end()) return found->second == send;
    }
    // Messages of one sender come in order: who names it gets the right one.
    if (!sends_.contains(send.packed())) return true;
    return event && names_source_[receiver.task.value][*event];
  }

  [[nodiscard]] std::string what_is_left(TaskId task) const override {
    if (task.value >= traced_.size()) return {};
    const std::uint64_t last = traced_events_[task.value];
    const std::size_t begun = receives_.count(task);
    if (begun >= last) return {};
    return fmt::format("more than {} receives, of which the log has at least {}", begun, last);
  }

  BegunReceives receives_;
  std::vector<std::unordered_map<std::uint64_t, OperationId>> traced_;  // by task, then by event
  std::vector<std::uint64_t> traced_events_;     // by task: so many has it had at the last of these
  std::unordered_set<std::uint64_t> sends_;      // that are traced
  std::vector<std::vector<bool>> names_source_;  // by task, then by event
};

}  // namespace

std::unique_ptr<Replayer> make_racing_replayer(const SavedRun& run, Chooser& fallback,
                                               ReplayMode mode) {
  return std::make_unique<RacingReplayer>(run, fallback, mode);
}

}  // namespace orrery::detail
