#include "interval_events.hpp"

namespace orrery {
namespace {

constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t bits = (hash ^ word) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ bits >> 32U) * 0xd6e8feb86659fd93U;
  return bits ^ bits >> 29U;
}

}  // namespace

void IntervalEvents::add_task(TaskId task) {
  if (!ordinals_.try_emplace(task.value, static_cast<std::uint32_t>(tasks_.size())).second) return;
  tasks_.push_back(task);
  chains_.push_back(0);
}

void IntervalEvents::begin_interval() {
  begun_at_ = count_;
}

void IntervalEvents::on_matching(const MatchingStep& step) {
  using Kind = MatchingStep::Kind;
  if (step.kind != Kind::taken && step.kind != Kind::seen) return;
  if (has_task(step.receiver.task)) taken_.insert(step.send.packed());
}

std::uint64_t IntervalEvents::named(TaskId task, std::uint32_t number) const {
  const auto own = ordinals_.find(task.value);
  constexpr std::uint64_t of_the_rank = std::uint64_t{1} << 63U;
  const std::uint64_t who = own == ordinals_.end() ? task.value : of_the_rank | own->second;
  return mixed(who, number);
}

void IntervalEvents::on_event(const Event& event) {
  if (is_machine_step(event.kind) || event.kind == OperationKind::fault) return;
  const auto own = ordinals_.find(event.id.task.value);
  if (own == ordinals_.end()) return;
  std::uint64_t& chain = chains_[own->second];
  chain = mixed(chain, event.id.number);
  chain = mixed(chain, static_cast<std::uint64_t>(event.kind) << 1U | (event.timed_out ? 1U : 0U));
  chain = mixed(chain, named(event.object.creator, event.object.number));
  // Of a spawn it is the number of the task.
  if (event.kind != OperationKind::spawn) chain = mixed(chain, event.payload_hash);
  if (taken_.contains(event.matched.packed())) {
    chain = mixed(chain, named(event.matched.task, event.matched.number));
    const bool is_seen_only =
        event.kind == OperationKind::probe || event.kind == OperationKind::try_probe;
    if (!is_seen_only) taken_.erase(event.matched.packed());
  }
  ++count_;
}

std::uint64_t IntervalEvents::hash() const {
  std::uint64_t all = count_;
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    if (chains_[i] != 0) all += mixed(i + 1, chains_[i]);
  }
  return all;
}

}  // namespace orrery
