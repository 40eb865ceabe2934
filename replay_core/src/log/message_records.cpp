#include "message_records.hpp"

#include "byte_cursor.hpp"

namespace orrery {

using detail::ByteReader;
using detail::ByteWriter;

namespace {

/// Sends, each told by its difference from the last one of the same task.
class LastSends {
 public:
  void clear() { numbers_.clear(); }
  void write(OperationId send, ByteWriter& writer) {
    std::uint32_t& last = last_of(send.task.value);
    writer.varint(send.task.value);
    writer.zigzag(std::int64_t{send.number} - last);
    last = send.number;
  }
  OperationId read(ByteReader& reader) {
    constexpr std::uint32_t tasks_max = 1U << 24U;
    const std::uint32_t task = reader.varint32();
    if (task > tasks_max) reader.fail("a task that cannot be");
    std::uint32_t& last = last_of(task);
    constexpr std::int64_t number_max = 0xffffffff;
    const std::int64_t step = reader.zigzag();
    if (step < -number_max || step > number_max) reader.fail("an operation that cannot be");
    const std::int64_t number = last + step;
    if (number < 0 || number > number_max) reader.fail("an operation that cannot be");
    last = static_cast<std::uint32_t>(number);
    return {TaskId{task}, last};
  }

 private:
  std::uint32_t& last_of(std::uint32_t task) {
    if (task >= numbers_.size()) numbers_.resize(std::size_t{task} + 1);
    return numbers_[task];
  }
  std::vector<std::uint32_t> numbers_;  // by task
};

}  // namespace

// --- counts -------------------------------------------------------------------------------------

std::uint64_t MessageRecords::message_count() const {
  std::uint64_t count = traced.size();
  for (const OpenCalls& one : calls) count += one.sources.size();
  return count;
}

std::uint64_t MessageRecords::other_count() const {
  std::uint64_t count = answers.size() + run_answers.size() + remote_calls.size();
  for (const OpenCalls& one : calls) {
    count += one.failed_polls.size() + one.selections.size() + one.cancellations.size();
  }
  return count;
}

// --- answers ------------------------------------------------------------------------------------

std::vector<std::byte> encode_answers(const MessageRecords& records) {
  ByteWriter writer;
  writer.varint(records.starters.size());
  if (!records.starters.empty()) writer.varint(records.first_started);
  for (const TaskId starter : records.starters) writer.varint(starter.value);
  writer.varint(records.run_answers.size());
  for (const RunAnswer& answer : records.run_answers) {
    writer.varint(answer.question);
    writer.varint(answer.value);
  }
  writer.varint(records.answers.size());
  OperationId before;
  std::uint64_t last_date = 0;
  for (const Answer& answer : records.answers) {
    if (answer.asker.task != before.task) before.number = 0, last_date = 0;
    writer.varint(answer.asker.task.value - before.task.value);
    writer.varint(answer.asker.number - before.number);
    writer.u8(static_cast<std::uint8_t>(answer.kind));
    if (answer.kind == ChoiceKind::clock) {
      writer.zigzag(static_cast<std::int64_t>(answer.value - last_date));
      last_date = answer.value;
    } else {
      writer.varint(answer.value);
    }
    before = answer.asker;
  }
  return writer.take();
}

void decode_answers(std::span<const std::byte> bytes, std::string_view where,
                    MessageRecords& records) {
  ByteReader reader(bytes, where);
  records.starters.resize(reader.count());
  if (!records.starters.empty()) records.first_started = reader.varint32();
  for (TaskId& starter : records.starters) starter = TaskId{reader.varint32()};
  for (std::size_t i = reader.count(2); i > 0; --i) {
    RunAnswer& answer = records.run_answers.emplace_back();
    answer.question = reader.varint();
    answer.value = reader.varint();
  }
  OperationId before;
  std::uint64_t last_date = 0;
  for (std::size_t i = reader.count(4); i > 0; --i) {
    Answer& answer = records.answers.emplace_back();
    const std::uint32_t step = reader.varint32();
    if (step != 0) before.number = 0, last_date = 0;
    answer.asker.task = TaskId{before.task.value + step};
    answer.asker.number = before.number + reader.varint32();
    const std::uint8_t kind = reader.u8();
    if (kind > static_cast<std::uint8_t>(ChoiceKind::clock)) reader.fail("an unknown question");
    answer.kind = static_cast<ChoiceKind>(kind);
    if (answer.kind == ChoiceKind::clock) {
      last_date += static_cast<std::uint64_t>(reader.zigzag());
      answer.value = last_date;
    } else {
      answer.value = reader.varint();
    }
    before = answer.asker;
  }
  reader.finish();
}

// --- remote calls -------------------------------------------------------------------------------

std::vector<std::byte> encode_remote_calls(std::span<const RemoteCall> calls) {
  ByteWriter writer;
  writer.varint(calls.size());
  RemoteCall before;
  LastSends last_sends;
  for (const RemoteCall& call : calls) {
    if (call.task != before.task) {
      before.after_operations = 0;
      last_sends.clear();
    }
    writer.varint(call.task.value - before.task.value);
    writer.varint(call.after_operations - before.after_operations);
    last_sends.write(call.send, writer);
    before = call;
  }
  return writer.take();
}

std::vector<RemoteCall> decode_remote_calls(std::span<const std::byte> bytes,
                                            std::string_view where) {
  ByteReader reader(bytes, where);
  std::vector<RemoteCall> calls(reader.count(4));
  RemoteCall before;
  LastSends last_sends;
  for (RemoteCall& call : calls) {
    const std::uint32_t step = reader.varint32();
    if (step != 0) {
      before.after_operations = 0;
      last_sends.clear();
    }
    call.task = TaskId{before.task.value + step};
    call.after_operations = before.after_operations + reader.varint32();
    call.send = last_sends.read(reader);
    before = call;
  }
  reader.finish();
  return calls;
}

}  // namespace orrery
