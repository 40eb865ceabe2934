// Names of operations and intervals, as logs have them.
#pragma once

#include <cstdint>

#include <orrery/replay_core/interval_id.hpp>
#include <orrery/sim_runtime/ids.hpp>

#include "log/byte_cursor.hpp"

namespace orrery::detail {

inline void write_id(OperationId id, ByteWriter& writer) {
  writer.varint(id.task.value);
  writer.varint(id.number);
}
inline OperationId read_id(ByteReader& reader) {
  const TaskId task{reader.varint32()};
  return {task, reader.varint32()};
}

inline void write_id(const IntervalId& id, ByteWriter& writer) {
  writer.varint(static_cast<std::uint32_t>(id.rank));
  writer.varint(id.number);
}
inline IntervalId read_interval_id(ByteReader& reader) {
  constexpr std::uint32_t ranks_max = 1U << 24U;
  const std::uint32_t rank = reader.varint32();
  if (rank >= ranks_max) reader.fail("a rank that cannot be");
  return {static_cast<std::int32_t>(rank), reader.varint()};
}

}  // namespace orrery::detail
