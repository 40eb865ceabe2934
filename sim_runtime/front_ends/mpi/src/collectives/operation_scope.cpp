#include "operation_scope.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery::mpi {
namespace {

const void* own_stack(const OrreryRuntime& table) {
  void* bottom = nullptr;
  std::size_t size_bytes = 0;
  if (table.thread_stack != nullptr) table.thread_stack(0, &bottom, &size_bytes);
  return bottom;
}

// What only asks, works on memory of the caller's own, or, as the standard allows, ends the job.
bool is_allowed(std::string_view function) {
  constexpr std::array<std::string_view, 13> beginnings{
      "MPI_Abort",          "MPI_Type_",        "MPI_Get_address",
      "MPI_Get_count",      "MPI_Get_elements", "MPI_Get_processor_",
      "MPI_Comm_rank",      "MPI_Comm_size",    "MPI_Comm_remote_size",
      "MPI_Op_commutative", "MPI_Error_",       "MPI_Comm_get_name",
      "MPI_Reduce_local"};
  constexpr std::array<std::string_view, 6> packing{"MPI_Pack",
                                                    "MPI_Unpack",
                                                    "MPI_Pack_size",
                                                    "MPI_Pack_external",
                                                    "MPI_Pack_external_size",
                                                    "MPI_Unpack_external"};
  const auto begins = [&](std::string_view with) { return function.starts_with(with); };
  return std::any_of(beginnings.begin(), beginnings.end(), begins) ||
         std::find(packing.begin(), packing.end(), function) != packing.end();
}

}  // namespace

OperationScope::OperationScope(RankState& state, const OrreryRuntime& table)
    : state_(state), table_(table), stack_(own_stack(table)) {
  state_.operation_stacks.push_back(stack_);
  if (state_.tells_loans) table_.acts_for_operation(1);
}

OperationScope::~OperationScope() {
  if (state_.tells_loans) table_.acts_for_operation(0);
  auto& stacks = state_.operation_stacks;
  stacks.erase(std::find(stacks.begin(), stacks.end(), stack_));
}

void check_not_in_operation(const Call& call) {
  const auto& stacks = call.state.operation_stacks;
  const bool is_here =
      std::find(stacks.begin(), stacks.end(), own_stack(call.table)) != stacks.end();
  if (!is_here || is_allowed(call.name)) return;
  call.fail_always(
      Misuse::invalid_operation,
      "called by the function of a reduction operation, which must not communicate (MPI 3.1, "
      "section 5.9.5)");
}

}  // namespace orrery::mpi
