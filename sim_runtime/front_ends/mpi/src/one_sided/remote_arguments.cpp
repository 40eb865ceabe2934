#include "remote_arguments.hpp"

#include "collectives/reductions.hpp"
#include "epochs.hpp"
#include "remote_memory.hpp"
#include "types/derived_types.hpp"

namespace orrery::mpi {
namespace {

constexpr std::uintptr_t first_page_bytes = 4096;

/// One of the buffers of a call.
struct Side {
  const char* name;  ///< of its arguments, before `_count` and `_datatype`
  const void* buffer = nullptr;
  bool is_here = false;  ///< it has an address; at the target, a displacement
  int count = 0;
  MPI_Datatype handle = nullptr;
};

int check_side(const Call& call, const Window& window, const Side& side, const Datatype*& found) {
  if (side.count < 0)
    return call.fail(&window, MPI_ERR_COUNT,
                     "argument %s_count is %d, and must not be negative (MPI 3.1, section 11.3.1)",
                     side.name, side.count);
  found = call.find_type(side.handle);
  if (found == nullptr) {
    const char* what = "no datatype";
    if (side.handle == nullptr) what = "a null pointer";
    if (find_predefined(side.handle, HandleKind::datatype)) what = "MPI_DATATYPE_NULL";
    if (call.state.types.owns(side.handle)) what = "a type that was freed";
    return call.fail(&window, MPI_ERR_TYPE, "argument %s_datatype is %s (MPI 3.1, section 4.1)",
                     side.name, what);
  }
  if (!found->committed)
    return call.fail(&window, MPI_ERR_TYPE,
                     "argument %s_datatype is a type that was not committed with MPI_Type_commit "
                     "(MPI 3.1, section 4.1.9)",
                     side.name);
  const auto count = static_cast<std::size_t>(side.count);
  if (!side.is_here || count == 0 || found->size_bytes == 0) return MPI_SUCCESS;
  const auto begin = reinterpret_cast<std::uintptr_t>(side.buffer) +
                     static_cast<std::uintptr_t>(footprint(*found, count).begin_bytes);
  if (begin >= first_page_bytes && side.buffer != MPI_IN_PLACE) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_BUFFER,
                   "argument %s_addr is %s, and %d elements of %s do not fit there (MPI 3.1, "
                   "section 11.3.1)",
                   side.name, side.buffer == MPI_IN_PLACE ? "MPI_IN_PLACE" : "a null pointer",
                   side.count, found->name);
}

// The data go from one buffer to the other as if by a send and a receive (section 11.3.1).
int check_fit(const Call& call, const Window& window, const char* from_name, const Datatype& from,
              std::size_t from_count, const char* to_name, const Datatype& to,
              std::size_t to_count) {
  const std::size_t size = from.size_bytes * from_count;
  const std::size_t room = to.size_bytes * to_count;
  if (size > room)
    return call.fail(&window, MPI_ERR_TRUNCATE,
                     "%zu elements of %s at the %s (%zu bytes) do not fit into %zu elements of %s "
                     "at the %s (%zu bytes) (MPI 3.1, section 11.3.1)",
                     from_count, from.name, from_name, size, to_count, to.name, to_name, room);
  if (signature(from, from_count) == signature(to, to_count, size)) return MPI_SUCCESS;
  return call.fail(&window, MPI_ERR_TYPE,
                   "%zu elements of %s at the %s go to %s at the %s: their type signatures differ "
                   "(MPI 3.1, sections 11.3.1 and 3.3.1)",
                   from_count, from.name, from_name, to.name, to_name);
}

// Section 11.3.4: a predefined operation, and a type that is made of one predefined type.
int check_operation(const Call& call, const Window& window, MPI_Op handle, bool fetches,
                    const Datatype& type, RemoteOperation& operation) {
  Operation builtin;
  const Operation* const found = call.find_operation(handle, builtin);
  if (found == nullptr)
    return call.fail(
        &window, MPI_ERR_OP, "argument op is %s (MPI 3.1, section 11.3.4)",
        call.state.operations.owns(handle) ? "an operation that was freed" : "no operation");
  if (found->function != nullptr)
    return call.fail(&window, MPI_ERR_OP,
                     "argument op is an operation of the program, and only predefined ones work "
                     "on windows (MPI 3.1, section 11.3.4)");
  const Builtin pair = pair_made_of(type);
  const bool is_pair = pair != Builtin::none;
  Builtin basic = Builtin::none;
  bool is_mixed = false;
  for_each_run(type, 1, [&](std::ptrdiff_t, Builtin other, std::size_t) {
    is_mixed = is_mixed || (basic != Builtin::none && other != basic);
    basic = other;
  });
  if (is_mixed && !is_pair)
    return call.fail(&window, MPI_ERR_TYPE,
                     "argument target_datatype is made of several predefined types, and an "
                     "accumulate needs one (MPI 3.1, section 11.3.4)");
  operation.operation = found->builtin;
  if (found->builtin == BuiltinOperation::replace) return MPI_SUCCESS;
  if (found->builtin == BuiltinOperation::no_op) {
    if (fetches) return MPI_SUCCESS;
    return call.fail(&window, MPI_ERR_OP,
                     "argument op is MPI_NO_OP, which only calls that fetch know (MPI 3.1, section "
                     "11.3.4)");
  }
  if (basic == Builtin::none) return MPI_SUCCESS;
  const Datatype& element = builtin_type(is_pair ? pair : basic);
  Operation checked;
  const int error = check_reduction(call, window.communicator, handle, element, checked);
  // Told to the window's own handler, too.
  return error == MPI_SUCCESS ? error : call.fail(&window, error, "the operation is not defined");
}

int check_range(const Call& call, const Window& window, const RemoteOperation& operation) {
  const SharedWindow& shared = *window.shared;
  if (shared.is_dynamic || place_at_target(shared, operation).is_inside) return MPI_SUCCESS;
  const WindowPart& part = shared.parts[static_cast<std::size_t>(operation.target)];
  const Footprint range = footprint(*operation.target_type, operation.target_count);
  const std::ptrdiff_t offset = operation.displacement * part.displacement_unit;
  return call.fail(&window, MPI_ERR_RMA_RANGE,
                   "the bytes %td to %td of rank %d's part of %s (displacement %td in units of %d "
                   "bytes, %zu elements of %s) are not all among its %zu (MPI 3.1, section 11.3)",
                   offset + range.begin_bytes, offset + range.end_bytes, operation.target,
                   window.name, operation.displacement, part.displacement_unit,
                   operation.target_count, operation.target_type->name, part.memory.size_bytes);
}

int check_fits(const Call& call, const Window& window, const RemoteOperation& operation) {
  const Datatype& target = *operation.target_type;
  if (const Datatype* const origin = operation.origin_type; origin != nullptr)
    if (const int error = check_fit(call, window, "origin", *origin, operation.origin_count,
                                    "target", target, operation.target_count))
      return error;
  const Datatype* const result = operation.result_type;
  if (result == nullptr) return MPI_SUCCESS;
  return check_fit(call, window, "target", target, operation.target_count, "origin", *result,
                   operation.result_count);
}

// Nobody may write to a type whose elements lie over each other (section 11.3.1).
int check_overlaps(const Call& call, const Window& window, const RemoteOperation& operation) {
  const auto check = [&](const char* name, const Datatype& type, std::size_t count) {
    if (!overlaps(type, count)) return MPI_SUCCESS;
    return call.fail(&window, MPI_ERR_TYPE,
                     "argument %s_datatype has elements that lie over each other, and something "
                     "is written there (MPI 3.1, section 11.3.1)",
                     name);
  };
  if (operation.kind != RemoteKind::get)
    if (const int error = check("target", *operation.target_type, operation.target_count))
      return error;
  if (operation.result_type == nullptr) return MPI_SUCCESS;
  return check(operation.kind == RemoteKind::get ? "origin" : "result", *operation.result_type,
               operation.result_count);
}

}  // namespace

int check_remote(const Call& call, Window& window, const RemoteArguments& arguments,
                 RemoteOperation& operation) {
  const bool is_atomic = arguments.kind != RemoteKind::put && arguments.kind != RemoteKind::get;
  const bool has_operation = is_atomic && arguments.kind != RemoteKind::compare_and_swap;
  const bool fetches = is_atomic && arguments.kind != RemoteKind::accumulate;
  operation.kind = arguments.kind;
  operation.target = arguments.target_rank;
  operation.displacement = arguments.target_displacement;
  operation.target_count = static_cast<std::size_t>(arguments.target_count);
  const Side target{"target", nullptr, false, arguments.target_count, arguments.target_type};
  if (const int error = check_side(call, window, target, operation.target_type)) return error;
  window.communicator.errors = window.errors;
  if (has_operation)
    if (const int error = check_operation(call, window, arguments.operation, fetches,
                                          *operation.target_type, operation))
      return error;
  // What is not accumulated is not looked at (section 11.3.4).
  const bool has_origin =
      arguments.kind != RemoteKind::get && operation.operation != BuiltinOperation::no_op;
  if (has_origin) {
    operation.origin = arguments.origin;
    operation.origin_count = static_cast<std::size_t>(arguments.origin_count);
    const Side side{"origin", arguments.origin, true, arguments.origin_count,
                    arguments.origin_type};
    if (const int error = check_side(call, window, side, operation.origin_type)) return error;
  }
  if (fetches || arguments.kind == RemoteKind::get) {
    operation.result = arguments.result;
    operation.result_count = static_cast<std::size_t>(arguments.result_count);
    const Side side{arguments.kind == RemoteKind::get ? "origin" : "result", arguments.result, true,
                    arguments.result_count, arguments.result_type};
    if (const int error = check_side(call, window, side, operation.result_type)) return error;
  }
  if (const int error = check_overlaps(call, window, operation)) return error;
  if (arguments.target_rank == MPI_PROC_NULL) return MPI_SUCCESS;
  if (const int error = check_access(call, window, arguments.target_rank, operation.period))
    return error;
  if (const int error = check_fits(call, window, operation)) return error;
  return check_range(call, window, operation);
}

}  // namespace orrery::mpi
