// MPI 3.1, sections 6.8 and 8.2: names of types, and memory that the library gives out.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "calls/call.hpp"

using namespace orrery::mpi;

namespace {

constexpr std::size_t size_bytes_max = std::size_t{1} << 40U;

}  // namespace

ORRERY_MPI_API int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  const Call call = ORRERY_CALL("MPI_Alloc_mem");
  const Info* hints = nullptr;
  if (const int error = check_info_or_null(call, info, "info", hints)) return error;
  if (const int error = call.check_result(baseptr, "baseptr")) return error;
  if (size < 0)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument size is %td, and must not be negative (MPI 3.1, section 8.2)", size);
  // At least a byte: each allocation has an address of its own.
  const auto size_bytes = static_cast<std::size_t>(std::max<MPI_Aint>(size, 1));
  if (size_bytes > size_bytes_max)
    return call.fail(
        nullptr, MPI_ERR_NO_MEM,
        "argument size is %td, and no rank can have that much memory (MPI 3.1, section "
        "8.2)",
        size);
  void* memory = call.table.program_memory(size_bytes);
  std::unique_ptr<std::byte[]> own;
  if (memory == nullptr) {
    own = std::make_unique<std::byte[]>(size_bytes);
    memory = own.get();
  }
  call.state.allocations.push_back({memory, call.pc, std::move(own)});
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Alloc_mem);

ORRERY_MPI_API int MPI_Free_mem(void* base) {
  const Call call = ORRERY_CALL("MPI_Free_mem");
  auto& allocations = call.state.allocations;
  const auto found =
      std::find_if(allocations.begin(), allocations.end(),
                   [&](const Allocation& allocation) { return allocation.memory == base; });
  if (found == allocations.end())
    return call.fail(
        nullptr, MPI_ERR_BASE, "argument base is %s (MPI 3.1, section 8.2)",
        base == nullptr ? "a null pointer" : "no memory of MPI_Alloc_mem, or was freed before");
  if (found->own == nullptr) std::free(base);
  allocations.erase(found);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Free_mem);

ORRERY_MPI_API int MPI_Type_set_name(MPI_Datatype type, const char* type_name) {
  const Call call = ORRERY_CALL("MPI_Type_set_name");
  const Datatype* found = nullptr;
  if (const int error = call.check_type(nullptr, type, "datatype", found)) return error;
  if (const int error = call.check_input(type_name, "type_name")) return error;
  call.state.type_names[found] = std::string(type_name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_set_name);

ORRERY_MPI_API int MPI_Type_get_name(MPI_Datatype type, char* type_name, int* resultlen) {
  const Call call = ORRERY_CALL("MPI_Type_get_name");
  const Datatype* found = nullptr;
  if (const int error = call.check_type(nullptr, type, "datatype", found)) return error;
  if (const int error = call.check_result(type_name, "type_name")) return error;
  if (const int error = call.check_result(resultlen, "resultlen")) return error;
  const auto own = call.state.type_names.find(found);
  // Predefined types have names from the start, others have not (section 6.8).
  const char* name = call.state.types.contains(found) ? "" : found->name;
  if (own != call.state.type_names.end()) name = own->second.c_str();
  *resultlen = std::snprintf(type_name, MPI_MAX_OBJECT_NAME, "%s", name);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Type_get_name);
