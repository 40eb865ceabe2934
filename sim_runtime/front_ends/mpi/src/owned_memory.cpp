#include "owned_memory.hpp"

#include <algorithm>

#include "call.hpp"
#include "memory_digest.hpp"

namespace orrery::mpi {
namespace {

// Types of more runs than this are taken to interleave: nobody could say where they meet.
constexpr std::size_t runs_max = std::size_t{1} << 20U;
constexpr std::size_t known_pairs_max = 16384;

struct Extent {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

Extent extent_of(const BufferView& view) {
  const Footprint range = footprint(*view.type, view.count);
  const auto base = reinterpret_cast<std::uintptr_t>(view.buffer);
  return {base + static_cast<std::uintptr_t>(range.begin_bytes),
          base + static_cast<std::uintptr_t>(range.end_bytes)};
}

bool meets(const Extent& a, const Extent& b) {
  return a.begin < b.end && b.begin < a.end;
}

bool is_one_run(const BufferView& view) {
  return find_packed(*view.type, view.count, view.buffer) != nullptr;
}

// The runs of a buffer within a range, sorted.
std::vector<Extent> runs_of(const BufferView& view, const Extent& within) {
  std::vector<Extent> runs;
  const auto base = reinterpret_cast<std::uintptr_t>(view.buffer);
  for_each_run(*view.type, view.count,
               [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
                 const auto begin = base + static_cast<std::uintptr_t>(offset_bytes);
                 const Extent run{begin, begin + values * describe(basic).extent_bytes};
                 if (meets(run, within)) runs.push_back(run);
               });
  std::ranges::sort(runs, {}, &Extent::begin);
  return runs;
}

const char* words(BufferUse use) {
  return use == BufferUse::reads ? "reads from" : "writes to";
}

}  // namespace

bool share_memory(const BufferView& a, const BufferView& b) {
  const Extent around_a = extent_of(a);
  const Extent around_b = extent_of(b);
  if (!meets(around_a, around_b)) return false;
  if (is_one_run(a) && is_one_run(b)) return true;
  if (a.type->layout->runs * a.count + b.type->layout->runs * b.count > runs_max) return false;
  const Extent both{std::max(around_a.begin, around_b.begin), std::min(around_a.end, around_b.end)};
  const auto runs_a = runs_of(a, both);
  const auto runs_b = runs_of(b, both);
  for (auto one = runs_a.begin(), other = runs_b.begin();
       one != runs_a.end() && other != runs_b.end();) {
    if (meets(*one, *other)) return true;
    if (one->end <= other->begin)
      ++one;
    else
      ++other;
  }
  return false;
}

std::size_t OwnedMemory::PairHash::operator()(const Pair& pair) const {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  };
  mix(reinterpret_cast<std::uintptr_t>(pair.first));
  mix(reinterpret_cast<std::uintptr_t>(pair.second));
  mix(pair.distance_bytes);
  mix(pair.first_count ^ pair.second_count << 32U);
  return hash;
}

bool OwnedMemory::share_memory(const BufferView& a, const BufferView& b) {
  if (is_one_run(a) && is_one_run(b)) return meets(extent_of(a), extent_of(b));
  const Pair pair{
      a.type->layout.get(),
      b.type->layout.get(),
      a.type->extent_bytes(),
      b.type->extent_bytes(),
      a.count,
      b.count,
      reinterpret_cast<std::uintptr_t>(b.buffer) - reinterpret_cast<std::uintptr_t>(a.buffer)};
  const auto known = known_pairs_.find(pair);
  if (known != known_pairs_.end()) return known->second.share_memory;
  if (known_pairs_.size() >= known_pairs_max) known_pairs_.clear();
  const bool shares = mpi::share_memory(a, b);
  known_pairs_.emplace(pair, Known{a.type->layout, b.type->layout, shares});
  return shares;
}

const OwnedMemory::Owner* OwnedMemory::find_conflict(const Owner& wanted) {
  // A range that begins further ahead than the longest one is cannot reach this one.
  const std::uintptr_t first = wanted.begin - std::min(wanted.begin, longest_bytes_);
  auto next = std::ranges::lower_bound(ranges_, first, {}, &Range::begin);
  for (; next != ranges_.end() && next->begin < wanted.end; ++next) {
    const Owner& other = owner(next->ticket);
    if (other.end <= wanted.begin) continue;
    const bool both_read =
        other.view.use == BufferUse::reads && wanted.view.use == BufferUse::reads;
    if (!both_read && share_memory(other.view, wanted.view)) return &other;
  }
  return nullptr;
}

OwnedMemory::Ticket OwnedMemory::take(const Call& call, const BufferView& view, Ticket more) {
  if (!call.state.checks_use || view.count == 0 || view.type->size_bytes == 0) return more;
  const auto [begin, end] = extent_of(view);
  Owner taken{view, call.name, call.pc, begin, end, 0, more, view.use != BufferUse::fills};
  if (const Owner* const other = ranges_.empty() ? nullptr : find_conflict(taken)) {
    const OrreryPlace there{call.state.rank, other->pc, "started here"};
    call.fail_always_between(
        Misuse::overlapping_buffers, there,
        "it %s memory that belongs to the %s of the other line, which %s it and is still under way "
        "(MPI 3.1, section %s)",
        words(view.use), other->call, words(other->view.use), other->view.section);
  }
  if (taken.is_settled) taken.digest = digest(*view.type, view.count, view.buffer);
  if (call.state.types.contains(view.type)) ++view.type->references;
  if (unused_.empty()) {
    unused_.push_back(static_cast<Ticket>(owners_.size() + 1));
    owners_.emplace_back();
  }
  const Ticket ticket = unused_.back();
  unused_.pop_back();
  owners_[ticket - 1] = taken;
  longest_bytes_ = std::max(longest_bytes_, static_cast<std::size_t>(end - begin));
  ranges_.insert(std::ranges::upper_bound(ranges_, begin, {}, &Range::begin), {begin, ticket});
  return ticket;
}

void OwnedMemory::note_filled(Ticket ticket) {
  for (; ticket != 0; ticket = owner(ticket).more) {
    Owner& taken = owners_[ticket - 1];
    if (taken.is_settled) continue;
    taken.digest = digest(*taken.view.type, taken.view.count, taken.view.buffer);
    taken.is_settled = true;
  }
}

void OwnedMemory::check(const Call& call, Ticket ticket) const {
  for (; ticket != 0; ticket = owner(ticket).more) check_one(call, owner(ticket));
}

void OwnedMemory::check_one(const Call& call, const Owner& taken) const {
  if (!taken.is_settled) return;
  const BufferView& view = taken.view;
  if (digest(*view.type, view.count, view.buffer) == taken.digest) return;
  const OrreryPlace there{call.state.rank, taken.pc, "started here"};
  call.fail_always_between(
      Misuse::buffer_in_use, there,
      "the buffer of the %s that was started at the other line has been changed since, while the "
      "operation was under way and the buffer belonged to it (MPI 3.1, section %s)",
      taken.call, view.section);
}

void OwnedMemory::give_back(RankState& state, Ticket ticket) {
  while (ticket != 0) {
    const Ticket more = owner(ticket).more;
    give_back_one(state, ticket);
    ticket = more;
  }
}

void OwnedMemory::give_back_one(RankState& state, Ticket ticket) {
  const Owner& taken = owner(ticket);
  auto place = std::ranges::lower_bound(ranges_, taken.begin, {}, &Range::begin);
  while (place->ticket != ticket) ++place;
  ranges_.erase(place);
  release(state, *taken.view.type);
  unused_.push_back(ticket);
}

void OwnedMemory::check_use(const Call& call, const BufferView& view) {
  if (ranges_.empty() || view.count == 0 || view.type->size_bytes == 0) return;
  const auto [begin, end] = extent_of(view);
  const Owner* const other = find_conflict({view, call.name, call.pc, begin, end, 0, 0, false});
  if (other == nullptr) return;
  const OrreryPlace there{call.state.rank, other->pc, "started here"};
  const bool both_write = view.use != BufferUse::reads && other->view.use != BufferUse::reads;
  call.fail_always_between(
      both_write ? Misuse::overlapping_buffers : Misuse::buffer_in_use, there,
      "it %s memory that belongs to the %s of the other line, which %s it and is still under way "
      "(MPI 3.1, section %s)",
      words(view.use), other->call, words(other->view.use), other->view.section);
}

}  // namespace orrery::mpi
