#include "trial_watch.hpp"

#include <algorithm>
#include <cstddef>

#include <sys/uio.h>
#include <unistd.h>

namespace orrery::detail {
namespace {

constexpr unsigned both = 3;

/// Nothing: nobody can read that any more, or it is more than a number.
std::optional<std::uint64_t> value_at(const MemoryRange& bytes) {
  std::uint64_t value = 0;
  const std::uint64_t size_bytes = bytes.end - bytes.begin;
  if (bytes.end <= bytes.begin || size_bytes > sizeof value) return std::nullopt;
  const iovec here{&value, size_bytes};
  const iovec there{reinterpret_cast<void*>(bytes.begin), size_bytes};
  const bool is_read =
      process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(size_bytes);
  return is_read ? std::optional(value) : std::nullopt;
}

}  // namespace

void TrialWatch::on_event(const Event& event) {
  look();
  trace_.on_event(event);
  for (std::size_t side = 0; side < plan_.accesses.size(); ++side) {
    if (!is_access(side, event)) continue;
    come_ |= 1U << side;
    if (event.kind == OperationKind::read) read_ = event.payload_hash;
    if (event.kind == OperationKind::write) left_ = event.payload_hash;
  }
}

/// Directed: the first one that comes when both are next.
bool TrialWatch::is_access(std::size_t side, const Event& event) const {
  const TrialAccess& one = plan_.accesses[side];
  if (!one.is_operation() || event.id.task != one.task) return false;
  if (!plan_.is_directed) return event.id.number == one.operation;
  const OperationKind kind = one.writes ? OperationKind::write : OperationKind::read;
  return are_next_ && event.object == one.variable && event.kind == kind &&
         (come_ >> side & 1U) == 0;
}

void TrialWatch::on_access(TaskId task, const MemoryAccess& access) {
  look();
  if (!are_next_ || come_ == both) return;
  for (std::size_t side = 0; side < plan_.accesses.size(); ++side) {
    const TrialAccess& one = plan_.accesses[side];
    const bool is_it = !one.is_operation() && one.task == task &&
                       one.bytes.begin == access.address() &&
                       one.program_counter == access.counter() &&
                       one.writes == (access.kind() != AccessKind::read);
    if (!is_it) continue;
    come_ |= 1U << side;
    // The program is about to look there itself.
    if (!one.writes && !read_) {
      read_ = value_at({access.address(), access.address() + access.size_bytes()});
    }
  }
}

/// Whoever tells of anything has done what was told before.
void TrialWatch::look() {
  if (come_ != both || left_) return;
  const MemoryRange& one = plan_.accesses[0].bytes;
  const MemoryRange& other = plan_.accesses[1].bytes;
  left_ = value_at({std::max(one.begin, other.begin), std::min(one.end, other.end)});
  come_ = 0;
  are_next_ = false;
}

}  // namespace orrery::detail
