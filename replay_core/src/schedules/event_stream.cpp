#include "event_stream.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <orrery/sim_runtime/names.hpp>

namespace orrery {

std::uint64_t EventStream::hash() const {
  std::uint64_t result = 0xc2b2ae3d27d4eb4fU;
  const auto add = [&result](std::uint64_t word) {
    result = (result ^ word) * 0x9fb21c651e98df25U;
    result ^= result >> 32U;
  };
  for (const Entry& entry : entries_) {
    const Event& event = entry.event;
    add(event.id.packed());
    add(static_cast<std::uint64_t>(event.kind) << 1U | (event.timed_out ? 1U : 0U));
    add(event.object.packed());
    add(event.matched.packed());
    add(event.payload_hash);
  }
  return result;
}

std::optional<std::size_t> first_difference(std::span<const EventStream::Entry> a,
                                            std::span<const EventStream::Entry> b) {
  const auto [in_a, in_b] =
      std::ranges::mismatch(a, b, [](const EventStream::Entry& x, const EventStream::Entry& y) {
        return is_same_event(x.event, y.event);
      });
  if (in_a == a.end() && in_b == b.end()) return std::nullopt;
  return static_cast<std::size_t>(in_a - a.begin());
}

std::string describe(const Event& event, const Names& names) {
  std::string text = fmt::format("operation {} of {}, {}", event.id.number,
                                 names.task(event.id.task), name(event.kind));
  if (event.object != ObjectId{}) text += fmt::format(" on {}", names.object(event.object));
  if (event.matched != OperationId{}) {
    text += fmt::format(", matched with operation {} of {}", event.matched.number,
                        names.task(event.matched.task));
  }
  if (event.timed_out) text += ", timed out";
  return text;
}

}  // namespace orrery
