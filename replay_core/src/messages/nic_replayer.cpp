#include "nic_replayer.hpp"

#include "arrival_order.hpp"
#include "message_replayer.hpp"

namespace orrery::detail {
namespace {

class NicReplayer final : public MessageReplayer {
 public:
  using MessageReplayer::MessageReplayer;

 private:
  void begin_replay() override { order_.begin(records().calls, records().traced); }

  void on_message(const MatchingStep& step) override {
    using Kind = MatchingStep::Kind;
    if (step.kind != Kind::sent) order_.link(step.receiver.task, step.destination);
    switch (step.kind) {
      case Kind::sent: return order_.on_sent(step);
      case Kind::posted: return;
      case Kind::taken: return order_.on_taken(step.send, step.receiver);
      case Kind::seen: return order_.on_seen(step.receiver);
      case Kind::withdrawn: return order_.on_withdrawn(step.receiver);
    }
  }

  void begin_receive(OperationId id, const Operation& operation) override {
    MatchingStep asks_for;
    asks_for.context = static_cast<std::uint32_t>(operation.value);
    asks_for.source = operation.peer;
    asks_for.tag = operation.tag;
    const bool is_probe =
        operation.kind == OperationKind::probe || operation.kind == OperationKind::try_probe;
    order_.begin_receive(id, asks_for, is_probe);
  }

  bool admits_match(OperationId send, OperationId receiver) override {
    return order_.may_take(send, receiver);
  }

  [[nodiscard]] std::string what_is_left(TaskId task) const override {
    return order_.awaited_by(task);
  }

  ArrivalOrder order_;
};

}  // namespace

std::unique_ptr<Replayer> make_nic_replayer(const SavedRun& run, Chooser& fallback,
                                            ReplayMode mode) {
  return std::make_unique<NicReplayer>(run, fallback, mode);
}

}  // namespace orrery::detail
