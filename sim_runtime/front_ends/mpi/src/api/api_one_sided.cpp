// MPI 3.1, section 11.3: puts, gets and accumulates.
#include <cstring>
#include <optional>

#include "one_sided/epochs.hpp"
#include "one_sided/remote_arguments.hpp"
#include "one_sided/remote_memory.hpp"
#include "one_sided/remote_operations.hpp"

using namespace orrery::mpi;

namespace {

// What goes to the target: the program's own memory if it is one run, else a packed copy.
class OutgoingData {
 public:
  OutgoingData(const Call& call, const RemoteOperation& operation, const void* compare)
      : data_(operation.origin) {
    const Datatype* const type = operation.origin_type;
    const bool swaps = operation.kind == RemoteKind::compare_and_swap;
    if (type == nullptr || (type->is_contiguous() && !swaps)) return;
    copy_.emplace(call.state.scratch, bytes_to_target(operation));
    pack(*type, operation.origin_count, operation.origin, copy_->data());
    if (swaps) pack(*type, 1, compare, copy_->data() + type->size_bytes);
    data_ = copy_->data();
  }
  [[nodiscard]] const void* data() const { return data_; }

 private:
  std::optional<Scratch> copy_;
  const void* data_;
};

// MPI_Win_lock_all locks a target when it is accessed first.
int lock_if_needed(const Call& call, Window& window, std::int32_t target) {
  if (!window.epochs.has_locked_all) return MPI_SUCCESS;
  Epochs::Lock& lock = lock_of(window, target);
  if (lock.is_taken) return MPI_SUCCESS;
  lock.is_taken = true;
  return take_lock(call, window, target, false, false);
}

int start(const Call& call, const RemoteArguments& arguments, MPI_Win win,
          MPI_Request* request = nullptr, bool wants_request = false) {
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  if (wants_request)
    if (const int error = call.check_result(request, "request")) return error;
  if (const int error = check_target(call, *window, arguments.target_rank, "target_rank", true))
    return error;
  RemoteOperation checked;
  if (const int error = check_remote(call, *window, arguments, checked)) return error;
  if (arguments.target_rank == MPI_PROC_NULL) {
    if (wants_request) *request = make_null_request(call);
    return MPI_SUCCESS;
  }
  if (wants_request)
    if (const int error = check_passive(call, *window, arguments.target_rank)) return error;
  if (const int error = lock_if_needed(call, *window, arguments.target_rank)) return error;
  checked.has_request = wants_request;
  const std::uint32_t number = call.job.remote_operations().add(checked);
  const OutgoingData outgoing(call, checked, arguments.compare);
  start_remote(call, *window, number, outgoing.data());
  if (wants_request) *request = make_remote_request(call, number);
  return MPI_SUCCESS;
}

RemoteArguments put_arguments(const void* origin, int origin_count, MPI_Datatype origin_type,
                              int target_rank, MPI_Aint displacement, int target_count,
                              MPI_Datatype target_type) {
  RemoteArguments arguments;
  arguments.origin = origin;
  arguments.origin_count = origin_count;
  arguments.origin_type = origin_type;
  arguments.target_rank = target_rank;
  arguments.target_displacement = displacement;
  arguments.target_count = target_count;
  arguments.target_type = target_type;
  return arguments;
}

RemoteArguments get_arguments(void* origin, int origin_count, MPI_Datatype origin_type,
                              int target_rank, MPI_Aint displacement, int target_count,
                              MPI_Datatype target_type) {
  RemoteArguments arguments;
  arguments.kind = RemoteKind::get;
  arguments.result = origin;
  arguments.result_count = origin_count;
  arguments.result_type = origin_type;
  arguments.target_rank = target_rank;
  arguments.target_displacement = displacement;
  arguments.target_count = target_count;
  arguments.target_type = target_type;
  return arguments;
}

RemoteArguments with_operation(RemoteArguments arguments, RemoteKind kind, MPI_Op op) {
  arguments.kind = kind;
  arguments.operation = op;
  return arguments;
}

RemoteArguments with_result(RemoteArguments arguments, void* result, int count, MPI_Datatype type) {
  arguments.result = result;
  arguments.result_count = count;
  arguments.result_type = type;
  return arguments;
}

// Fetch-and-op and compare-and-swap work on one element of a predefined type.
int check_single(const Call& call, MPI_Win win, MPI_Datatype handle, bool swaps) {
  Window* window = nullptr;
  if (const int error = check_window(call, win, window)) return error;
  const Datatype* const type = call.find_type(handle);
  const TypeClass type_class =
      type == nullptr ? TypeClass::none : describe(type->builtin()).type_class;
  // Section 11.3.4: integers, logicals, multi-language types and bytes can be compared.
  const bool fits = swaps ? type_class == TypeClass::integer || type_class == TypeClass::logical ||
                                type_class == TypeClass::byte || type_class == TypeClass::character
                          : type_class != TypeClass::none;
  if (fits) return MPI_SUCCESS;
  return call.fail(window, MPI_ERR_TYPE,
                   "argument datatype is %s, and must be a predefined %stype (MPI 3.1, section "
                   "11.3.4)",
                   type == nullptr ? "no datatype" : type->name,
                   swaps ? "integer, logical or byte " : "");
}

}  // namespace

ORRERY_MPI_API int MPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                           int target_rank, MPI_Aint target_disp, int target_count,
                           MPI_Datatype target_datatype, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Put");
  return start(call,
               put_arguments(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                             target_count, target_datatype),
               win);
}
ORRERY_PROFILED(MPI_Put);

ORRERY_MPI_API int MPI_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                            int target_rank, MPI_Aint target_disp, int target_count,
                            MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Rput");
  return start(call,
               put_arguments(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                             target_count, target_datatype),
               win, request, true);
}
ORRERY_PROFILED(MPI_Rput);

ORRERY_MPI_API int MPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                           int target_rank, MPI_Aint target_disp, int target_count,
                           MPI_Datatype target_datatype, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Get");
  return start(call,
               get_arguments(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                             target_count, target_datatype),
               win);
}
ORRERY_PROFILED(MPI_Get);

ORRERY_MPI_API int MPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                            int target_rank, MPI_Aint target_disp, int target_count,
                            MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Rget");
  return start(call,
               get_arguments(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                             target_count, target_datatype),
               win, request, true);
}
ORRERY_PROFILED(MPI_Rget);

ORRERY_MPI_API int MPI_Accumulate(const void* origin_addr, int origin_count,
                                  MPI_Datatype origin_datatype, int target_rank,
                                  MPI_Aint target_disp, int target_count,
                                  MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Accumulate");
  return start(call,
               with_operation(put_arguments(origin_addr, origin_count, origin_datatype, target_rank,
                                            target_disp, target_count, target_datatype),
                              RemoteKind::accumulate, op),
               win);
}
ORRERY_PROFILED(MPI_Accumulate);

ORRERY_MPI_API int MPI_Raccumulate(const void* origin_addr, int origin_count,
                                   MPI_Datatype origin_datatype, int target_rank,
                                   MPI_Aint target_disp, int target_count,
                                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                   MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Raccumulate");
  return start(call,
               with_operation(put_arguments(origin_addr, origin_count, origin_datatype, target_rank,
                                            target_disp, target_count, target_datatype),
                              RemoteKind::accumulate, op),
               win, request, true);
}
ORRERY_PROFILED(MPI_Raccumulate);

ORRERY_MPI_API int MPI_Get_accumulate(const void* origin_addr, int origin_count,
                                      MPI_Datatype origin_datatype, void* result_addr,
                                      int result_count, MPI_Datatype result_datatype,
                                      int target_rank, MPI_Aint target_disp, int target_count,
                                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Get_accumulate");
  const RemoteArguments arguments =
      put_arguments(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype);
  return start(call,
               with_result(with_operation(arguments, RemoteKind::get_accumulate, op), result_addr,
                           result_count, result_datatype),
               win);
}
ORRERY_PROFILED(MPI_Get_accumulate);

ORRERY_MPI_API int MPI_Rget_accumulate(const void* origin_addr, int origin_count,
                                       MPI_Datatype origin_datatype, void* result_addr,
                                       int result_count, MPI_Datatype result_datatype,
                                       int target_rank, MPI_Aint target_disp, int target_count,
                                       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                       MPI_Request* request) {
  const Call call = ORRERY_CALL("MPI_Rget_accumulate");
  const RemoteArguments arguments =
      put_arguments(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype);
  return start(call,
               with_result(with_operation(arguments, RemoteKind::get_accumulate, op), result_addr,
                           result_count, result_datatype),
               win, request, true);
}
ORRERY_PROFILED(MPI_Rget_accumulate);

ORRERY_MPI_API int MPI_Fetch_and_op(const void* origin_addr, void* result_addr,
                                    MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                                    MPI_Op op, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Fetch_and_op");
  if (const int error = check_single(call, win, datatype, false)) return error;
  const RemoteArguments arguments =
      put_arguments(origin_addr, 1, datatype, target_rank, target_disp, 1, datatype);
  return start(call,
               with_result(with_operation(arguments, RemoteKind::fetch_and_op, op), result_addr, 1,
                           datatype),
               win);
}
ORRERY_PROFILED(MPI_Fetch_and_op);

ORRERY_MPI_API int MPI_Compare_and_swap(const void* origin_addr, const void* compare_addr,
                                        void* result_addr, MPI_Datatype datatype, int target_rank,
                                        MPI_Aint target_disp, MPI_Win win) {
  const Call call = ORRERY_CALL("MPI_Compare_and_swap");
  if (const int error = check_single(call, win, datatype, true)) return error;
  if (const int error = call.check_result(compare_addr, "compare_addr")) return error;
  RemoteArguments arguments =
      put_arguments(origin_addr, 1, datatype, target_rank, target_disp, 1, datatype);
  arguments.kind = RemoteKind::compare_and_swap;
  arguments.compare = compare_addr;
  return start(call, with_result(arguments, result_addr, 1, datatype), win);
}
ORRERY_PROFILED(MPI_Compare_and_swap);
