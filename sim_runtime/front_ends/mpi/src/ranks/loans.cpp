#include "loans.hpp"

#include <cstdio>
#include <string_view>
#include <utility>

#include "one_sided/remote_memory.hpp"

namespace orrery::mpi {
namespace {

using Ranges = std::vector<OrreryRange>;

Ranges ranges_of(const BufferView& view) {
  const auto base = reinterpret_cast<std::uintptr_t>(view.buffer);
  if (find_packed(*view.type, view.count, view.buffer) != nullptr) {
    const Footprint range = footprint(*view.type, view.count);
    return {{base + static_cast<std::uintptr_t>(range.begin_bytes),
             base + static_cast<std::uintptr_t>(range.end_bytes)}};
  }
  Ranges ranges;
  for_each_run(*view.type, view.count,
               [&](std::ptrdiff_t offset_bytes, Builtin basic, std::size_t values) {
                 const auto begin = base + static_cast<std::uintptr_t>(offset_bytes);
                 const auto end = begin + values * builtin_type(basic).size_bytes;
                 if (!ranges.empty() && ranges.back().end == begin)
                   ranges.back().end = end;
                 else
                   ranges.push_back({begin, end});
               });
  return ranges;
}

// What completes the operation, after `until`.
const char* end_of(std::string_view operation, std::string_view section) {
  if (section == "11.3") return "a flush, its request or the end of the epoch completes it";
  if (operation.ends_with("_begin")) return "the call that ends in _end comes back";
  return "a wait or a test completes it";
}

std::uint64_t lend(const Call& call, const BufferView& view, const char* section,
                   const char* ends_by) {
  if (view.count == 0 || view.type->size_bytes == 0) return 0;
  const Ranges ranges = ranges_of(view);
  const OrreryLoan loan{view.use == BufferUse::reads ? ORRERY_LOAN_READS : ORRERY_LOAN_WRITES,
                        ranges.data(),
                        ranges.size(),
                        reinterpret_cast<std::uintptr_t>(view.buffer),
                        class_name(Misuse::buffer_in_use),
                        call.name,
                        "",
                        "started here",
                        ends_by,
                        section,
                        call.pc};
  return call.table.lend(&loan);
}

bool updates(const RemoteOperation& operation) {
  return operation.kind != RemoteKind::get && operation.operation != BuiltinOperation::no_op;
}

WindowPart& part_of(const RemoteOperation& operation) {
  return operation.window->shared->parts[static_cast<std::size_t>(operation.target)];
}

}  // namespace

std::uint64_t lend_buffer(const Call& call, const BufferView& view) {
  if (!call.state.tells_loans) return 0;
  return lend(call, view, view.section, end_of(call.name, view.section));
}

void return_lent(const Call& call, std::uint64_t& loan) {
  if (loan != 0) call.table.return_loan(std::exchange(loan, 0), call.name, call.pc);
}

void LentWhileCalling::lend(const BufferView& view) {
  const bool is_collective = std::string_view(view.section) == "5.12";
  const char* const section = is_collective ? "5.1" : "3.4";
  loans_.push_back(mpi::lend(call_, view, section, "it returns"));
}

LentWhileCalling::~LentWhileCalling() {
  for (const std::uint64_t loan : loans_)
    if (loan != 0) call_.table.return_loan(loan, call_.name, 0);
}

void lend_target(const Call& call, RemoteOperation& operation) {
  const Window& window = *operation.window;
  if (!call.state.tells_loans || !updates(operation)) return;
  if (window.shared->common != nullptr) return;
  const TargetPlace place = place_at_target(*window.shared, operation);
  if (!place.is_inside) return;
  Ranges ranges;
  for_each_accessed_range(operation, place.address, [&](std::uintptr_t begin, std::uintptr_t end) {
    ranges.push_back({begin, end});
  });
  if (ranges.empty()) return;
  WindowPart& part = part_of(operation);
  char owner[MPI_MAX_OBJECT_NAME + 48];
  std::snprintf(owner, sizeof(owner), "rank %d's own part of %s", operation.target, window.name);
  const OrreryLoan loan{ORRERY_LOAN_UPDATES, ranges.data(), ranges.size(),
                        // Dynamic windows have no base: an address would differ from run to run.
                        window.shared->is_dynamic
                            ? ranges.front().begin
                            : reinterpret_cast<std::uintptr_t>(part.memory.base),
                        class_name(Misuse::conflicting_accesses), call.name, owner,
                        "accessed here, too", "it is complete", "11.7", call.pc};
  const std::uint64_t number = call.table.lend(&loan);
  AccessPeriod period = operation.period;
  if (period.kind == AccessPeriod::Kind::lock) {
    operation.target_loan = number;
    return;
  }
  if (period.kind == AccessPeriod::Kind::post) period.number = part.posts;
  part.loans.push_back({period, number});
}

void return_target(const Call& call, RemoteOperation& operation) {
  return_lent(call, operation.target_loan);
}

void return_targets(const Call& call, WindowPart& part, AccessPeriod before) {
  std::erase_if(part.loans, [&](WindowPart::Loan& loan) {
    if (loan.period.kind != before.kind || loan.period.number >= before.number) return false;
    return_lent(call, loan.number);
    return true;
  });
}

}  // namespace orrery::mpi
