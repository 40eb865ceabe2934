#include "remote_memory.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/reductions.hpp"
#include "types/derived_types.hpp"

namespace orrery::mpi {
namespace {

std::size_t size_bytes_of(const ompi_datatype_t* type, std::size_t count) {
  return type == nullptr ? 0 : type->size_bytes * count;
}

// What the target's memory is accessed for: less than its buffer, if the origin sends less.
std::size_t bytes_at_target(const RemoteOperation& operation) {
  const std::size_t room = size_bytes_of(operation.target_type, operation.target_count);
  const bool only_receives =
      operation.kind == RemoteKind::put || operation.kind == RemoteKind::accumulate;
  return only_receives ? std::min(room, bytes_to_target(operation)) : room;
}

// Visits the runs of values of one basic type that are accessed, in the order of packed data; what
// lies side by side is one run.
template <typename Visitor>
void for_each_accessed_run(const RemoteOperation& operation, std::byte* base, Visitor&& visit) {
  std::size_t left = bytes_at_target(operation);
  std::byte* run = nullptr;
  Builtin run_basic = Builtin::none;
  std::size_t run_values = 0;
  std::byte* run_end = nullptr;
  for_each_run(*operation.target_type, operation.target_count,
               [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
                 const std::size_t value_bytes = builtin_type(basic).size_bytes;
                 const std::size_t fitting = std::min(values, left / value_bytes);
                 left -= fitting * value_bytes;
                 std::byte* const place = base + offset_bytes;
                 if (place != run_end || basic != run_basic) {
                   if (run_values > 0) visit(run, run_basic, run_values);
                   run = place;
                   run_basic = basic;
                   run_values = 0;
                 }
                 run_values += fitting;
                 run_end = place + fitting * value_bytes;
               });
  if (run_values > 0) visit(run, run_basic, run_values);
}

// target[i] = origin[i] op target[i]; both in copies that are aligned for any type.
void combine(ScratchPool& pool, BuiltinOperation which, const Datatype& type, const std::byte* from,
             std::byte* to, std::size_t count) {
  const std::size_t bytes = count * static_cast<std::size_t>(type.extent_bytes());
  const Scratch left(pool, bytes);
  const Scratch right(pool, bytes);
  std::memcpy(left.data(), from, bytes);
  std::memcpy(right.data(), to, bytes);
  Operation operation;
  operation.builtin = which;
  reduce_local(operation, type, nullptr, left.data(), right.data(), static_cast<int>(count));
  std::memcpy(to, right.data(), bytes);
}

// MPI_MAXLOC and its like: in turn a value and its index, which lie where the type has them; packed
// data have no gaps between the two.
void combine_pairs(ScratchPool& pool, const RemoteOperation& operation, const std::byte* packed,
                   std::byte* base) {
  const Builtin which = pair_made_of(*operation.target_type);
  if (which == Builtin::none) return;  // no elements
  const BuiltinInfo& info = describe(which);
  const Datatype& pair = builtin_type(which);
  const Scratch from(pool, info.extent_bytes);
  const Scratch to(pool, info.extent_bytes);
  const std::size_t value_bytes = builtin_type(info.first).size_bytes;
  const std::size_t index_bytes = builtin_type(info.second).size_bytes;
  std::size_t left = operation.origin_count * operation.origin_type->size_bytes / pair.size_bytes;
  std::byte* value = nullptr;
  const auto take = [&](std::byte* place) {
    if (value == nullptr) {
      value = place;
      return;
    }
    if (left == 0) return;
    --left;
    std::memcpy(from.data(), packed, value_bytes);
    std::memcpy(from.data() + info.second_offset, packed + value_bytes, index_bytes);
    std::memcpy(to.data(), value, value_bytes);
    std::memcpy(to.data() + info.second_offset, place, index_bytes);
    combine(pool, operation.operation, pair, from.data(), to.data(), 1);
    std::memcpy(value, to.data(), value_bytes);
    std::memcpy(place, to.data() + info.second_offset, index_bytes);
    packed += pair.size_bytes;
    value = nullptr;
  };
  for_each_run(*operation.target_type, operation.target_count,
               [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
                 std::byte* place = base + offset_bytes;
                 for (; values > 0; --values, place += builtin_type(basic).size_bytes) take(place);
               });
}

void accumulate(ScratchPool& pool, const RemoteOperation& operation, const std::byte* packed,
                std::byte* base) {
  if (operation.operation == BuiltinOperation::no_op) return;
  if (operation.operation == BuiltinOperation::replace) {
    unpack(*operation.target_type, operation.target_count, base, packed,
           bytes_to_target(operation));
    return;
  }
  if (operation.operation == BuiltinOperation::maxloc ||
      operation.operation == BuiltinOperation::minloc) {
    combine_pairs(pool, operation, packed, base);
    return;
  }
  for_each_accessed_run(operation, base, [&](std::byte* run, Builtin basic, std::size_t count) {
    const Datatype& type = builtin_type(basic);
    combine(pool, operation.operation, type, packed, run, count);
    packed += count * type.size_bytes;
  });
}

void compare_and_swap(const RemoteOperation& operation, const std::byte* data, std::byte* place) {
  const std::size_t bytes = operation.target_type->size_bytes;
  if (std::memcmp(place, data + bytes, bytes) == 0) std::memcpy(place, data, bytes);
}

// Visits the accesses of an operation: one for each run of values.
template <typename Visitor>
void for_each_access(const RemoteOperation& operation, std::int32_t origin, std::byte* base,
                     Visitor&& visit) {
  Access access;
  access.kind = operation.kind;
  access.operation = operation.operation;
  access.period = operation.period;
  access.origin = origin;
  access.serial = operation.serial;
  access.call = operation.call;
  access.pc = operation.pc;
  for_each_accessed_run(operation, base, [&](std::byte* run, Builtin basic, std::size_t count) {
    access.begin = reinterpret_cast<std::uintptr_t>(run);
    access.end = access.begin + count * builtin_type(basic).size_bytes;
    access.basic = basic;
    visit(access);
  });
}

// Does all of it lie in memory that is attached?  Regions that touch may share it (section 11.2.4).
bool is_attached(const std::vector<WindowMemory>& attached, const std::byte* begin,
                 std::size_t size_bytes) {
  const std::byte* const end = begin + size_bytes;
  bool gets_on = true;
  while (begin != end && gets_on) {
    gets_on = false;
    for (const WindowMemory& memory : attached) {
      const std::byte* const memory_end = memory.base + memory.size_bytes;
      if (begin < memory.base || begin >= memory_end) continue;
      begin = std::min(end, memory_end);
      gets_on = true;
    }
  }
  return begin == end;
}

// The first conflict is told.
void log_accesses(const SharedWindow& window, WindowPart& part, RemoteOperation& operation,
                  std::int32_t origin, std::byte* base) {
  operation.is_logged = true;
  for_each_access(operation, origin, base, [&](const Access& access) {
    const auto conflict = part.accesses.add(access, window.no_op_is_alone);
    if (!conflict || operation.trouble != RemoteOperation::Trouble::none) return;
    operation.trouble = RemoteOperation::Trouble::conflict;
    operation.conflict = *conflict;
  });
}

void do_at_target(Job& job, SharedWindow& window, std::int32_t target, std::uint64_t call,
                  const OrreryEnvelope& envelope, const void* data) {
  const auto number = static_cast<std::uint32_t>(envelope.note);
  RemoteOperation& operation = job.remote_operations()[number];
  WindowPart& part = window.parts[static_cast<std::size_t>(target)];
  ScratchPool& pool = job.scratch();
  const std::size_t answer_bytes = bytes_to_origin(operation);
  const Scratch answer(pool, answer_bytes);
  const TargetPlace place = place_at_target(window, operation);
  if (!place.is_inside) {
    operation.trouble = RemoteOperation::Trouble::outside;
    if (answer_bytes > 0) std::memset(answer.data(), 0, answer_bytes);
    job.table().answer_call(call, answer.data(), answer_bytes);
    return;
  }
  if (operation.period.kind == AccessPeriod::Kind::post) operation.period.number = part.posts;
  if (job.rank_state(envelope.source).checks_use)
    log_accesses(window, part, operation, envelope.source, place.address);
  const auto* const packed = static_cast<const std::byte*>(data);
  if (answer_bytes > 0)
    pack(*operation.target_type, operation.target_count, place.address, answer.data());
  switch (operation.kind) {
    case RemoteKind::put:
      unpack(*operation.target_type, operation.target_count, place.address, packed,
             static_cast<std::size_t>(envelope.size_bytes));
      break;
    case RemoteKind::get: break;
    case RemoteKind::compare_and_swap: compare_and_swap(operation, packed, place.address); break;
    case RemoteKind::accumulate:
    case RemoteKind::get_accumulate:
    case RemoteKind::fetch_and_op: accumulate(pool, operation, packed, place.address); break;
  }
  job.table().answer_call(call, answer.data(), answer_bytes);
}

void lock_or_unlock(const OrreryRuntime& table, WindowLock& lock, std::uint64_t call,
                    RemoteCall what, std::int32_t origin) {
  const bool is_exclusive =
      what == RemoteCall::lock_exclusive || what == RemoteCall::lock_exclusive_unchecked;
  const std::byte yes{1};
  switch (what) {
    case RemoteCall::lock_shared_unchecked:
    case RemoteCall::lock_exclusive_unchecked:
      if (!lock.is_free_for(is_exclusive)) {
        table.answer_call(call, &yes, 1);
        return;
      }
      [[fallthrough]];
    case RemoteCall::lock_shared:
    case RemoteCall::lock_exclusive:
      if (lock.take({origin, is_exclusive}, call)) table.answer_call(call, nullptr, 0);
      return;
    case RemoteCall::unlock:
      table.answer_call(call, nullptr, 0);
      for (const std::uint64_t granted : lock.release(origin))
        table.answer_call(granted, nullptr, 0);
      return;
    case RemoteCall::memory: return;
  }
}

}  // namespace

void answer_remote_call(void*, std::uint64_t call, const OrreryEnvelope* envelope,
                        const void* data) {
  // The last unlock may come when all ranks have ended: then there is no job any more.
  if (current_job() == nullptr) return;
  Job& job = *current_job();
  const auto found =
      job.windows().find(envelope->context - envelope->context % Contexts::block_size);
  // An unlock may come when its window is gone, or the next one is being made: nobody waits for it.
  if (found == job.windows().end() || found->second.parts.empty()) {
    job.table().answer_call(call, nullptr, 0);
    return;
  }
  SharedWindow& window = found->second;
  const std::int32_t target = window.group->rank_of(envelope->destination);
  const auto what = static_cast<RemoteCall>(envelope->tag);
  if (what == RemoteCall::memory) {
    do_at_target(job, window, target, call, *envelope, data);
  } else {
    lock_or_unlock(job.table(), window.parts[static_cast<std::size_t>(target)].lock, call, what,
                   envelope->source);
  }
}

TargetPlace place_at_target(const SharedWindow& window, const RemoteOperation& operation) {
  const WindowPart& part = window.parts[static_cast<std::size_t>(operation.target)];
  const Footprint range = footprint(*operation.target_type, operation.target_count);
  TargetPlace place;
  if (!window.is_dynamic) {
    const std::ptrdiff_t offset = operation.displacement * part.displacement_unit;
    place.address = part.memory.base + offset;
    place.begin = reinterpret_cast<std::uintptr_t>(place.address + range.begin_bytes);
    place.end = reinterpret_cast<std::uintptr_t>(place.address + range.end_bytes);
    place.is_inside =
        offset + range.begin_bytes >= 0 &&
        offset + range.end_bytes <= static_cast<std::ptrdiff_t>(part.memory.size_bytes);
    return place;
  }
  // A displacement is an address (section 11.2.4).
  place.address = reinterpret_cast<std::byte*>(operation.displacement);
  place.begin = reinterpret_cast<std::uintptr_t>(place.address + range.begin_bytes);
  place.end = reinterpret_cast<std::uintptr_t>(place.address + range.end_bytes);
  place.is_inside = true;
  for_each_accessed_run(
      operation, place.address, [&](const std::byte* run, Builtin basic, std::size_t count) {
        place.is_inside = place.is_inside &&
                          is_attached(part.attached, run, count * builtin_type(basic).size_bytes);
      });
  return place;
}

void for_each_accessed_range(const RemoteOperation& operation, std::byte* base,
                             const std::function<void(std::uintptr_t, std::uintptr_t)>& visit) {
  for_each_accessed_run(operation, base, [&](std::byte* run, Builtin basic, std::size_t count) {
    const auto begin = reinterpret_cast<std::uintptr_t>(run);
    visit(begin, begin + count * builtin_type(basic).size_bytes);
  });
}

void leave_log(RemoteOperation& operation) {
  if (!operation.is_logged || operation.period.kind != AccessPeriod::Kind::lock) return;
  operation.is_logged = false;
  const Window& window = *operation.window;
  WindowPart& part = window.shared->parts[static_cast<std::size_t>(operation.target)];
  for_each_access(operation, window.communicator.world_rank(window.rank()),
                  place_at_target(*window.shared, operation).address,
                  [&](const Access& access) { part.accesses.complete(access); });
}

std::size_t bytes_to_target(const RemoteOperation& operation) {
  if (operation.kind == RemoteKind::compare_and_swap) return 2 * operation.target_type->size_bytes;
  return size_bytes_of(operation.origin_type, operation.origin_count);
}

std::size_t bytes_to_origin(const RemoteOperation& operation) {
  if (operation.result_type == nullptr) return 0;
  return size_bytes_of(operation.target_type, operation.target_count);
}

}  // namespace orrery::mpi
