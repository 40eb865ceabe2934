#include "intervals_block.hpp"

#include <string>
#include <utility>

#include "interval_ids.hpp"

namespace orrery::detail {
namespace {

constexpr std::uint8_t has_before = 1;
constexpr std::uint8_t has_begin = 2;
constexpr std::uint8_t before_has_ended = 4;
constexpr std::uint8_t before_is_last = 8;
constexpr std::uint8_t all_flags = 15;

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

CheckpointedRun IntervalsReader::run() const {
  CheckpointedRun run;
  for (const auto& [id, interval] : intervals_) run.intervals.push_back(interval);
  run.logged_messages = logged_;
  run.records = records_.records();
  run.withdrawn = records_.withdrawn();
  return run;
}

}  // namespace orrery::detail
