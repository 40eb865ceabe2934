#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>
#include <orrery/replay_core/bent_runs.hpp>

#include "bend_order.hpp"
#include "messages/message_races.hpp"
#include "operation_places.hpp"
#include "path_text.hpp"
#include "step_graph.hpp"

namespace orrery {

using detail::BendOrder;
using detail::nobody;
using detail::number_text;
using detail::Receiver;
using detail::SentMessage;
using detail::StepOrder;
using detail::StepPath;

class BendPlanner::Maker {
 public:
  void begin_run(const Names* names) { places_.begin_run(names); }
  void leave();

  [[nodiscard]] detail::StepGraph& graph() { return graph_; }
  [[nodiscard]] detail::OperationPlaces& places() { return places_; }
  void add_run_answer(const RunAnswer& answer) { run_answers_.push_back(answer); }
  void on_outcome(OperationId operation, const OpenOutcome& outcome);
  [[nodiscard]] std::size_t race_count() const { return races_.size(); }
  [[nodiscard]] Bend swap(std::uint64_t number, const std::string& where) const;
  [[nodiscard]] BendPlan plan(const std::vector<Bend>& bends) const;

 private:
  /// One that asks for a message, with what it is about.
  struct Wish {
    const Bend& bend;
    std::uint32_t number = 0;
    std::uint32_t receiver = 0;
    std::uint32_t message = 0;
    std::uint32_t goal = 0;  // the message's delivery
  };

  [[nodiscard]] const Receiver& receiver(std::uint32_t number) const {
    return graph_.history().receivers()[number];
  }
  [[nodiscard]] const SentMessage& message(std::uint32_t number) const {
    return graph_.history().messages()[number];
  }
  [[nodiscard]] std::string name_of(OperationId id) const {
    return fmt::format("{} {}", number_text(id), places_.describe(id));
  }
  [[nodiscard]] std::uint32_t step_of(OperationId id, const Bend& bend) const;
  [[noreturn]] void refuse(const Bend& bend, const std::string& why, const char* hint) const;
  [[noreturn]] void refuse(const Bend& bend, const StepPath& obstacle,
                           const std::vector<Bend>& bends) const;
  [[nodiscard]] Wish wish_of(const Bend& bend, std::uint32_t number) const;
  void check_together(const std::vector<Bend>& bends) const;
  void check_behind(const Wish& wish, const BendOrder& order) const;
  void wait_for_earlier(const Wish& wish, BendOrder& order) const;
  [[nodiscard]] std::vector<std::uint32_t> rivals(const Wish& wish, const BendOrder& order) const;
  [[nodiscard]] std::vector<std::uint32_t> sends_before(const Wish& wish,
                                                        const BendOrder& order) const;
  std::uint32_t let_take(const Wish& wish, BendOrder& order, const std::vector<Bend>& bends) const;
  std::uint32_t let_come_first(const Bend& bend, std::uint32_t number, BendOrder& order,
                               const std::vector<Bend>& bends) const;
  [[nodiscard]] bool is_candidate(const Wish& wish, const BendOrder& order,
                                  std::uint32_t other) const;
  [[nodiscard]] std::vector<BendPlan::Selection> selections_of(const BendPlan& plan,
                                                               const BendOrder& order) const;

  detail::StepGraph graph_;
  detail::OperationPlaces places_;
  std::vector<detail::MessageRace> races_;
  std::vector<RunAnswer> run_answers_;
  std::vector<BendPlan::Selection> selections_;
};

void BendPlanner::Maker::on_outcome(OperationId operation, const OpenOutcome& outcome) {
  graph_.on_outcome(operation, outcome);
  if (!outcome.succeeded || outcome.among <= 1) return;
  selections_.push_back(
      {operation, outcome.among, {outcome.reported.begin(), outcome.reported.end()}});
}

void BendPlanner::Maker::leave() {
  places_.leave();
  find_message_races(graph_.history(),
                     [this](const detail::MessageRace& race) { races_.push_back(race); });
  const auto key = [this](const detail::MessageRace& race) {
    return std::pair(receiver(race.receiver).id, message(race.other).send);
  };
  std::ranges::sort(races_, {}, key);
  graph_.add_undelivered();
}

Bend BendPlanner::Maker::swap(std::uint64_t number, const std::string& where) const {
  constexpr const char* hint = "orrery show LOG --races lists them";
  if (races_.empty()) throw UsageError("no messages of this run race", where, hint);
  if (number == 0 || number > races_.size()) {
    throw UsageError(
        fmt::format("there is no race {}: this run has those from 1 to {}", number, races_.size()),
        where, hint);
  }
  const detail::MessageRace& race = races_[static_cast<std::size_t>(number - 1)];
  return {Bend::Kind::takes, receiver(race.receiver).id, message(race.other).send, where};
}

// --- what cannot be -----------------------------------------------------------------------------

void BendPlanner::Maker::refuse(const Bend& bend, const std::string& why, const char* hint) const {
  throw UsageError(fmt::format("'{}' cannot be: {}", text(bend), why), bend.where, hint);
}

void BendPlanner::Maker::refuse(const Bend& bend, const StepPath& obstacle,
                                const std::vector<Bend>& bends) const {
  const bool is_alone = std::ranges::none_of(
      obstacle.edges, [](const detail::StepEdge& edge) { return edge.order == StepOrder::wished; });
  refuse(
      bend,
      "what is to come first needs what is to wait: " + path_text(obstacle, graph_, places_, bends),
      is_alone ? "no run that does the same up to there can be so: leave it out"
               : "leave out one of those that are named");
}

std::uint32_t BendPlanner::Maker::step_of(OperationId id, const Bend& bend) const {
  if (const auto step = graph_.step_of(id)) return *step;
  const auto operations = graph_.operations_of(id.task);
  constexpr const char* hint = "orrery show LOG --export csv has all operations";
  if (!operations || *operations == 0) {
    refuse(bend, fmt::format("the run has no task {}", id.task.value), hint);
  }
  refuse(bend,
         fmt::format("{} has no operation {}, its last one is {}", places_.task(id.task), id.number,
                     *operations),
         hint);
}

BendPlanner::Maker::Wish BendPlanner::Maker::wish_of(const Bend& bend, std::uint32_t number) const {
  constexpr const char* hint = "orrery show LOG --races prints what can be";
  static_cast<void>(step_of(bend.first, bend));
  static_cast<void>(step_of(bend.second, bend));
  const auto taking = graph_.receiver_of(bend.first);
  if (!taking || receiver(*taking).message == nobody) {
    refuse(bend, name_of(bend.first) + " is no receive or probe that got a message", hint);
  }
  const auto wanted = graph_.history().message_of(bend.second);
  if (!wanted) refuse(bend, name_of(bend.second) + " sends no message that is received", hint);
  if (!receiver(*taking).matches(message(*wanted))) {
    const Receiver& asks = receiver(*taking);
    const SentMessage& sent = message(*wanted);
    std::string why = "the two belong to different communicators";
    if (asks.destination != sent.destination) {
      why = fmt::format("that message goes to rank {}, and {} receives for rank {}",
                        sent.destination, name_of(bend.first), asks.destination);
    } else if (asks.source != any_source && asks.source != sent.source) {
      why = fmt::format("{} takes messages of rank {} only, and that one is of rank {}",
                        name_of(bend.first), asks.source, sent.source);
    } else if (asks.tag != any_tag && asks.tag != sent.tag) {
      why = fmt::format("{} takes messages with tag {} only, and that one has tag {}",
                        name_of(bend.first), asks.tag, sent.tag);
    }
    refuse(bend, why, hint);
  }
  return {bend, number, *taking, *wanted, graph_.delivery(*wanted)};
}

/// A receive gets one message, and a message goes to one receive.
void BendPlanner::Maker::check_together(const std::vector<Bend>& bends) const {
  for (std::size_t i = 0; i < bends.size(); ++i) {
    if (bends[i].kind != Bend::Kind::takes) continue;
    const auto is_probe = [&](const Bend& bend) {
      const auto looking = graph_.receiver_of(bend.first);
      return looking && receiver(*looking).is_probe;
    };
    for (std::size_t j = 0; j < i; ++j) {
      const Bend& other = bends[j];
      if (other.kind != Bend::Kind::takes) continue;
      const bool is_same_receive = other.first == bends[i].first;
      const bool is_same_message =
          other.second == bends[i].second && !is_probe(other) && !is_probe(bends[i]);
      if (is_same_receive == is_same_message) continue;
      refuse(bends[i], fmt::format("{} says '{}'", other.where, text(other)),
             "leave one of them out");
    }
  }
}

/// Could the receiver of the wish take this message as well, as things are?
bool BendPlanner::Maker::is_candidate(const Wish& wish, const BendOrder& order,
                                      std::uint32_t other) const {
  if (other == wish.message || !receiver(wish.receiver).matches(message(other))) return false;
  const std::uint32_t taker = order.taker_of(other);
  return taker == nobody || taker >= wish.receiver;
}

/// A receive takes the messages of a sender in the order in which they were sent (MPI 3.1, section
/// 3.5).
void BendPlanner::Maker::check_behind(const Wish& wish, const BendOrder& order) const {
  const SentMessage& wanted = message(wish.message);
  for (std::uint32_t other = 0; other < wish.message; ++other) {
    if (message(other).send.task != wanted.send.task || !is_candidate(wish, order, other)) continue;
    refuse(wish.bend,
           fmt::format("the message of {} comes before that of {}, from the same sender, and is "
                       "still there",
                       name_of(message(other).send), name_of(wanted.send)),
           "messages of one sender do not overtake each other: take that one");
  }
}

/// Receives that began before, and would take the message as well, must have their own by then.
void BendPlanner::Maker::wait_for_earlier(const Wish& wish, BendOrder& order) const {
  for (std::uint32_t i = 0; i < wish.receiver; ++i) {
    const Receiver& earlier = receiver(i);
    if (earlier.is_probe || earlier.is_withdrawn || !earlier.matches(message(wish.message))) {
      continue;
    }
    const std::uint32_t own = order.message_of(i);
    if (own == nobody || own == wish.message) {
      refuse(wish.bend,
             fmt::format("that message goes to {}, which begins before", name_of(earlier.id)),
             "let that one take another message, in a line before this one");
    }
    // One that takes what is there when it begins never waits.
    const bool is_bent = own != earlier.message;
    const std::uint32_t match = is_bent ? graph_.delivery(own) : graph_.match(i);
    const bool never_waits = match == graph_.begin(i) || order.is_before(match, graph_.begin(i));
    if (never_waits || match == wish.goal) continue;
    if (order.is_before(match, wish.goal)) {
      order.require(match, wish.goal, StepOrder::served);
      continue;
    }
    refuse(wish.bend,
           fmt::format("{}, which begins before, would take that message: its own comes later",
                       name_of(earlier.id)),
           "let that one take this message instead");
  }
}

// --- bending ------------------------------------------------------------------------------------

/// Deliveries of what the receive would take if it came before the wanted message.
std::vector<std::uint32_t> BendPlanner::Maker::rivals(const Wish& wish,
                                                      const BendOrder& order) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t other = 0; other < graph_.history().messages().size(); ++other) {
    if (!is_candidate(wish, order, other)) continue;
    const std::uint32_t delivery = graph_.delivery(other);
    if (delivery != nobody && order.is_before(delivery, wish.goal)) found.push_back(delivery);
  }
  return found;
}

/// What other threads of the sender's process send before: that would come before, too.
std::vector<std::uint32_t> BendPlanner::Maker::sends_before(const Wish& wish,
                                                            const BendOrder& order) const {
  std::vector<std::uint32_t> found;
  const SentMessage& wanted = message(wish.message);
  for (std::uint32_t other = 0; other < wish.message; ++other) {
    const SentMessage& sent = message(other);
    const bool is_of_other = sent.source == wanted.source && sent.send.task != wanted.send.task;
    if (!is_of_other || !is_candidate(wish, order, other)) continue;
    if (const auto step = graph_.step_of(sent.send)) found.push_back(*step);
  }
  return found;
}

/// Returns the step from which on the run is another one.
std::uint32_t BendPlanner::Maker::let_take(const Wish& wish, BendOrder& order,
                                           const std::vector<Bend>& bends) const {
  const std::uint32_t own = order.message_of(wish.receiver);
  if (own == wish.message) return nobody;
  const std::uint32_t begin = graph_.begin(wish.receiver);
  const bool is_posted = graph_.steps()[begin].kind == OperationKind::post_receive;
  if (own == nobody) {
    refuse(wish.bend, "its own message goes to another receive by a line before this one",
           "say there which message that receive takes instead");
  }
  check_behind(wish, order);
  wait_for_earlier(wish, order);
  // Either the receive itself waits, or what else it would take.
  BendOrder::Aim aim{wish.goal, wish.receiver, sends_before(wish, order)};
  const std::size_t others = aim.waiting.size();
  aim.waiting.push_back(begin);
  const bool was_open = is_posted && !order.is_before(graph_.delivery(own), begin);
  const bool must_be_open = is_posted && (was_open || !order.obstacle(aim).steps.empty());
  if (must_be_open) {
    aim.waiting.resize(others);
    for (const std::uint32_t rival : rivals(wish, order)) aim.waiting.push_back(rival);
  }
  if (const StepPath obstacle = order.obstacle(aim); !obstacle.steps.empty()) {
    refuse(wish.bend, obstacle, bends);
  }
  order.put_first(aim, must_be_open ? nobody : begin, wish.number);
  order.exchange(wish.receiver, wish.message);
  return must_be_open ? wish.goal : begin;
}

std::uint32_t BendPlanner::Maker::let_come_first(const Bend& bend, std::uint32_t number,
                                                 BendOrder& order,
                                                 const std::vector<Bend>& bends) const {
  const std::uint32_t first = step_of(bend.first, bend);
  const BendOrder::Aim aim{first, nobody, {step_of(bend.second, bend)}};
  if (first == aim.waiting[0]) {
    refuse(bend, "an operation does not come before itself", "name two operations");
  }
  const bool is_so = order.is_before(first, aim.waiting[0]);
  if (const StepPath obstacle = order.obstacle(aim); !obstacle.steps.empty()) {
    refuse(bend, obstacle, bends);
  }
  order.put_first(aim, nobody, number);
  return is_so ? nobody : first;
}

/// Those before the first step that changes its place are as they were anyway.
std::vector<BendPlan::Selection> BendPlanner::Maker::selections_of(const BendPlan& plan,
                                                                   const BendOrder& order) const {
  std::vector<BendPlan::Selection> found;
  const std::uint64_t same = plan.order.empty() ? 0 : plan.order.front().end;
  for (const BendPlan::Selection& one : selections_) {
    const auto step = graph_.step_of(one.call);
    if (!step) continue;
    const std::uint64_t place = order.place(*step);
    if (place >= same && place < plan.steps_followed) found.push_back(one);
  }
  std::ranges::sort(found, {}, &BendPlan::Selection::call);
  return found;
}

BendPlan BendPlanner::Maker::plan(const std::vector<Bend>& bends) const {
  check_together(bends);
  BendOrder order(graph_);
  std::vector<std::uint32_t> changes;
  for (std::uint32_t i = 0; i < bends.size(); ++i) {
    const Bend& bend = bends[i];
    const std::uint32_t change = bend.kind == Bend::Kind::takes
                                     ? let_take(wish_of(bend, i), order, bends)
                                     : let_come_first(bend, i, order, bends);
    if (change != nobody) changes.push_back(change);
  }
  BendPlan plan;
  plan.bends = bends;
  plan.run_answers = run_answers_;
  plan.starters = graph_.starters();
  plan.steps_recorded = graph_.steps_taken();
  for (std::size_t i = graph_.steps_taken(); i < graph_.steps().size(); ++i) {
    plan.added.push_back(graph_.steps()[i].id);
  }
  plan.steps_followed = order.steps().size();
  for (const std::uint32_t change : changes) {
    plan.steps_followed = std::min<std::uint64_t>(plan.steps_followed, order.place(change));
  }
  for (const std::uint32_t step : order.steps()) {
    if (!plan.order.empty() && plan.order.back().end == step) {
      ++plan.order.back().end;
    } else {
      plan.order.push_back({step, std::uint64_t{step} + 1});
    }
  }
  plan.selections = selections_of(plan, order);
  return plan;
}

// --- the observer -------------------------------------------------------------------------------

BendPlanner::BendPlanner() : maker_(std::make_unique<Maker>()) {}
BendPlanner::~BendPlanner() = default;

void BendPlanner::leave() {
  maker_->leave();
}
std::size_t BendPlanner::race_count() const {
  return maker_->race_count();
}
Bend BendPlanner::swap(std::uint64_t number, const std::string& where) const {
  return maker_->swap(number, where);
}
BendPlan BendPlanner::plan(const std::vector<Bend>& bends) const {
  return maker_->plan(bends);
}
std::optional<OperationId> BendPlanner::message_of(OperationId receive) const {
  const auto receiver = maker_->graph().receiver_of(receive);
  if (!receiver) return std::nullopt;
  const detail::MessageHistory& history = maker_->graph().history();
  const std::uint32_t message = history.receivers()[*receiver].message;
  if (message == nobody) return std::nullopt;
  return history.messages()[message].send;
}
std::string BendPlanner::describe(OperationId operation) const {
  return maker_->places().describe(operation);
}

void BendPlanner::begin_run(const RunInfo& info) {
  maker_ = std::make_unique<Maker>();
  maker_->begin_run(info.names);
}
EventMask BendPlanner::interest() const {
  return detail::StepGraph::interest() | EventMask::all_events() | EventMask::choices();
}
void BendPlanner::on_task(TaskId task, std::span<const TaskId> predecessors) {
  maker_->graph().on_task(task, predecessors);
}
void BendPlanner::on_step(const Alternative& taken) {
  maker_->graph().on_step(taken);
}
void BendPlanner::on_matching(const MatchingStep& step) {
  maker_->graph().on_matching(step);
}
void BendPlanner::on_event(const Event& event) {
  maker_->places().on_event(event);
  maker_->graph().on_event(event);
}
void BendPlanner::on_outcome(OperationId operation, OperationKind, const OpenOutcome& outcome) {
  maker_->on_outcome(operation, outcome);
}
void BendPlanner::on_value(const ValueQuestion& question, std::uint64_t answer) {
  if (question.is_of_run) maker_->add_run_answer({question.question, answer});
}
void BendPlanner::end_run(const Outcome&) {
  leave();
}

}  // namespace orrery
