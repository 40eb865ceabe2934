// Types whose values share memory (MPI 3.1, section 4.1.11).
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "datatypes.hpp"

namespace orrery::mpi {
namespace {

// Memory up to so many times the size of the values is marked bit by bit; beyond, runs are sorted.
constexpr std::size_t marked_span_factor = 64;

struct Span {
  std::ptrdiff_t begin_bytes;
  std::ptrdiff_t end_bytes;
};

struct Loop {
  std::size_t repeats;
  std::size_t stride_bytes;
};

std::size_t distance(std::ptrdiff_t stride_bytes) {
  return static_cast<std::size_t>(std::abs(stride_bytes));
}

bool is_disjoint(const Layout& layout);

// Are the repetitions of nested loops apart, whatever their order?  They are if each stride steps
// over all that the smaller ones reach; this sees through a column of columns.
bool are_apart(std::vector<Loop> loops, std::size_t span_bytes) {
  std::sort(loops.begin(), loops.end(),
            [](const Loop& a, const Loop& b) { return a.stride_bytes < b.stride_bytes; });
  for (const Loop& loop : loops) {
    if (loop.repeats == 1) continue;
    if (loop.stride_bytes < span_bytes) return false;
    span_bytes += (loop.repeats - 1) * loop.stride_bytes;
  }
  return true;
}

// Follows a chain of loops down to a run, or to a layout with several nodes.
bool is_chain_apart(const LayoutNode& outermost, std::vector<Loop> loops) {
  const LayoutNode* node = &outermost;
  for (;;) {
    loops.push_back({node->repeats, distance(node->stride_bytes)});
    if (node->inner == nullptr) return are_apart(std::move(loops), node->run_bytes());
    if (node->inner->nodes.size() != 1) break;
    node = &node->inner->nodes.front();
  }
  const Layout& inner = *node->inner;
  return is_disjoint(inner) &&
         are_apart(std::move(loops), static_cast<std::size_t>(inner.end_bytes - inner.begin_bytes));
}

Span span_of(const LayoutNode& node) {
  const std::ptrdiff_t first = node.offset_bytes + (node.inner ? node.inner->begin_bytes : 0);
  const std::ptrdiff_t end =
      node.offset_bytes +
      (node.inner ? node.inner->end_bytes : static_cast<std::ptrdiff_t>(node.run_bytes()));
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(node.repeats - 1) * node.stride_bytes;
  return {first + std::min<std::ptrdiff_t>(last, 0), end + std::max<std::ptrdiff_t>(last, 0)};
}

bool spans_apart(std::vector<Span>& spans) {
  const auto by_begin = [](const Span& a, const Span& b) { return a.begin_bytes < b.begin_bytes; };
  if (!std::is_sorted(spans.begin(), spans.end(), by_begin))
    std::sort(spans.begin(), spans.end(), by_begin);
  for (std::size_t index = 1; index < spans.size(); ++index)
    if (spans[index].begin_bytes < spans[index - 1].end_bytes) return false;
  return true;
}

// True: surely.  False: perhaps not.
bool is_disjoint(const Layout& layout) {
  std::vector<Span> spans;
  spans.reserve(layout.nodes.size());
  for (const LayoutNode& node : layout.nodes) {
    if (node.repeats > 1 || node.inner != nullptr)
      if (!is_chain_apart(node, {})) return false;
    spans.push_back(span_of(node));
  }
  return spans_apart(spans);
}

bool is_surely_apart(const Datatype& type, std::size_t count) {
  const Layout& layout = *type.layout;
  const Loop elements{count, distance(type.extent_bytes())};
  if (layout.nodes.size() == 1) return is_chain_apart(layout.nodes.front(), {elements});
  const auto span_bytes = static_cast<std::size_t>(layout.end_bytes - layout.begin_bytes);
  return are_apart({elements}, span_bytes) && is_disjoint(layout);
}

bool marks_collide(const Datatype& type, std::size_t count, const Footprint& range) {
  std::vector<bool> marks(static_cast<std::size_t>(range.end_bytes - range.begin_bytes));
  bool collides = false;
  for_each_run(type, count, [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
    const auto first = offset_bytes - range.begin_bytes;
    const auto bytes = static_cast<std::ptrdiff_t>(values * describe(basic).extent_bytes);
    const auto begin = marks.begin() + first;
    if (!collides) collides = std::find(begin, begin + bytes, true) != begin + bytes;
    std::fill(begin, begin + bytes, true);
  });
  return collides;
}

bool runs_collide(const Datatype& type, std::size_t count) {
  std::vector<Span> spans;
  spans.reserve(type.layout->runs * count);
  for_each_run(type, count, [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
    const auto bytes = static_cast<std::ptrdiff_t>(values * describe(basic).extent_bytes);
    spans.push_back({offset_bytes, offset_bytes + bytes});
  });
  return !spans_apart(spans);
}

bool looks_overlapping(const Datatype& type, std::size_t count) {
  if (is_surely_apart(type, count)) return false;
  const Footprint range = footprint(type, count);
  const auto span_bytes = static_cast<std::size_t>(range.end_bytes - range.begin_bytes);
  if (span_bytes <= marked_span_factor * count * type.size_bytes)
    return marks_collide(type, count, range);
  return runs_collide(type, count);
}

}  // namespace

bool overlaps(const Datatype& type, std::size_t count) {
  if (count == 0 || type.is_contiguous()) return false;
  OverlapMemory& known = type.overlap;
  if (count <= known.apart_up_to) return false;
  if (count >= known.overlapping_from) return true;
  const bool result = looks_overlapping(type, count);
  if (result)
    known.overlapping_from = count;
  else
    known.apart_up_to = count;
  return result;
}

}  // namespace orrery::mpi
