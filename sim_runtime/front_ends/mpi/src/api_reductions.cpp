// MPI 3.1, section 5.9: reductions and their operations.
#include "collectives.hpp"

using namespace orrery::mpi;

#define ORRERY_CALL(name) enter(name, __builtin_return_address(0))

namespace {

// Checked arguments of a reduction.
struct Arguments {
  Communicator* communicator = nullptr;
  const Datatype* type = nullptr;
  Operation operation;
  const void* contribution = nullptr;  // where this rank's elements are
};

// `has_result`: this rank gets the result, and may reduce in place.
int check(const Call& call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
          MPI_Op op, bool has_result, Arguments& arguments) {
  const Communicator& communicator = *arguments.communicator;
  if (has_result) {
    if (const int error =
            call.check_data(&communicator, recvbuf, count, datatype, "recvbuf", arguments.type))
      return error;
  }
  arguments.contribution = has_result && sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  if (arguments.contribution == sendbuf) {
    if (const int error =
            call.check_data(&communicator, sendbuf, count, datatype, "sendbuf", arguments.type))
      return error;
    if (has_result && sendbuf == recvbuf && count > 0)
      return call.fail(
          &communicator, MPI_ERR_BUFFER,
          "arguments sendbuf and recvbuf are the same memory; MPI_IN_PLACE is for that "
          "(MPI 3.1, section 5.2.1)");
  }
  return check_reduction(call, communicator, op, *arguments.type, arguments.operation);
}

CollectiveCall describe_reduction(const Call& call, const Arguments& arguments, int count,
                                  int root) {
  CollectiveCall description;
  description.name = call.name;
  description.root = root;
  description.operation = name_of(arguments.operation);
  description.data = signature(*arguments.type, static_cast<std::size_t>(count));
  description.count = static_cast<std::uint64_t>(count);
  description.type = arguments.type->name;
  return description;
}

// Along the chain of ranks: everybody adds their own to what all before them have.
void scan(const Collective& collective, const Reduction& reduction, const void* contribution,
          void* result) {
  const Datatype& type = reduction.type;
  const auto count = static_cast<std::size_t>(reduction.count);
  const TypedScratch mine(collective.scratch(), type, count);
  const TypedScratch before(collective.scratch(), type, count);
  const Scratch packed(collective.scratch(), reduction.size_bytes());
  copy_elements(collective.scratch(), type, count, contribution, type, count, mine.buffer());
  if (collective.rank() > 0) {
    collective.receive(collective.rank() - 1, packed.data(), reduction.size_bytes());
    unpack(type, count, before.buffer(), packed.data(), reduction.size_bytes());
    reduce_local(reduction.operation, type, reduction.handle, before.buffer(), mine.buffer(),
                 reduction.count);
  }
  pack(type, count, mine.buffer(), packed.data());
  if (collective.rank() + 1 < collective.size())
    collective.send(collective.rank() + 1, packed.data(), reduction.size_bytes());
  unpack(type, count, result, packed.data(), reduction.size_bytes());
}

}  // namespace

ORRERY_MPI_API int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, int root, MPI_Comm comm) {
  const Call call = ORRERY_CALL("MPI_Reduce");
  Arguments arguments;
  if (const int error = call.check_communicator(comm, arguments.communicator)) return error;
  if (const int error = call.check_root(*arguments.communicator, root)) return error;
  const bool is_root = arguments.communicator->rank == root;
  if (const int error = check(call, sendbuf, recvbuf, count, datatype, op, is_root, arguments))
    return error;
  const Collective collective(call, *arguments.communicator,
                              describe_reduction(call, arguments, count, root));
  const Reduction reduction{arguments.operation, *arguments.type, datatype, count};
  reduce(collective, reduction, root, arguments.contribution, recvbuf);
  return collective.error();
}
ORRERY_PROFILED(MPI_Reduce);

ORRERY_MPI_API int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  const Call call = ORRERY_CALL("MPI_Allreduce");
  Arguments arguments;
  if (const int error = call.check_communicator(comm, arguments.communicator)) return error;
  if (const int error = check(call, sendbuf, recvbuf, count, datatype, op, true, arguments))
    return error;
  const Collective collective(call, *arguments.communicator,
                              describe_reduction(call, arguments, count, -1));
  const Reduction reduction{arguments.operation, *arguments.type, datatype, count};
  // Reduced once and sent out, so that all ranks have the same bits.
  reduce(collective, reduction, 0, arguments.contribution, recvbuf);
  const Scratch packed(call.state.scratch, reduction.size_bytes());
  const auto elements = static_cast<std::size_t>(count);
  if (collective.rank() == 0) pack(*arguments.type, elements, recvbuf, packed.data());
  collective.broadcast(0, packed.data(), reduction.size_bytes());
  if (collective.rank() != 0)
    unpack(*arguments.type, elements, recvbuf, packed.data(), reduction.size_bytes());
  return collective.error();
}
ORRERY_PROFILED(MPI_Allreduce);

ORRERY_MPI_API int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm) {
  const Call call = ORRERY_CALL("MPI_Scan");
  Arguments arguments;
  if (const int error = call.check_communicator(comm, arguments.communicator)) return error;
  if (const int error = check(call, sendbuf, recvbuf, count, datatype, op, true, arguments))
    return error;
  const Collective collective(call, *arguments.communicator,
                              describe_reduction(call, arguments, count, -1));
  scan(collective, {arguments.operation, *arguments.type, datatype, count}, arguments.contribution,
       recvbuf);
  return collective.error();
}
ORRERY_PROFILED(MPI_Scan);

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
  if (!call.state.operations.contains(*op))
    return call.fail(nullptr, MPI_ERR_OP,
                     "argument op is %s, and only what MPI_Op_create made can be freed, once (MPI "
                     "3.1, section 5.9.5)",
                     find_predefined(*op, HandleKind::operation) ? "predefined or MPI_OP_NULL"
                     : call.state.operations.owns(*op)           ? "an operation that was freed"
                                                                 : "no operation");
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
