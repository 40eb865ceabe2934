#include "local_accesses.hpp"

#include <algorithm>

namespace orrery::mpi {
namespace {

bool meets(const WindowMemory& memory, std::uintptr_t begin, std::uintptr_t end) {
  const auto base = reinterpret_cast<std::uintptr_t>(memory.base);
  return begin < base + memory.size_bytes && base < end;
}

bool is_part_of(const WindowPart& part, const BufferView& view) {
  const Footprint range = footprint(*view.type, view.count);
  const auto base = reinterpret_cast<std::uintptr_t>(view.buffer);
  const std::uintptr_t begin = base + static_cast<std::uintptr_t>(range.begin_bytes);
  const std::uintptr_t end = base + static_cast<std::uintptr_t>(range.end_bytes);
  return meets(part.memory, begin, end) ||
         std::ranges::any_of(part.attached,
                             [&](const WindowMemory& memory) { return meets(memory, begin, end); });
}

// The epoch in which others access this rank's part.  What is done under locks meets all others.
AccessPeriod exposed_in(const Window& window, const WindowPart& part) {
  if (window.epochs.is_posted) return {AccessPeriod::Kind::post, part.posts};
  if (window.epochs.fence_is_open) return {AccessPeriod::Kind::fence, window.epochs.fences};
  return {};
}

[[noreturn]] void fail_conflict(const Call& call, const Window& window, const WindowPart& part,
                                const AccessLog::Conflict& conflict) {
  const Access& other = conflict.earlier;
  const auto base = reinterpret_cast<std::uintptr_t>(part.memory.base);
  const OrreryPlace there{other.origin, other.pc, "accessed here, too"};
  call.fail_always_between(
      Misuse::conflicting_accesses, there,
      "it writes to bytes %zu to %zu of rank %d's own part of %s, and so does %s of rank %d, which "
      "is not complete there: what comes of it is undefined (MPI 3.1, section 11.7)",
      conflict.begin - base, conflict.end - base, window.rank(), window.name, other.call,
      window.communicator.local_rank(other.origin));
}

// Only updates of others matter: so this store meets what a get would meet.
void check_run(const Call& call, const Window& window, WindowPart& part, std::uintptr_t begin,
               std::uintptr_t end) {
  Access access;
  access.begin = begin;
  access.end = end;
  access.kind = RemoteKind::get;
  access.period = exposed_in(window, part);
  access.origin = call.state.rank;
  const auto conflict = part.accesses.add(access, false);
  part.accesses.complete(access);
  if (conflict) fail_conflict(call, window, part, *conflict);
}

}  // namespace

void check_local_store(const Call& call, const BufferView& view) {
  if (!call.state.checks_use || call.job.windows().empty()) return;
  if (view.count == 0 || view.type->size_bytes == 0) return;
  call.state.windows.for_each([&](const Window& window) {
    if (window.shared == nullptr || window.shared->parts.empty()) return;  // being made
    WindowPart& part = window.shared->parts[static_cast<std::size_t>(window.rank())];
    if (!is_part_of(part, view)) return;
    const auto base = reinterpret_cast<std::uintptr_t>(view.buffer);
    for_each_run(*view.type, view.count,
                 [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
                   const auto begin = base + static_cast<std::uintptr_t>(offset_bytes);
                   check_run(call, window, part, begin,
                             begin + values * builtin_type(basic).size_bytes);
                 });
  });
}

void check_local_stores(const Call& call, const RankBlocks& received) {
  if (call.job.windows().empty() || received.in_place() || received.has_counts_only()) return;
  for (std::int32_t block = 0; block < received.number; ++block)
    check_local_store(call, {received.address_of(block), &received.type_of(block),
                             received.count_of(block), BufferUse::writes});
}

}  // namespace orrery::mpi
