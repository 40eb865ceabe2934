// The records of the method `choices`, written and read: keep the two halves in step.
#include "schedule.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <fmt/format.h>

#include <orrery/network_model/usage_error.hpp>

#include "log/bit_coder.hpp"
#include "schedule_fields.hpp"
#include "schedule_model.hpp"

namespace orrery {
namespace {

using detail::RelativeOperation;
using detail::ScheduleModel;
using detail::What;
using detail::WhatContext;
using detail::Where;
using detail::who_named;
using detail::who_new;
static_assert(ScheduleModel::recent_max <= who_named);

// A bound on what bytes that nobody wrote can make a reader reserve.
constexpr std::uint64_t entries_max = std::uint64_t{1} << 26U;

// Differences of 32-bit numbers, modulo 2^32: small ones of either sign become small numbers.
std::uint64_t folded(std::uint32_t to, std::uint32_t from) {
  const auto change = std::bit_cast<std::int32_t>(to - from);
  const std::uint32_t bits = static_cast<std::uint32_t>(change) << 1U;
  return change < 0 ? ~bits : bits;
}
std::uint32_t unfolded(std::uint64_t code, std::uint32_t from) {
  const auto bits = static_cast<std::uint32_t>(code);
  return from + ((bits & 1U) != 0 ? ~(bits >> 1U) : bits >> 1U);
}

// Changes of a date, modulo 2^64.  Most clocks show whole nanoseconds.
constexpr std::int64_t clock_tick = 1'000;
std::uint64_t in_ticks(std::uint64_t change) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(change) / clock_tick);
}
std::uint64_t folded(std::uint64_t change) {
  const std::uint64_t bits = change << 1U;
  return change >> 63U != 0 ? ~bits : bits;
}
std::uint64_t unfolded(std::uint64_t code) {
  return (code & 1U) != 0 ? ~(code >> 1U) : code >> 1U;
}

WhatContext context_of(ScheduleModel& model, TaskId task, std::uint32_t who) {
  if (model.task(task).last_kind == OperationKind::none) return {};
  const auto after_two = model.guess(task, 2);
  const auto after_one = model.guess(task, 1);
  return {.is_new = false,
          .ran_last = who == 0,
          .has_after_two = after_two.has_value(),
          .has_after_one = after_one.has_value() && after_one != after_two,
          .has_delivery = model.guess_delivery(task).has_value()};
}

class Encoder {
 public:
  void put_counts(std::uint64_t entries, std::uint64_t lost) {
    fields_.entries(entries);
    fields_.lost(lost);
  }
  void put(const ScheduleEntry& entry) {
    switch (entry.type) {
      case ScheduleEntry::Type::step: put_step(entry); break;
      case ScheduleEntry::Type::choice: put_choice(entry); break;
      case ScheduleEntry::Type::value:
        put_question(entry, What::draw);
        if (entry.is_clock()) {
          put_clock(entry);
        } else {
          fields_.answer(entry.value());
        }
        break;
    }
    model_.learn(entry);
  }
  std::vector<std::byte> finish() { return coder_.finish(); }

 private:
  void put_head(TaskId task, What what) {
    const auto& recent = model_.recent();
    const auto place =
        static_cast<std::uint32_t>(std::find(recent.begin(), recent.end(), task) - recent.begin());
    const bool is_recent = place < recent.size();
    const std::uint32_t who = is_recent                        ? place
                              : task == model_.next_new_task() ? who_new
                                                               : who_named;
    fields_.who(recent.size(), who);
    if (who == who_named) fields_.task(folded(task.value, model_.next_new_task().value));
    fields_.what(context_of(model_, task, who), what);
  }

  void put_step(const ScheduleEntry& entry) {
    const TaskId task = entry.id.task;
    const bool follows = detail::is_task_step(entry.operation) &&
                         entry.id.number == model_.task(task).last_number + 1;
    const auto relative = RelativeOperation::of(entry.operation, entry.object(), task);
    if (follows && model_.guess(task, 2) == relative) return put_head(task, What::as_after_two);
    if (follows && model_.guess(task, 1) == relative) return put_head(task, What::as_after_one);
    if (model_.guess_delivery(task) == entry) return put_head(task, What::delivery);
    put_head(task, follows ? What::operation : What::numbered);
    if (!follows) fields_.number(folded(entry.id.number, model_.task(task).last_number));
    put_operation(entry);
  }

  void put_operation(const ScheduleEntry& entry) {
    const ObjectId object = entry.object();
    const auto index = model_.object_index(object);
    const Where where = object == ObjectId{}                               ? Where::nothing
                        : object == model_.task(entry.id.task).last_object ? Where::as_before
                        : index                                            ? Where::known
                                                                           : Where::fresh;
    fields_.operation(model_.task(entry.id.task).last_kind,
                      static_cast<std::uint32_t>(entry.operation));
    fields_.where(entry.operation, where);
    if (where == Where::known) fields_.index(*index);
    if (where != Where::fresh) return;
    const ObjectId expected = model_.expected_object();
    fields_.creator(folded(object.creator.value, expected.creator.value));
    fields_.object(folded(object.number, expected.number));
  }

  void put_question(const ScheduleEntry& entry, What what) {
    put_head(entry.id.task, what);
    fields_.question(static_cast<std::uint32_t>(entry.choice));
    fields_.asker(folded(entry.id.number, model_.task(entry.id.task).last_number));
  }

  void put_clock(const ScheduleEntry& entry) {
    const auto& clock = model_.task(entry.id.task).clock;
    const std::uint64_t change = entry.value() - clock.date;
    fields_.clock_repeats(entry.repeats);
    if (fields_.clock_goes_on(change == clock.change)) return;
    const bool is_whole = static_cast<std::int64_t>(change) % clock_tick == 0;
    fields_.clock_is_whole(is_whole);
    fields_.clock_change(folded(is_whole ? in_ticks(change) : change));
  }

  void put_choice(const ScheduleEntry& entry) {
    put_question(entry, What::choice);
    const OperationId chosen = entry.chosen();
    fields_.chosen_task(chosen.task.value);
    fields_.number(folded(chosen.number, model_.task(chosen.task).last_number));
  }

  ScheduleModel model_;
  detail::BitEncoder coder_;
  detail::Fields<detail::BitEncoder> fields_{coder_};
};

class Decoder {
 public:
  Decoder(std::span<const std::byte> bytes, std::string_view where)
      : where_(where), coder_(bytes), size_(bytes.size()) {}

  std::uint64_t get_entries() { return fields_.entries(0); }
  std::uint64_t get_lost() { return fields_.lost(0); }

  ScheduleEntry get() {
    const std::uint32_t who = fields_.who(model_.recent().size(), 0);
    const TaskId task = get_task(who);
    const What what = fields_.what(context_of(model_, task, who), What::none);
    const ScheduleEntry entry = get_entry(task, what);
    if (coder_.has_overrun()) fail("the records end too early");
    model_.learn(entry);
    return entry;
  }

  void finish() const {
    if (!coder_.is_at_end()) fail("more follows than should");
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw UsageError(
        std::string(what),
        fmt::format("{}, byte {} of its content", where_, std::min(size_, coder_.position())),
        "the file was damaged, or written by something else");
  }

 private:
  TaskId get_task(std::uint32_t who) {
    if (who == who_named)
      return TaskId{unfolded(number32(fields_.task(0)), model_.next_new_task().value)};
    if (who == who_new) return model_.next_new_task();
    if (who >= model_.recent().size()) fail("a task that has not run yet");
    return model_.recent()[who];
  }

  ScheduleEntry get_entry(TaskId task, What what) {
    switch (what) {
      case What::as_after_two: return guessed(task, 2);
      case What::as_after_one: return guessed(task, 1);
      case What::operation: return get_operation({task, model_.task(task).last_number + 1});
      case What::numbered: return get_operation({task, get_number(task)});
      case What::delivery:
        if (const auto delivery = model_.guess_delivery(task)) return *delivery;
        fail("a delivery of a message that was not sent");
      case What::choice: return get_choice(task);
      case What::draw: {
        const auto [id, kind] = get_question(task);
        if (kind == ChoiceKind::clock) return get_clock(id);
        return ScheduleEntry::draw(kind, id, fields_.answer(0));
      }
      case What::none: break;
    }
    fail("an entry of an unknown kind");
  }

  ScheduleEntry guessed(TaskId task, unsigned depth) {
    const auto relative = model_.guess(task, depth);
    if (!relative) fail("an operation that nothing leads to");
    return ScheduleEntry::step({task, model_.task(task).last_number + 1}, relative->kind,
                               relative->object(task));
  }

  [[nodiscard]] std::uint32_t number32(std::uint64_t value) const {
    if (value > 0xffffffffU) fail("a number is too large");
    return static_cast<std::uint32_t>(value);
  }

  std::uint32_t get_number(TaskId task) {
    return unfolded(number32(fields_.number(0)), model_.task(task).last_number);
  }

  ScheduleEntry get_operation(OperationId id) {
    const std::uint32_t number = fields_.operation(model_.task(id.task).last_kind, 0);
    if (number >= static_cast<unsigned>(OperationKind::count_)) fail("an unknown operation");
    const auto kind = static_cast<OperationKind>(number);
    return ScheduleEntry::step(id, kind, get_object(id.task, kind));
  }

  ObjectId get_object(TaskId task, OperationKind kind) {
    switch (fields_.where(kind, Where::nothing)) {
      case Where::nothing: return {};
      case Where::as_before: return model_.task(task).last_object;
      case Where::known: {
        const auto known = model_.object_at(fields_.index(0));
        if (!known) fail("an object that has not been seen yet");
        return *known;
      }
      case Where::fresh: break;
    }
    const ObjectId expected = model_.expected_object();
    const TaskId creator{unfolded(number32(fields_.creator(0)), expected.creator.value)};
    return {creator, unfolded(number32(fields_.object(0)), expected.number)};
  }

  struct Question {
    OperationId asker;
    ChoiceKind kind;
  };
  Question get_question(TaskId task) {
    const std::uint32_t kind = fields_.question(0);
    if (kind > static_cast<std::uint32_t>(ChoiceKind::clock)) fail("an unknown question");
    const std::uint32_t usual = model_.task(task).last_number;
    return {{task, unfolded(number32(fields_.asker(0)), usual)}, static_cast<ChoiceKind>(kind)};
  }

  ScheduleEntry get_clock(OperationId id) {
    const auto& clock = model_.task(id.task).clock;
    const std::uint32_t repeats = number32(fields_.clock_repeats(0));
    std::uint64_t change = clock.change;
    if (!fields_.clock_goes_on(false)) {
      const bool is_whole = fields_.clock_is_whole(false);
      change = unfolded(fields_.clock_change(0));
      if (is_whole) change *= static_cast<std::uint64_t>(clock_tick);
    }
    auto entry = ScheduleEntry::draw(ChoiceKind::clock, id, clock.date + change);
    entry.repeats = repeats;
    return entry;
  }

  ScheduleEntry get_choice(TaskId task) {
    const auto [id, kind] = get_question(task);
    const TaskId chosen{number32(fields_.chosen_task(0))};
    return ScheduleEntry::question(kind, id, {chosen, get_number(chosen)});
  }

  std::string_view where_;
  ScheduleModel model_;
  detail::BitDecoder coder_;
  detail::Fields<detail::BitDecoder> fields_{coder_};
  std::size_t size_;
};

}  // namespace

std::uint64_t Schedule::steps() const {
  return static_cast<std::uint64_t>(
      std::ranges::count(entries, ScheduleEntry::Type::step, &ScheduleEntry::type));
}

std::uint64_t hash(std::span<const ScheduleEntry> entries) {
  std::uint64_t result = 0x9ae16a3b2f90404fU;
  const auto add = [&result](std::uint64_t word) {
    result = (result ^ word) * 0x9fb21c651e98df25U;
    result ^= result >> 29U;
  };
  for (const ScheduleEntry& entry : entries) {
    add(entry.id.packed());
    add(entry.content);
    add(static_cast<std::uint64_t>(entry.repeats) << 24U |
        static_cast<std::uint64_t>(entry.type) << 16U |
        static_cast<std::uint64_t>(entry.operation) << 8U |
        static_cast<std::uint64_t>(entry.choice));
  }
  return result;
}

std::vector<std::byte> encode_schedule(const Schedule& schedule) {
  detail::ensure(schedule.entries.size() <= entries_max, "a schedule is not too long for a log",
                 static_cast<long long>(schedule.entries.size()));
  Encoder encoder;
  encoder.put_counts(schedule.entries.size(), schedule.entries_lost);
  for (const ScheduleEntry& entry : schedule.entries) encoder.put(entry);
  return encoder.finish();
}

Schedule decode_schedule(std::span<const std::byte> bytes, std::string_view where) {
  Decoder decoder(bytes, where);
  Schedule schedule;
  const std::uint64_t count = decoder.get_entries();
  if (count > entries_max) decoder.fail("a schedule that is too long");
  schedule.entries_lost = decoder.get_lost();
  for (std::uint64_t i = 0; i < count; ++i) schedule.entries.push_back(decoder.get());
  decoder.finish();
  return schedule;
}

}  // namespace orrery
