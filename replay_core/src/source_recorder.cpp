#include "source_recorder.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "message_recorder.hpp"

namespace orrery::detail {
namespace {

class SourceRecorder final : public MessageRecorder {
 public:
  explicit SourceRecorder(bool keeps_all) : keeps_all_(keeps_all) {}

 private:
  void begin_records() override { open_.clear(); }

  void on_message(const MatchingStep& step) override {
    using Kind = MatchingStep::Kind;
    if (step.kind == Kind::sent) return;
    if (!keeps_all_ && step.source != any_source) return;
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

  bool keeps_all_;
  std::unordered_map<std::uint64_t, std::size_t> open_;  // receives without a message: their places
};

}  // namespace

std::unique_ptr<Recorder> make_orders_recorder() {
  return std::make_unique<SourceRecorder>(/*keeps_all=*/true);
}

std::unique_ptr<Recorder> make_wildcards_recorder() {
  return std::make_unique<SourceRecorder>(/*keeps_all=*/false);
}

}  // namespace orrery::detail
