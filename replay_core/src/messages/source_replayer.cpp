#include "source_replayer.hpp"

#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <orrery/replay_core/real_log.hpp>
#include <orrery/sim_runtime/contexts.hpp>

#include "begun_receives.hpp"
#include "message_replayer.hpp"

namespace orrery::detail {
namespace {

class SourceReplayer final : public MessageReplayer {
 public:
  SourceReplayer(const SavedRun& run, Chooser& fallback, ReplayMode mode, bool keeps_all)
      : MessageReplayer(run, fallback, mode), keeps_all_(keeps_all) {}

 private:
  void begin_replay() override {
    receives_.clear();
    begun_.clear();
    calls_.clear();
    withdrawn_.clear();
    started_.clear();
    withdrawn_starts_.clear();
    for (const TracedMessage& message : records().traced) {
      withdrawn_.emplace(message.receiver.value, message.event);
    }
    for (const OpenCalls& calls : records().calls) {
      if (calls.task.value >= calls_.size()) calls_.resize(std::size_t{calls.task.value} + 1);
      calls_[calls.task.value] = &calls;
    }
  }

  void begin_receive(OperationId id, const Operation& operation) override {
    if (!withdrawn_.empty()) {
      begun_.add(id);
      note_start(id, operation);
    }
    if (!keeps_all_ && operation.peer != any_source) return;
    receives_.add(id);
    if (receives_.count(id.task) > sources_of(id.task).size()) {
      goes_beyond(id.task, keeps_all_ ? "a receive" : "a receive from any source");
    }
  }

  bool admits_match(OperationId send, OperationId receiver) override {
    const std::optional<std::size_t> place = receives_.place_of(receiver);
    if (!place) return !is_withdrawn(receiver);
    const std::vector<std::int32_t>& sources = sources_of(receiver.task);
    return *place >= sources.size() || sources[*place] == rank_of(send.task);
  }

  [[nodiscard]] std::string what_is_left(TaskId task) const override {
    const std::vector<std::int32_t>& sources = sources_of(task);
    const std::size_t count = receives_.count(task);
    if (count < sources.size()) {
      return fmt::format("a receive, the {}. of {} that the log has", count + 1, sources.size());
    }
    return {};
  }

  [[nodiscard]] const std::vector<std::int32_t>& sources_of(TaskId task) const {
    static const std::vector<std::int32_t> none;
    const bool has_calls = task.value < calls_.size() && calls_[task.value] != nullptr;
    return has_calls ? calls_[task.value]->sources : none;
  }

  /// A run on a real machine has counted the receives that its program began, not those within
  /// collective operations, which it did in its own way.
  void note_start(OperationId id, const Operation& operation) {
    const bool is_programs = is_of_program(static_cast<std::uint32_t>(operation.value));
    if (operation.kind != OperationKind::post_receive || !is_programs) return;
    const std::uint64_t event = counts_started | started_[id.task.value]++;
    if (withdrawn_.contains({id.task.value, event})) withdrawn_starts_.insert(id.packed());
  }

  /// Was it cancelled in the recorded run, so that no message was for it?
  [[nodiscard]] bool is_withdrawn(OperationId receiver) const {
    if (withdrawn_starts_.contains(receiver.packed())) return true;
    const std::optional<std::size_t> place = begun_.place_of(receiver);
    return place && withdrawn_.contains({receiver.task.value, *place});
  }

  bool keeps_all_;
  BegunReceives receives_;
  BegunReceives begun_;  // those that need no record as well; only where some were withdrawn
  std::set<std::pair<std::uint32_t, std::uint64_t>> withdrawn_;  // task, and place among these
  std::unordered_map<std::uint32_t, std::uint64_t> started_;     // by task: receives of a program's
  std::unordered_set<std::uint64_t> withdrawn_starts_;           // of these
  std::vector<const OpenCalls*> calls_;                          // by task
};

}  // namespace

std::unique_ptr<Replayer> make_orders_replayer(const SavedRun& run, Chooser& fallback,
                                               ReplayMode mode) {
  return std::make_unique<SourceReplayer>(run, fallback, mode, /*keeps_all=*/true);
}

std::unique_ptr<Replayer> make_wildcards_replayer(const SavedRun& run, Chooser& fallback,
                                                  ReplayMode mode) {
  return std::make_unique<SourceReplayer>(run, fallback, mode, /*keeps_all=*/false);
}

}  // namespace orrery::detail
