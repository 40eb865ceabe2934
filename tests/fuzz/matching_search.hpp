// Every way in which messages can find their receives, and no two runs that differ otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include <orrery/sim_runtime/choice.hpp>
#include <orrery/sim_runtime/observer.hpp>

namespace orrery::test {

/// Exhaustive over matchings, for programs whose open calls go as they are told (under a replayer
/// of messages): there a rank is a function of the messages that it gets, in order.  All tasks run
/// until nothing but deliveries is left; these are the questions, and which of several messages
/// that have come a receive takes.  Any run can be brought into this form: a message is delivered
/// when its receive is there.  Deliveries to different ranks, or in different communicators,
/// commute: of the orders that differ in these only one is gone through (sleep sets: Godefroid,
/// "Using partial orders to improve automatic verification methods", CAV 1990).
class MatchingSearch final : public Chooser, public Observer {
 public:
  /// Prepares for the next run; false: all have been done.
  bool next() {
    while (!path_.empty()) {
      Question& last = path_.back();
      last.sleeping.push_back(last.alternatives[last.taken]);
      if (advance(last)) return true;
      path_.pop_back();
    }
    return false;
  }

  void begin_run(const RunInfo&) override { reached_ = 0; }
  [[nodiscard]] EventMask interest() const override { return EventMask::matching(); }
  void on_matching(const MatchingStep& step) override {
    if (step.kind != MatchingStep::Kind::sent) return;
    queues_[step.send.packed()] =
        std::uint64_t{step.context} << 32U | static_cast<std::uint32_t>(step.destination);
  }

  Decision choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::step) {
      const auto is_delivery = [](const Alternative& one) {
        return one.kind == OperationKind::deliver;
      };
      const auto other = std::ranges::find_if_not(point.alternatives, is_delivery);
      if (other != point.alternatives.end()) {
        return Decision::take(static_cast<std::size_t>(other - point.alternatives.begin()));
      }
    } else if (point.kind != ChoiceKind::message) {
      return Decision::take(point.default_index());
    }
    if (reached_ == path_.size() && !ask(point)) return Decision::abandon();
    const Alternative& wanted = path_[reached_].alternatives[path_[reached_].taken];
    ++reached_;
    const auto found = std::ranges::find_if(point.alternatives, [&](const Alternative& one) {
      return one.id == wanted.id && one.kind == wanted.kind;
    });
    return found == point.alternatives.end()
               ? Decision::abandon()
               : Decision::take(static_cast<std::size_t>(found - point.alternatives.begin()));
  }

 private:
  struct Question {
    std::vector<Alternative> alternatives;
    std::vector<Alternative> sleeping;  ///< gone through already where they come first
    std::size_t taken = 0;
  };

  [[nodiscard]] std::uint64_t queue_of(const Alternative& one) const {
    const auto found = queues_.find(one.id.packed());
    return found == queues_.end() ? 0 : found->second;
  }

  static bool sleeps(const Question& question, const Alternative& alternative) {
    return std::ranges::any_of(question.sleeping, [&](const Alternative& one) {
      return one.id == alternative.id && one.kind == alternative.kind;
    });
  }

  static bool advance(Question& question) {
    for (std::size_t i = 0; i < question.alternatives.size(); ++i) {
      if (sleeps(question, question.alternatives[i])) continue;
      question.taken = i;
      return true;
    }
    return false;
  }

  bool ask(const ChoicePoint& point) {
    Question question;
    question.alternatives.assign(point.alternatives.begin(), point.alternatives.end());
    if (!path_.empty()) {
      const Question& before = path_.back();
      const Alternative& taken = before.alternatives[before.taken];
      for (const Alternative& one : before.sleeping) {
        if (queue_of(one) != queue_of(taken)) question.sleeping.push_back(one);
      }
    }
    if (!advance(question)) return false;
    path_.push_back(std::move(question));
    return true;
  }

  std::vector<Question> path_;
  std::size_t reached_ = 0;
  std::map<std::uint64_t, std::uint64_t> queues_;
};

}  // namespace orrery::test
