// The records of the method `choices`, written and read: keep the two halves in step.
#include "schedule.hpp"

#include <algorithm>
#include <bit>

#include "byte_cursor.hpp"
#include "schedule_model.hpp"

namespace orrery {
namespace {

using detail::RelativeOperation;
using detail::ScheduleModel;

// An entry begins with a byte: five bits say who, three what.
constexpr unsigned who_bits = 5;
constexpr std::uint8_t who_named = 30;  // the task's number follows
constexpr std::uint8_t who_new = 31;    // a task that has not been seen yet
static_assert(ScheduleModel::recent_max <= who_named);

enum class What : std::uint8_t {
  as_after_two = 0,  // the operation that followed the task's last two before
  as_after_one,      // or its last one
  operation,         // kind and object follow
  numbered,          // a step whose number is not the next one: number, kind and object follow
  delivery,          // of the task's oldest send that is on its way
  choice,
  draw,
};

// The kind of an explicit operation leaves two bits for its object.
enum class Where : std::uint8_t { nothing = 0, as_before, known, fresh };
constexpr unsigned where_shift = 6;
static_assert(static_cast<unsigned>(OperationKind::count_) <= 1U << where_shift);

// The kind of a question leaves a bit: its asker is not at the operation that it ran last.
constexpr std::uint8_t asker_is_numbered = 0x80;

// Differences of 32-bit numbers, modulo 2^32: small ones of either sign are short.
std::int64_t difference(std::uint32_t to, std::uint32_t from) {
  return std::bit_cast<std::int32_t>(to - from);
}

class Encoder {
 public:
  void put(const ScheduleEntry& entry) {
    switch (entry.type) {
      case ScheduleEntry::Type::step: put_step(entry); break;
      case ScheduleEntry::Type::choice: put_choice(entry); break;
      case ScheduleEntry::Type::value:
        put_question(entry, What::draw);
        out_.varint(entry.value());
        break;
    }
    model_.learn(entry);
  }
  detail::ByteWriter& out() { return out_; }

 private:
  void put_head(TaskId task, What what) {
    const auto& recent = model_.recent();
    const auto place = std::find(recent.begin(), recent.end(), task) - recent.begin();
    std::uint8_t who = who_named;
    if (static_cast<std::size_t>(place) < recent.size()) {
      who = static_cast<std::uint8_t>(place);
    } else if (task == model_.next_new_task()) {
      who = who_new;
    }
    out_.u8(static_cast<std::uint8_t>(static_cast<unsigned>(what) << who_bits | who));
    if (who == who_named) out_.varint(task.value);
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
    if (!follows) out_.zigzag(difference(entry.id.number, model_.task(task).last_number));
    put_operation(entry);
  }

  void put_operation(const ScheduleEntry& entry) {
    const ObjectId object = entry.object();
    const auto index = model_.object_index(object);
    const Where where = object == ObjectId{}                               ? Where::nothing
                        : object == model_.task(entry.id.task).last_object ? Where::as_before
                        : index                                            ? Where::known
                                                                           : Where::fresh;
    out_.u8(static_cast<std::uint8_t>(static_cast<unsigned>(where) << where_shift |
                                      static_cast<unsigned>(entry.operation)));
    if (where == Where::known) out_.varint(*index);
    if (where != Where::fresh) return;
    out_.zigzag(difference(object.creator.value, entry.id.task.value));
    out_.varint(object.number);
  }

  void put_question(const ScheduleEntry& entry, What what) {
    put_head(entry.id.task, what);
    const std::uint32_t usual = model_.task(entry.id.task).last_number;
    const std::uint8_t flag = entry.id.number == usual ? 0 : asker_is_numbered;
    out_.u8(static_cast<std::uint8_t>(static_cast<unsigned>(entry.choice) | flag));
    if (flag != 0) out_.zigzag(difference(entry.id.number, usual));
  }

  void put_choice(const ScheduleEntry& entry) {
    put_question(entry, What::choice);
    const OperationId chosen = entry.chosen();
    out_.varint(chosen.task.value);
    out_.zigzag(difference(chosen.number, model_.task(chosen.task).last_number));
  }

  ScheduleModel model_;
  detail::ByteWriter out_;
};

class Decoder {
 public:
  explicit Decoder(detail::ByteReader& in) : in_(in) {}

  ScheduleEntry get() {
    const std::uint8_t head = in_.u8();
    const TaskId task = get_task(head & ((1U << who_bits) - 1));
    const ScheduleEntry entry = get_entry(task, static_cast<What>(head >> who_bits));
    model_.learn(entry);
    return entry;
  }

 private:
  TaskId get_task(unsigned who) {
    if (who == who_named) return TaskId{in_.varint32()};
    if (who == who_new) return model_.next_new_task();
    if (who >= model_.recent().size()) in_.fail("a task that has not run yet");
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
        in_.fail("a delivery of a message that was not sent");
      case What::choice: return get_choice(task);
      case What::draw: {
        const auto [id, kind] = get_question(task);
        return ScheduleEntry::draw(kind, id, in_.varint());
      }
    }
    in_.fail("an entry of an unknown kind");
  }

  ScheduleEntry guessed(TaskId task, unsigned depth) {
    const auto relative = model_.guess(task, depth);
    if (!relative) in_.fail("an operation that nothing leads to");
    return ScheduleEntry::step({task, model_.task(task).last_number + 1}, relative->kind,
                               relative->object(task));
  }

  std::uint32_t get_number(TaskId task) {
    const std::int64_t change = in_.zigzag();
    if (change != static_cast<std::int32_t>(change)) in_.fail("a number is too large");
    return model_.task(task).last_number + static_cast<std::uint32_t>(change);
  }

  ScheduleEntry get_operation(OperationId id) {
    const std::uint8_t byte = in_.u8();
    const unsigned kind = byte & ((1U << where_shift) - 1);
    if (kind >= static_cast<unsigned>(OperationKind::count_)) in_.fail("an unknown operation");
    ObjectId object;
    switch (static_cast<Where>(byte >> where_shift)) {
      case Where::nothing: break;
      case Where::as_before: object = model_.task(id.task).last_object; break;
      case Where::known: {
        const auto known = model_.object_at(in_.varint());
        if (!known) in_.fail("an object that has not been seen yet");
        object = *known;
        break;
      }
      case Where::fresh: {
        const std::int64_t change = in_.zigzag();
        if (change != static_cast<std::int32_t>(change)) in_.fail("a number is too large");
        object.creator = TaskId{id.task.value + static_cast<std::uint32_t>(change)};
        object.number = in_.varint32();
        break;
      }
    }
    return ScheduleEntry::step(id, static_cast<OperationKind>(kind), object);
  }

  struct Question {
    OperationId asker;
    ChoiceKind kind;
  };
  Question get_question(TaskId task) {
    const std::uint8_t byte = in_.u8();
    const std::uint8_t kind = byte & ~asker_is_numbered;
    if (kind > static_cast<std::uint8_t>(ChoiceKind::value)) in_.fail("an unknown question");
    const bool is_numbered = (byte & asker_is_numbered) != 0;
    const std::uint32_t number = is_numbered ? get_number(task) : model_.task(task).last_number;
    return {{task, number}, static_cast<ChoiceKind>(kind)};
  }

  ScheduleEntry get_choice(TaskId task) {
    const auto [id, kind] = get_question(task);
    const TaskId chosen{in_.varint32()};
    return ScheduleEntry::question(kind, id, {chosen, get_number(chosen)});
  }

  detail::ByteReader& in_;
  ScheduleModel model_;
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
    add(static_cast<std::uint64_t>(entry.type) << 16U |
        static_cast<std::uint64_t>(entry.operation) << 8U |
        static_cast<std::uint64_t>(entry.choice));
  }
  return result;
}

std::vector<std::byte> encode_schedule(const Schedule& schedule) {
  Encoder encoder;
  encoder.out().varint(schedule.entries_lost);
  encoder.out().varint(schedule.entries.size());
  for (const ScheduleEntry& entry : schedule.entries) encoder.put(entry);
  return encoder.out().take();
}

Schedule decode_schedule(std::span<const std::byte> bytes, std::string_view where) {
  detail::ByteReader in(bytes, where);
  Schedule schedule;
  schedule.entries_lost = in.varint();
  const std::size_t count = in.count();
  schedule.entries.reserve(count);
  Decoder decoder(in);
  while (schedule.entries.size() < count) schedule.entries.push_back(decoder.get());
  in.finish();
  return schedule;
}

}  // namespace orrery
