#include "lent_memory.hpp"

#include <algorithm>
#include <limits>

namespace orrery::detail {
namespace {

bool by_begin(const AddressRange& a, const AddressRange& b) {
  return a.begin < b.begin;
}

// In order, and what touches in one.
std::vector<AddressRange> in_order(std::span<const AddressRange> ranges) {
  std::vector<AddressRange> sorted(ranges.begin(), ranges.end());
  if (!std::is_sorted(sorted.begin(), sorted.end(), by_begin))
    std::sort(sorted.begin(), sorted.end(), by_begin);
  std::vector<AddressRange> joined;
  for (const AddressRange& one : sorted) {
    if (one.begin >= one.end) continue;
    if (!joined.empty() && one.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, one.end);
    else
      joined.push_back(one);
  }
  return joined;
}

bool allows(MemoryLoan::Use use, AccessKind kind) {
  return use != MemoryLoan::Use::writes && kind == AccessKind::read;
}

}  // namespace

AddressRange KeptLoan::meet(AddressRange wanted) const {
  // The first that ends behind where the wanted one begins.
  const auto found =
      std::upper_bound(ranges.begin(), ranges.end(), wanted.begin,
                       [](Address address, const AddressRange& one) { return address < one.end; });
  if (found == ranges.end() || found->begin >= wanted.end) return {};
  return {std::max(found->begin, wanted.begin), std::min(found->end, wanted.end)};
}

template <typename Function>
void LentMemory::for_each_page(const KeptLoan& loan, const Function& function) {
  std::uint64_t next = 0;  // pages in order: each once
  for (const AddressRange& range : loan.ranges) {
    const std::uint64_t last = (range.end - 1) >> page_log2;
    for (next = std::max(next, range.begin >> page_log2); next <= last; ++next) function(next);
  }
}

void LentMemory::clear() {
  pages_in_use_.fill(0);
  pages_.clear();
  loans_.clear();
  unused_.clear();
  slots_.clear();
}

void LentMemory::add(const MemoryLoan& loan) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<Slot>(loans_.size()));
    loans_.emplace_back();
  }
  const Slot slot = unused_.back();
  unused_.pop_back();
  KeptLoan& kept = loans_[slot];
  kept = {loan.number,        loan.use,       true,       loan.base,    in_order(loan.ranges),
          loan.finding_class, loan.operation, loan.role,  loan.ends_by, loan.section,
          loan.owner,         loan.task,      *loan.where};
  slots_.emplace(loan.number, slot);
  for_each_page(kept, [&](std::uint64_t page) {
    auto& of_page = pages_[page];
    of_page.push_back(slot);
    std::uint16_t& count = pages_in_use_[page % places];
    if (of_page.size() == 1 && count < std::numeric_limits<std::uint16_t>::max()) ++count;
  });
}

const KeptLoan* LentMemory::find(std::uint64_t number) const {
  const auto found = slots_.find(number);
  return found == slots_.end() ? nullptr : &loans_[found->second];
}

void LentMemory::remove(std::uint64_t number) {
  const auto found = slots_.find(number);
  if (found == slots_.end()) return;
  const Slot slot = found->second;
  slots_.erase(found);
  loans_[slot].is_open = false;
  for_each_page(loans_[slot], [&](std::uint64_t page) {
    auto& of_page = pages_[page];
    of_page.erase(std::find(of_page.begin(), of_page.end(), slot));
    std::uint16_t& count = pages_in_use_[page % places];
    // A place that was full stays taken: its count is not known.
    if (of_page.empty() && count < std::numeric_limits<std::uint16_t>::max()) --count;
  });
  unused_.push_back(slot);
}

void LentMemory::forget(AddressRange memory) {
  std::vector<std::uint64_t> gone;
  for (const KeptLoan& one : loans_) {
    if (!one.is_open || one.ranges.empty()) continue;
    if (one.ranges.front().begin >= memory.begin && one.ranges.back().end <= memory.end)
      gone.push_back(one.number);
  }
  for (const std::uint64_t number : gone) remove(number);
}

std::pair<const KeptLoan*, AddressRange> LentMemory::find_forbidding(
    const MemoryAccess& access) const {
  const AddressRange wanted{access.address(), access.address() + access.size_bytes()};
  std::pair<const KeptLoan*, AddressRange> first{};
  const std::uint64_t last_page = (wanted.end - 1) >> page_log2;
  for (std::uint64_t page = wanted.begin >> page_log2; page <= last_page; ++page) {
    const auto found = pages_.find(page);
    if (found == pages_.end()) continue;
    for (const Slot slot : found->second) {
      const KeptLoan& loan = loans_[slot];
      if (allows(loan.use, access.kind())) continue;
      if (first.first != nullptr && first.first->number <= loan.number) continue;
      const AddressRange met = loan.meet(wanted);
      if (met.begin < met.end) first = {&loan, met};
    }
  }
  return first;
}

}  // namespace orrery::detail
