#include "intervals_block.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery::detail {
namespace {

constexpr std::uint8_t has_before = 1;
constexpr std::uint8_t has_begin = 2;
constexpr std::uint8_t before_has_ended = 4;
constexpr std::uint8_t before_is_last = 8;
constexpr std::uint8_t all_flags = 15;

constexpr std::uint32_t ranks_max = 1U << 24U;
constexpr std::size_t content_bytes_per_block = std::size_t{8} << 20U;

void write_id(OperationId id, ByteWriter& writer) {
  writer.varint(id.task.value);
  writer.varint(id.number);
}
OperationId read_id(ByteReader& reader) {
  const TaskId task{reader.varint32()};
  return {task, reader.varint32()};
}

void write_id(const IntervalId& id, ByteWriter& writer) {
  writer.varint(static_cast<std::uint32_t>(id.rank));
  writer.varint(id.number);
}
IntervalId read_interval_id(ByteReader& reader) {
  const std::uint32_t rank = reader.varint32();
  if (rank >= ranks_max) reader.fail("a rank that cannot be");
  return {static_cast<std::int32_t>(rank), reader.varint()};
}

void write_hash(std::uint64_t hash, ByteWriter& writer) {
  writer.u32(static_cast<std::uint32_t>(hash));
  writer.u32(static_cast<std::uint32_t>(hash >> 32U));
}
std::uint64_t read_hash(ByteReader& reader) {
  const std::uint64_t low = reader.u32();
  return low | std::uint64_t{reader.u32()} << 32U;
}

void write_progress(const std::vector<TaskProgress>& progress, ByteWriter& writer) {
  writer.varint(progress.size());
  for (const TaskProgress& task : progress) write_id({task.task, task.operations}, writer);
}
std::vector<TaskProgress> read_progress(ByteReader& reader) {
  std::vector<TaskProgress> progress(reader.count(2));
  for (TaskProgress& task : progress) {
    const OperationId last = read_id(reader);
    task = {last.task, last.number};
  }
  return progress;
}

void write_sends(const std::vector<OperationId>& sends, ByteWriter& writer) {
  writer.varint(sends.size());
  for (const OperationId send : sends) write_id(send, writer);
}
std::vector<OperationId> read_sends(ByteReader& reader) {
  std::vector<OperationId> sends(reader.count(2));
  for (OperationId& send : sends) send = read_id(reader);
  return sends;
}

void write_end(const Interval& interval, bool is_followed, ByteWriter& writer) {
  write_id(interval.end, writer);
  writer.varint(interval.depends_on.size());
  for (const IntervalId& id : interval.depends_on) write_id(id, writer);
  writer.varint(interval.started.size());
  for (const TaskId task : interval.started) writer.varint(task.value);
  writer.varint(interval.taken.size());
  for (const TakenFrom& taken : interval.taken) {
    write_id(taken.sender, writer);
    writer.varint(taken.messages);
    write_id(taken.last, writer);
  }
  write_progress(interval.own_progress, writer);
  write_hash(interval.memory_hash, writer);
  write_hash(interval.event_hash, writer);
  writer.varint(interval.events);
  if (is_followed) return;  // the next one's beginning says it
  write_progress(interval.end_progress, writer);
  write_sends(interval.end_left_over, writer);
}

void read_end(ByteReader& reader, bool is_followed, Interval& interval) {
  interval.end = read_id(reader);
  interval.depends_on.resize(reader.count(2));
  for (IntervalId& id : interval.depends_on) id = read_interval_id(reader);
  interval.started.resize(reader.count());
  for (TaskId& task : interval.started) task = TaskId{reader.varint32()};
  interval.taken.resize(reader.count(5));
  for (TakenFrom& taken : interval.taken) {
    taken.sender = read_interval_id(reader);
    taken.messages = reader.varint32();
    taken.last = read_id(reader);
  }
  interval.own_progress = read_progress(reader);
  interval.memory_hash = read_hash(reader);
  interval.event_hash = read_hash(reader);
  interval.events = reader.varint();
  if (is_followed) return;
  interval.end_progress = read_progress(reader);
  interval.end_left_over = read_sends(reader);
}

void write_state(const CheckpointState& state, ByteWriter& writer) {
  write_id(state.next, writer);
  writer.zigzag(state.date.picoseconds());
  writer.varint(state.image ? *state.image + 1 : 0);
  write_progress(state.progress, writer);
  write_sends(state.left_over, writer);
}

CheckpointState read_state(ByteReader& reader) {
  CheckpointState state;
  state.next = read_id(reader);
  state.date = VirtualTime::from_picoseconds(reader.zigzag());
  if (const std::uint64_t image = reader.varint(); image != 0) state.image = image - 1;
  state.progress = read_progress(reader);
  state.left_over = read_sends(reader);
  return state;
}

void write_message(const LoggedMessage& message, std::size_t first, std::size_t count,
                   ByteWriter& writer) {
  write_id(message.send, writer);
  writer.varint(first);
  writer.varint(count);
  writer.bytes(std::span(message.content).subspan(first, count));
  if (first != 0) return;
  writer.varint(message.context);
  writer.zigzag(message.source);
  writer.zigzag(message.destination);
  writer.zigzag(message.tag);
  writer.varint(message.note);
  writer.u8(message.is_rendezvous ? 1 : 0);
  writer.varint(message.note_content.size());
  writer.bytes(message.note_content);
  write_id(message.sender, writer);
  write_id(message.receiver, writer);
}

}  // namespace

void write_boundary(ByteWriter& writer, const IntervalBoundary& boundary) {
  const auto& [before, id, begins] = boundary;
  std::uint8_t flags = 0;
  if (before) flags |= has_before;
  if (begins) flags |= has_begin;
  if (before && before->has_ended) flags |= before_has_ended;
  if (before && before->is_last) flags |= before_is_last;
  writer.u8(flags);
  write_id(id, writer);
  if (before) write_end(*before, begins.has_value(), writer);
  if (begins) write_state(*begins, writer);
}

std::vector<std::vector<std::byte>> encode_logged_messages(
    std::span<const LoggedMessage> messages) {
  std::vector<std::vector<std::byte>> blocks;
  ByteWriter writer;
  for (const LoggedMessage& message : messages) {
    std::size_t first = 0;
    do {
      const std::size_t count = std::min(content_bytes_per_block, message.content.size() - first);
      if (writer.size() != 0 && writer.size() + count > content_bytes_per_block) {
        blocks.push_back(writer.take());
        writer = {};
      }
      write_message(message, first, count, writer);
      first += count;
    } while (first < message.content.size());
  }
  if (writer.size() != 0) blocks.push_back(writer.take());
  return blocks;
}

void IntervalsReader::take_boundary(std::span<const std::byte> content, std::string_view where) {
  ByteReader reader(content, where);
  const std::uint8_t flags = reader.u8();
  if (flags > all_flags) reader.fail("an unknown kind of interval");
  const IntervalId id = read_interval_id(reader);
  const bool is_followed = (flags & has_begin) != 0;
  if ((flags & has_before) != 0) {
    const auto before = intervals_.find({id.rank, id.number - 1});
    if (before == intervals_.end()) reader.fail("the end of an interval that never began");
    Interval& interval = before->second;
    interval.has_ended = (flags & before_has_ended) != 0;
    interval.is_last = (flags & before_is_last) != 0;
    read_end(reader, is_followed, interval);
  }
  if (is_followed) {
    Interval& interval = intervals_[id];
    interval.id = id;
    interval.begin = read_state(reader);
    if (const auto before = intervals_.find({id.rank, id.number - 1}); before != intervals_.end()) {
      before->second.end_progress = interval.begin.progress;
      before->second.end_left_over = interval.begin.left_over;
    }
  }
  records_.append(reader, where);
  reader.finish();
}

void IntervalsReader::take_logged(std::span<const std::byte> content, std::string_view where) {
  ByteReader reader(content, where);
  while (!reader.at_end()) {
    const OperationId send = read_id(reader);
    const std::uint64_t first = reader.varint();
    const std::size_t count = reader.count();
    if (first == 0) {
      logged_.emplace_back();
      logged_.back().send = send;
    }
    const bool goes_on =
        !logged_.empty() && logged_.back().send == send && logged_.back().content.size() == first;
    if (!goes_on) reader.fail("a part of a message that has no beginning");
    LoggedMessage& message = logged_.back();
    message.content.reserve(message.content.size() + count);
    for (std::size_t i = 0; i < count; ++i) message.content.push_back(std::byte{reader.u8()});
    if (first != 0) continue;
    message.context = reader.varint32();
    message.source = static_cast<std::int32_t>(reader.zigzag());
    message.destination = static_cast<std::int32_t>(reader.zigzag());
    message.tag = static_cast<std::int32_t>(reader.zigzag());
    message.note = reader.varint();
    message.is_rendezvous = reader.u8() != 0;
    const std::string note = reader.text();
    for (const char byte : note) message.note_content.push_back(static_cast<std::byte>(byte));
    message.sender = read_interval_id(reader);
    message.receiver = read_interval_id(reader);
  }
}

CheckpointedRun IntervalsReader::run() const {
  CheckpointedRun run;
  for (const auto& [id, interval] : intervals_) run.intervals.push_back(interval);
  run.logged_messages = logged_;
  run.records = records_.records();
  run.withdrawn = records_.withdrawn();
  return run;
}

}  // namespace orrery::detail
