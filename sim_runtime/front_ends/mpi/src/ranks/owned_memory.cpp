#include "owned_memory.hpp"

#include <algorithm>

#include "calls/call.hpp"
#include "loans.hpp"
#include "memory_digest.hpp"

namespace orrery::mpi {
namespace {

// Pairs of so few runs are looked at each time: they are not worth a place in a table.
constexpr std::size_t forgotten_runs_max = 32;

const char* words(BufferUse use) {
  return use == BufferUse::reads ? "reads from" : "writes to";
}

}  // namespace

OwnedMemory::Range OwnedMemory::range_of(const BufferView& view) {
  return {extent_of(view), 0, 0, view.use, view.is_one_run()};
}

bool OwnedMemory::meets_runs(const BufferView& owned, const BufferView& view) {
  if (have_too_many_runs(owned, view)) return false;
  if (wanted_runs_.is_empty()) wanted_runs_.assign(view);
  return wanted_runs_.meet(owned);
}

bool OwnedMemory::has_any_of(const BufferView& view, Range& wanted, Range& range) {
  if (range.is_one_run && wanted.is_one_run) return true;
  const BufferView& owned = owner(range.ticket).view;
  if (owned.runs() + view.runs() <= forgotten_runs_max) return meets_runs(owned, view);
  if (range.shape == 0) range.shape = known_pairs_.shape_of(*owned.type, owned.count);
  if (wanted.shape == 0) wanted.shape = known_pairs_.shape_of(*view.type, view.count);
  const std::uintptr_t distance_bytes = wanted.begin - range.begin;
  if (const bool* const known = known_pairs_.find(range.shape, wanted.shape, distance_bytes))
    return *known;
  const bool has_any = meets_runs(owned, view);
  known_pairs_.insert(range.shape, wanted.shape, distance_bytes, has_any);
  return has_any;
}

const OwnedMemory::Owner* OwnedMemory::find_conflict(const BufferView& view, Range& wanted) {
  // A range that begins further ahead than the longest one is cannot reach this one.
  const std::uintptr_t first = wanted.begin - std::min(wanted.begin, longest_bytes_);
  auto next = std::ranges::lower_bound(ranges_, first, {}, &Range::begin);
  const auto is_in_the_way = [&](Range& range) {
    const bool both_read = range.use == BufferUse::reads && wanted.use == BufferUse::reads;
    return !both_read && range.meets(wanted) && has_any_of(view, wanted, range);
  };
  wanted_runs_.clear();
  for (; next != ranges_.end() && next->begin < wanted.end; ++next)
    if (is_in_the_way(*next)) return &owner(next->ticket);
  return nullptr;
}

OwnedMemory::Ticket OwnedMemory::take(const Call& call, const BufferView& view, Ticket more) {
  if (!call.state.checks_use || view.is_empty()) return more;
  Range range = range_of(view);
  if (const Owner* const other = ranges_.empty() ? nullptr : find_conflict(view, range)) {
    const OrreryPlace there{call.state.rank, other->pc, "started here"};
    call.fail_always_between(
        Misuse::overlapping_buffers, there,
        "it %s memory that belongs to the %s of the other line, which %s it and is still under way "
        "(MPI 3.1, section %s)",
        words(view.use), other->call, words(other->view.use), other->view.section);
  }
  if (call.state.types.contains(view.type)) ++view.type->references;
  if (unused_.empty()) {
    unused_.push_back(static_cast<Ticket>(owners_.size() + 1));
    owners_.emplace_back();
  }
  range.ticket = unused_.back();
  unused_.pop_back();
  Owner& taken = owners_[range.ticket - 1];
  const std::uint64_t loan = lend_buffer(call, view);
  taken = {view, call.name, call.pc, range.begin, 0, loan, more, view.use != BufferUse::fills};
  if (taken.is_settled) taken.digest = digest(*view.type, view.count, view.buffer);
  longest_bytes_ = std::max(longest_bytes_, static_cast<std::size_t>(range.end - range.begin));
  ranges_.insert(std::ranges::upper_bound(ranges_, range.begin, {}, &Range::begin), range);
  return range.ticket;
}

void OwnedMemory::note_filled(Ticket ticket) {
  for (; ticket != 0; ticket = owner(ticket).more) {
    Owner& taken = owners_[ticket - 1];
    if (taken.is_settled) continue;
    taken.digest = digest(*taken.view.type, taken.view.count, taken.view.buffer);
    taken.is_settled = true;
  }
}

void OwnedMemory::check(const Call& call, Ticket ticket) {
  for (; ticket != 0; ticket = owner(ticket).more) {
    return_lent(call, owners_[ticket - 1].loan);
    check_one(call, owner(ticket));
  }
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
  if (taken.loan != 0) current_job()->table().return_loan(taken.loan, "", 0);
  release(state, *taken.view.type);
  unused_.push_back(ticket);
}

void OwnedMemory::check_use(const Call& call, const BufferView& view) {
  if (ranges_.empty() || view.is_empty()) return;
  Range wanted = range_of(view);
  const Owner* const other = find_conflict(view, wanted);
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
