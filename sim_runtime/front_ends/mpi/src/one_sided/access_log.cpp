#include "access_log.hpp"

#include <algorithm>

namespace orrery::mpi {
namespace {

bool is_atomic(RemoteKind kind) {
  return kind != RemoteKind::put && kind != RemoteKind::get;
}

// Section 11.7.1: accumulates of one operation and one type do not get into each other's way.  The
// info key `accumulate_ops` (section 11.2.1) says whether MPI_NO_OP, which only reads, goes with
// the others; a compare-and-swap goes with all, as in example 11.22.
bool go_together(const Access& one, const Access& other, bool no_op_is_alone) {
  if (one.kind == RemoteKind::get && other.kind == RemoteKind::get) return true;
  if (!is_atomic(one.kind) || !is_atomic(other.kind)) {
    // Neither changes anything.
    const auto reads = [](const Access& access) {
      return access.kind == RemoteKind::get || access.operation == BuiltinOperation::no_op;
    };
    return reads(one) && reads(other);
  }
  if (one.basic != other.basic) return false;
  if (one.kind == RemoteKind::compare_and_swap || other.kind == RemoteKind::compare_and_swap)
    return true;
  if (one.operation == other.operation) return true;
  return !no_op_is_alone &&
         (one.operation == BuiltinOperation::no_op || other.operation == BuiltinOperation::no_op);
}

bool are_concurrent(const Access& earlier, const Access& later) {
  // One that is complete at the target is in the log only as long as its whole period counts.
  if (earlier.period.kind == AccessPeriod::Kind::lock) return true;
  return earlier.period == later.period;
}

// Accumulates of one origin to one place are ordered (section 11.7.2).
bool are_ordered(const Access& one, const Access& other) {
  return one.origin == other.origin && is_atomic(one.kind) && is_atomic(other.kind);
}

}  // namespace

std::optional<AccessLog::Conflict> AccessLog::add(const Access& access, bool no_op_is_alone) {
  if (access.period.kind == AccessPeriod::Kind::fence && access.period.number != fence_) {
    end_period({AccessPeriod::Kind::fence, fence_});
    fence_ = access.period.number;
  }
  std::optional<Conflict> conflict;
  const std::uintptr_t reach = std::min(access.begin, longest_bytes_);
  for (auto position = accesses_.lower_bound(access.begin - reach);
       position != accesses_.end() && position->first < access.end; ++position) {
    Access& earlier = position->second;
    if (earlier.end <= access.begin || earlier.serial == access.serial) continue;
    // An origin may well fetch, or accumulate to, one place a thousand times.
    const bool is_harmless =
        are_ordered(earlier, access) || go_together(earlier, access, no_op_is_alone);
    if (is_harmless && earlier.is_like(access)) {
      ++earlier.times;
      return std::nullopt;
    }
    if (!are_concurrent(earlier, access) || are_ordered(earlier, access)) continue;
    if (go_together(earlier, access, no_op_is_alone)) continue;
    conflict =
        Conflict{earlier, std::max(earlier.begin, access.begin), std::min(earlier.end, access.end)};
    break;
  }
  longest_bytes_ = std::max(longest_bytes_, access.end - access.begin);
  accesses_.emplace(access.begin, access);
  return conflict;
}

void AccessLog::complete(const Access& access) {
  const auto [first, last] = accesses_.equal_range(access.begin);
  for (auto position = first; position != last; ++position) {
    if (!position->second.is_like(access)) continue;
    if (--position->second.times == 0) accesses_.erase(position);
    break;
  }
  if (accesses_.empty()) longest_bytes_ = 0;
}

void AccessLog::end_period(AccessPeriod period) {
  std::erase_if(accesses_, [&](const auto& entry) { return entry.second.period == period; });
  if (accesses_.empty()) longest_bytes_ = 0;
}

}  // namespace orrery::mpi
