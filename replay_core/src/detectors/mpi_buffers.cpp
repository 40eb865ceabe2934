#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <orrery/replay_core/mpi_buffers.hpp>
#include <orrery/sim_runtime/names.hpp>

#include "lent_memory.hpp"

namespace orrery {
namespace {

using detail::KeptLoan;

constexpr std::string_view writes_here = "writes here";
constexpr std::string_view reads_here = "reads here";

// The access in words; those who complete the operation come behind it.
std::string describe(const KeptLoan& loan, AccessKind kind, AddressRange bytes) {
  const auto from = static_cast<std::int64_t>(bytes.begin - loan.base);
  const auto to = static_cast<std::int64_t>(bytes.end - loan.base);
  const char* const verb = kind == AccessKind::write ? "writes to" : "reads";
  if (loan.use == MemoryLoan::Use::updates) {
    return fmt::format(
        "the program {} bytes {} to {} of {}, and so does the {} of the other line, which is not "
        "complete there: what comes of it is undefined (MPI 3.1, section {})",
        verb, from, to, loan.owner, loan.operation, loan.section);
  }
  const bool is_read = loan.use == MemoryLoan::Use::reads;
  return fmt::format(
      "the program {} bytes {} to {} of the buffer of the {} of the other line, which is under way "
      "and {} that buffer: until {}, nobody may {} the buffer (MPI 3.1, section {})",
      verb, from, to, loan.operation, is_read ? "reads" : "writes to", loan.ends_by,
      is_read ? "change" : "touch", loan.section);
}

}  // namespace

struct MpiBuffers::State {
  struct FoundAccess {
    Finding finding;
    std::uint64_t loan = 0;
    bool is_over = false;                ///< the loan is
    const char* completed_by = nullptr;  ///< the call that did; null: none that says so
  };

  detail::LentMemory lent;
  const Names* names = nullptr;
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> seen;  // of accesses and of calls
  std::vector<FoundAccess> found;
  bool has_lent = false;

  [[nodiscard]] FindingPlace place(const SourceLocation& where, TaskId task,
                                   const char* role) const {
    FindingPlace result = names->place(where);
    result.task = names->task(task);
    result.role = role;
    return result;
  }
  void add(TaskId task, const MemoryAccess& access, const KeptLoan& loan, AddressRange bytes);
};

void MpiBuffers::State::add(TaskId task, const MemoryAccess& access, const KeptLoan& loan,
                            AddressRange bytes) {
  if (!seen.insert({access.counter(), loan.where.program_counter}).second) return;
  FindingPlace here = names->place_here(SourceLocation::at(access.counter()));
  here.task = names->task(task);
  here.role = access.kind() == AccessKind::write ? writes_here : reads_here;
  Finding finding{
      FindingKind::mpi_usage, describe(loan, access.kind(), bytes), {}, loan.finding_class};
  finding.where.push_back(std::move(here));
  finding.where.push_back(place(loan.where, loan.task, loan.role));
  // Several accesses may be of one line, and each rank has a copy of the program.
  const FindingPlace& begun = finding.where[1];
  const bool is_known = std::ranges::any_of(found, [&](const FoundAccess& one) {
    const FindingPlace& other = one.finding.where[1];
    return one.finding.is_same_as(finding) && other.file == begun.file && other.line == begun.line;
  });
  if (is_known && !begun.file.empty()) return;
  found.push_back({std::move(finding), loan.number, false, nullptr});
}

MpiBuffers::MpiBuffers() : state_(std::make_unique<State>()) {}
MpiBuffers::~MpiBuffers() = default;

void MpiBuffers::begin_run(const RunInfo& info) {
  state_->lent.clear();
  state_->names = info.names;
  state_->seen.clear();
  state_->found.clear();
  state_->has_lent = false;
}

EventMask MpiBuffers::interest() const {
  return EventMask::loans() | EventMask::accesses_at_once();
}

void MpiBuffers::on_lent(const MemoryLoan& loan) {
  state_->lent.add(loan);
  state_->has_lent = true;
}

void MpiBuffers::on_returned(std::uint64_t loan, TaskId task, const char* call,
                             const SourceLocation* where) {
  state_->lent.remove(loan);
  for (State::FoundAccess& one : state_->found) {
    if (one.loan != loan || one.is_over) continue;
    one.is_over = true;
    if (where == nullptr) continue;
    one.completed_by = call;
    one.finding.where.push_back(state_->place(*where, task, "completed here"));
  }
}

void MpiBuffers::on_access(TaskId task, const MemoryAccess& access) {
  if (!state_->lent.may_have(access.address(), access.size_bytes())) return;
  const auto [loan, bytes] = state_->lent.find_forbidding(access);
  if (loan != nullptr) state_->add(task, access, *loan, bytes);
}

void MpiBuffers::on_freed(Address address, std::uint64_t size_bytes) {
  state_->lent.forget({address, address + size_bytes});
}

std::vector<Finding> MpiBuffers::findings() const {
  std::vector<Finding> all;
  for (const State::FoundAccess& one : state_->found) {
    Finding finding = one.finding;
    if (one.completed_by != nullptr)
      finding.message += fmt::format("; {} has completed it", one.completed_by);
    else if (!one.is_over)
      finding.message += "; no call has completed it";
    all.push_back(std::move(finding));
  }
  return all;
}

std::vector<Finding> MpiBuffers::remarks() const {
  if (state_->has_lent) return {};
  return {nothing_to_look_at(FindingKind::mpi_usage, "no operation of MPI had memory")};
}

std::unique_ptr<Detector> make_mpi_buffers() {
  return std::make_unique<MpiBuffers>();
}

bool is_access_to_lent_memory(const Finding& finding) {
  if (finding.kind != FindingKind::mpi_usage || finding.where.size() < 2) return false;
  const std::string& role = finding.where.front().role;
  return role == writes_here || role == reads_here;
}

bool tells_of(const Finding& access, const Finding& other) {
  if (!is_access_to_lent_memory(access) || is_access_to_lent_memory(other)) return false;
  if (other.kind != access.kind || other.class_name != access.class_name) return false;
  const FindingPlace& begun = access.where[1];
  return std::ranges::any_of(other.where, [&](const FindingPlace& place) {
    return place.file == begun.file && place.line == begun.line && place.role == begun.role;
  });
}

}  // namespace orrery
