// What the machine asks besides who goes on.
#include <algorithm>
#include <string_view>

#include <orrery/network_model/usage_error.hpp>

#include "machine.hpp"
#include "messages.hpp"

namespace orrery::detail {

std::uint64_t Machine::question_key(ChoiceKind kind) {
  // No draw, so no key of its own: with or without it all others have the same ones.
  if (kind == ChoiceKind::clock) return 0;
  const auto ordinal = questions_in_step_++;
  return (last_step_.packed() << 4U | last_step_salt_) ^
         (static_cast<std::uint64_t>(kind) + 1) * 0x9e3779b97f4a7c15U ^
         ordinal * 0xd1b54a32d192ed03U;
}

ChoicePoint Machine::question(ChoiceKind kind, std::span<const Alternative> alternatives) {
  return {.kind = kind,
          .asker = running_ != nullptr ? running_->current_id() : last_step_,
          .alternatives = alternatives,
          .current = last_step_.task,
          .current_is_enabled = true,
          .current_has_yielded = false,
          .step = step_,
          .question = question_key(kind),
          .now = now_,
          .pending = *this};
}

void Machine::tell_chosen(ChoiceKind kind, std::span<const Alternative> alternatives,
                          OperationId chosen) {
  if (alternatives.size() == 1 || !wants_choices_) return;
  const auto found = std::ranges::find(alternatives, chosen, &Alternative::id);
  tell_choice(question(kind, alternatives), static_cast<std::size_t>(found - alternatives.begin()));
}

void Machine::tell_drawn(std::uint64_t low, std::uint64_t high, std::uint64_t answer) {
  if (low == high || !wants_choices_) return;
  const ValueQuestion question{.asker = running_->current_id(),
                               .question = question_key(ChoiceKind::value),
                               .low = low,
                               .high = high,
                               .weights = {},
                               .kind = ChoiceKind::value};
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::choices())) observer->on_value(question, answer);
  }
}

std::uint64_t Machine::choose_value(ChoiceKind kind, std::uint64_t low, std::uint64_t high,
                                    std::span<const std::uint32_t> weights) {
  return choose_value(kind, low, high, weights, question_key(kind));
}

std::uint64_t Machine::choose_input(std::uint64_t key, std::uint64_t measured) {
  return choose_value(ChoiceKind::input, measured, measured, {}, key);
}

std::uint64_t Machine::choose_value(ChoiceKind kind, std::uint64_t low, std::uint64_t high,
                                    std::span<const std::uint32_t> weights, std::uint64_t key,
                                    bool is_of_run) {
  // Of what has one answer only an input is asked: a replay has another.
  const bool comes_from_outside = is_input(kind);
  if (low == high && !comes_from_outside) return low;
  // Clocks are read all the time: where nobody keeps the dates, and nobody has others, that is all.
  const bool is_watched = wants_choices_ || constraint_ != nullptr;
  if (kind == ChoiceKind::clock && (!is_watched || unwinding_)) return low;
  const ValueQuestion question{.asker = running_ != nullptr ? running_->current_id() : last_step_,
                               .question = key,
                               .low = low,
                               .high = high,
                               .weights = weights,
                               .kind = kind,
                               .is_of_run = is_of_run};
  if (!comes_from_outside) ++outcome_.questions;
  std::uint64_t answer = low;
  try {
    answer = chooser_->choose_value(question);
  } catch (...) {
    escaped_ = std::current_exception();
    stop(Outcome::Status::abandoned);
  }
  ensure(admits_answer(question, answer), "a drawn value lies in its range",
         static_cast<long long>(answer), static_cast<long long>(high));
  // Whoever follows another run may name what cannot be here.
  if (!weights.empty() && weights[static_cast<std::size_t>(answer - low)] == 0) answer = low;
  if (wants_choices_) {
    for (const auto& [observer, interest] : observers_) {
      if (interest.has_any(EventMask::choices())) observer->on_value(question, answer);
    }
  }
  return answer;
}

std::uint64_t Machine::choose_left_open(std::span<const char* const> answers,
                                        std::span<const std::uint32_t> weights,
                                        std::int32_t run_question) {
  std::uint64_t key = 0;
  if (run_question != 0) {
    const std::string_view topic = answers.front();
    key = payload_hash(std::as_bytes(std::span(topic.data(), topic.size())));
    key += static_cast<std::uint64_t>(run_question - 1) * 0x9e3779b97f4a7c15U;
  } else {
    key = question_key(ChoiceKind::value);
  }
  left_open_answers_ = answers;
  const std::uint64_t answer =
      choose_value(ChoiceKind::value, 0, answers.size() - 1, weights, key, run_question != 0);
  left_open_answers_ = {};
  return answer;
}

std::size_t Machine::default_index(const ChoicePoint& point) const {
  if (point.kind == ChoiceKind::message) return messages_->oldest_candidate();
  if (point.kind != ChoiceKind::step) return 0;
  const Actor& current = tasks_[point.current.value].operation_actor;
  if (point.current_is_enabled && current.place == Actor::Place::open) return current.slot;
  const auto actors = agenda_.open_actors();
  const auto earliest = std::ranges::min_element(actors, [this](const auto& a, const auto& b) {
    if (const bool is_later = wakes_by_itself(*a.actor); is_later != wakes_by_itself(*b.actor)) {
      return !is_later;
    }
    if (a.actor->date != b.actor->date) return a.actor->date < b.actor->date;
    return a.actor->alternative.id < b.actor->alternative.id;
  });
  return static_cast<std::size_t>(earliest - actors.begin());
}

VirtualDuration Machine::clock_offset() const {
  return running_ == nullptr ? VirtualDuration{} : processes_[running_->process.value].clock_offset;
}

std::int64_t Machine::read_clock_picoseconds(ClockKind clock) {
  clock_was_read_ = true;
  const auto date = static_cast<std::uint64_t>(local_now().picoseconds());
  const auto key = static_cast<std::uint64_t>(clock);
  return static_cast<std::int64_t>(choose_value(ChoiceKind::clock, date, date, {}, key));
}

}  // namespace orrery::detail
