// Memory of programs that operations of front ends have, and who touches it: told, never judged.
#include "machine.hpp"
#include "simulated_loans.hpp"

namespace orrery::detail {

std::uint64_t Machine::lend(MemoryLoan loan) {
  loan.number = ++loans_;
  loan.task = running_->id;
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::loans())) observer->on_lent(loan);
  }
  return loan.number;
}

void Machine::return_loan(std::uint64_t loan, const char* call, const SourceLocation* where) const {
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::loans()))
      observer->on_returned(loan, running_->id, call, where);
  }
}

bool Machine::wants_accesses_at_once() const {
  return wanted_.has_any(EventMask::accesses_at_once());
}

void Machine::tell_access(const MemoryAccess& access) const {
  if (running_->acts_for_operations > 0) return;
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::accesses_at_once())) observer->on_access(running_->id, access);
  }
}

void Machine::tell_allocated(const void* memory, std::size_t bytes) const {
  for (const auto& [observer, interest] : observers_) {
    if (interest.has_any(EventMask::allocations()))
      observer->on_allocated(running_->id, reinterpret_cast<std::uintptr_t>(memory), bytes);
  }
}

namespace {

std::int32_t wants_loans() {
  return Machine::current()->wants_loans() ? 1 : 0;
}

std::uint64_t lend(const OrreryLoan* loan) {
  const SourceLocation where = SourceLocation::at(loan->pc);
  std::vector<AddressRange> ranges;
  ranges.reserve(loan->range_count);
  for (std::size_t i = 0; i < loan->range_count; ++i)
    ranges.push_back({loan->ranges[i].begin, loan->ranges[i].end});
  MemoryLoan told;
  told.use = static_cast<MemoryLoan::Use>(loan->use);
  told.ranges = ranges;
  told.base = loan->base;
  told.finding_class = loan->finding_class;
  told.operation = loan->operation;
  told.owner = loan->owner;
  told.role = loan->role;
  told.ends_by = loan->ends_by;
  told.section = loan->section;
  told.where = &where;
  return Machine::current()->lend(told);
}

void return_loan(std::uint64_t loan, const char* call, std::uintptr_t pc) {
  const SourceLocation where = SourceLocation::at(pc);
  Machine::current()->return_loan(loan, call, pc == 0 ? nullptr : &where);
}

void acts_for_operation(std::int32_t begins) {
  Task& task = Machine::current()->running();
  if (begins != 0)
    ++task.acts_for_operations;
  else
    --task.acts_for_operations;
}

}  // namespace

void add_loans(OrreryRuntime& table) {
  table.wants_loans = wants_loans;
  table.lend = lend;
  table.return_loan = return_loan;
  table.acts_for_operation = acts_for_operation;
}

}  // namespace orrery::detail
