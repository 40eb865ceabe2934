#include "memory_runs.hpp"

#include <algorithm>

namespace orrery::mpi {

Extent extent_of(const BufferView& view) {
  const Footprint range = footprint(*view.type, view.count);
  const auto base = reinterpret_cast<std::uintptr_t>(view.buffer);
  return {base + static_cast<std::uintptr_t>(range.begin_bytes),
          base + static_cast<std::uintptr_t>(range.end_bytes)};
}

namespace {

template <typename Visitor>
void for_each_extent(const Layout& layout, std::uintptr_t origin, const Visitor& visit) {
  for (const LayoutNode& node : layout.nodes) {
    std::uintptr_t place = origin + static_cast<std::uintptr_t>(node.offset_bytes);
    const auto stride_bytes = static_cast<std::uintptr_t>(node.stride_bytes);
    const std::size_t bytes = node.run_bytes();
    for (std::size_t repeat = 0; repeat < node.repeats; ++repeat, place += stride_bytes) {
      if (node.inner == nullptr)
        visit(Extent{place, place + bytes});
      else
        for_each_extent(*node.inner, place, visit);
    }
  }
}

/// In the order in which the values are sent.
template <typename Visitor>
void for_each_extent(const BufferView& view, const Visitor& visit) {
  if (view.is_one_run()) return visit(extent_of(view));
  auto element = reinterpret_cast<std::uintptr_t>(view.buffer);
  const auto extent_bytes = static_cast<std::uintptr_t>(view.type->extent_bytes());
  for (std::size_t index = 0; index < view.count; ++index, element += extent_bytes)
    for_each_extent(*view.type->layout, element, visit);
}

}  // namespace

void MemoryRuns::assign(const BufferView& view) {
  runs_.clear();
  runs_.reserve(view.runs());
  bool is_ascending = true;
  for_each_extent(view, [&](const Extent& run) {
    if (!runs_.empty() && run.begin == runs_.back().end) {
      runs_.back().end = run.end;
      return;
    }
    is_ascending = is_ascending && (runs_.empty() || run.begin > runs_.back().end);
    runs_.push_back(run);
  });
  if (!is_ascending) put_in_order();
}

void MemoryRuns::put_in_order() {
  std::sort(runs_.begin(), runs_.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  auto last = runs_.begin();
  for (const Extent& run : runs_) {
    if (run.begin <= last->end)
      last->end = std::max(last->end, run.end);
    else
      *++last = run;
  }
  runs_.erase(last + 1, runs_.end());
}

bool MemoryRuns::meet(const BufferView& view) const {
  auto next = runs_.begin();  // the first one that ends behind the beginning of the last run
  std::uintptr_t last_begin = UINTPTR_MAX;
  bool meets = false;
  for_each_extent(view, [&](const Extent& run) {
    if (meets) return;
    const auto is_before = [&](const Extent& own) { return own.end <= run.begin; };
    next = run.begin < last_begin ? std::partition_point(runs_.begin(), runs_.end(), is_before)
                                  : std::find_if_not(next, runs_.end(), is_before);
    last_begin = run.begin;
    meets = next != runs_.end() && next->begin < run.end;
  });
  return meets;
}

void MemoryRuns::clear() {
  constexpr std::size_t kept_runs_max = 1024;
  runs_.clear();
  if (runs_.capacity() > kept_runs_max) runs_.shrink_to_fit();
}

bool have_too_many_runs(const BufferView& a, const BufferView& b) {
  constexpr std::size_t runs_max = std::size_t{1} << 20U;
  return a.runs() + b.runs() > runs_max;
}

bool share_memory(const BufferView& a, const BufferView& b) {
  if (a.is_empty() || b.is_empty() || !extent_of(a).meets(extent_of(b))) return false;
  if (a.is_one_run() && b.is_one_run()) return true;
  if (have_too_many_runs(a, b)) return false;
  MemoryRuns runs;
  runs.assign(a);
  return runs.meet(b);
}

}  // namespace orrery::mpi
