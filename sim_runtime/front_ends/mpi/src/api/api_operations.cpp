// MPI 3.1, sections 5.9.5 to 5.9.7: operations of reductions.
#include "collectives/reductions.hpp"
#include "handles/freed_handles.hpp"

using namespace orrery::mpi;

ORRERY_MPI_API int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  const Call call = ORRERY_CALL("MPI_Op_create");
  if (function == nullptr)
    return call.fail(nullptr, MPI_ERR_ARG,
                     "argument user_fn is a null pointer (MPI 3.1, section 5.9.5)");
  if (const int error = call.check_result(op, "op")) return error;
  Operation* const operation = call.state.operations.create();
  operation->function = function;
  operation->commutative = commute != 0;
  *op = operation;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Op_create);

ORRERY_MPI_API int MPI_Op_free(MPI_Op* op) {
  const Call call = ORRERY_CALL("MPI_Op_free");
  if (const int error = call.check_result(op, "op")) return error;
  if (call.state.operations.owns(*op) && !call.state.operations.contains(*op))
    return fail_freed(call, nullptr, MPI_ERR_OP, (*op)->header, "op", "an operation", "5.9.5");
  if (!call.state.operations.contains(*op))
    return call.fail(
        nullptr, MPI_ERR_OP,
        "argument op is %s, and only what MPI_Op_create made can be freed, once (MPI "
        "3.1, section 5.9.5)",
        find_predefined(*op, HandleKind::operation) ? "predefined or MPI_OP_NULL" : "no operation");
  call.state.operations.destroy(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Op_free);

ORRERY_MPI_API int MPI_Op_commutative(MPI_Op op, int* commute) {
  const Call call = ORRERY_CALL("MPI_Op_commutative");
  Operation builtin;
  const Operation* const operation = call.find_operation(op, builtin);
  if (operation == nullptr)
    return call.fail(nullptr, MPI_ERR_OP, "argument op is no operation (MPI 3.1, section 5.9)");
  if (const int error = call.check_result(commute, "commute")) return error;
  *commute = operation->commutative ? 1 : 0;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Op_commutative);

ORRERY_MPI_API int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count,
                                    MPI_Datatype datatype, MPI_Op op) {
  const Call call = ORRERY_CALL("MPI_Reduce_local");
  const Datatype* type = nullptr;
  if (const int error = call.check_data(nullptr, inbuf, count, datatype, "inbuf", type))
    return error;
  if (const int error = call.check_data(nullptr, inoutbuf, count, datatype, "inoutbuf", type))
    return error;
  if (inbuf == inoutbuf && count > 0)
    return call.fail(nullptr, MPI_ERR_BUFFER,
                     "arguments inbuf and inoutbuf are the same memory (MPI 3.1, section 2.3)");
  Operation operation;
  if (const int error = check_reduction(call, call.state.world, op, *type, operation)) return error;
  if (count > 0)
    reduce_local(operation, *type, datatype, const_cast<void*>(inbuf), inoutbuf, count);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Reduce_local);
