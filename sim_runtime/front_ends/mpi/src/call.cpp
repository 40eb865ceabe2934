#include "call.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "freed_handles.hpp"
#include "operation_scope.hpp"
#include "requests.hpp"

namespace orrery::mpi {
namespace {

// The first page is never mapped, so an "address" in it is a null pointer with an offset.
constexpr std::uintptr_t first_page_bytes = 4096;

// The machine does not come back from a finding.
[[noreturn]] void report(const Call& call, Misuse misuse) {
  call.table.finding(finding_title(misuse), call.state.message, call.pc);
  std::abort();
}

[[noreturn]] void report(const Call& call, Misuse misuse, const OrreryPlace& there) {
  const OrreryPlace here{call.state.rank, call.pc, "failed here"};
  call.table.finding_between(finding_title(misuse), call.state.message, &here, &there);
  std::abort();
}

void compose(const Call& call, const char* format, va_list arguments) {
  char* text = call.state.message;
  const std::size_t room = sizeof(call.state.message);
  const int used = std::snprintf(text, room, "%s: ", call.name);
  if (used > 0)
    std::vsnprintf(text + used, room - static_cast<std::size_t>(used), format, arguments);
}

const ErrorOwner& owner_of(const Call& call, const ErrorOwner* owner) {
  return owner != nullptr ? *owner : call.state.world;
}

// An error that does not end the job: the program's handler is called, if it has one; the call
// returns the code.
int tell(const Call& call, const ErrorOwner* owner, int code) {
  tell_of_error(call.state, owner_of(call, owner), code);
  return code;
}

/// What the count and the type that go with a buffer are called.
struct DataArguments {
  const char* count;
  const char* type;
};

DataArguments arguments_beside(const char* buffer_argument) {
  const auto is = [&](const char* name) { return std::strcmp(buffer_argument, name) == 0; };
  if (is("sendbuf")) return {"sendcount", "sendtype"};
  if (is("recvbuf")) return {"recvcount", "recvtype"};
  if (is("inbuf")) return {"incount", "datatype"};
  if (is("outbuf")) return {"outcount", "datatype"};
  return {"count", "datatype"};
}

[[noreturn]] void fail_outside(const char* name) {
  std::fprintf(stderr,
               "orrery: %s was called outside a simulated process. This copy of libmpi.so.40 works "
               "only under `orrery run`, `explore` and `replay`; to run on real MPI, start the "
               "program with mpirun and without Orrery's library path.\n",
               name);
  std::fflush(stderr);
  _exit(2);
}

}  // namespace

int Call::fail(const ErrorOwner* owner, int code, const char* format, ...) const {
  if (!owner_of(*this, owner).errors->is_fatal()) return tell(*this, owner, code);
  va_list arguments;
  va_start(arguments, format);
  compose(*this, format, arguments);
  va_end(arguments);
  report(*this, misuse_of(code));
}

int Call::fail(const ErrorOwner* owner, int code, Misuse misuse, const char* format, ...) const {
  if (!owner_of(*this, owner).errors->is_fatal()) return tell(*this, owner, code);
  va_list arguments;
  va_start(arguments, format);
  compose(*this, format, arguments);
  va_end(arguments);
  report(*this, misuse);
}

int Call::fail_between(const ErrorOwner* owner, int code, const OrreryPlace& there,
                       const char* format, ...) const {
  if (!owner_of(*this, owner).errors->is_fatal()) return tell(*this, owner, code);
  va_list arguments;
  va_start(arguments, format);
  compose(*this, format, arguments);
  va_end(arguments);
  report(*this, misuse_of(code), there);
}

int Call::fail_between(const ErrorOwner* owner, int code, Misuse misuse, const OrreryPlace& there,
                       const char* format, ...) const {
  if (!owner_of(*this, owner).errors->is_fatal()) return tell(*this, owner, code);
  va_list arguments;
  va_start(arguments, format);
  compose(*this, format, arguments);
  va_end(arguments);
  report(*this, misuse, there);
}

void Call::fail_always_between(Misuse misuse, const OrreryPlace& there, const char* format,
                               ...) const {
  va_list arguments;
  va_start(arguments, format);
  compose(*this, format, arguments);
  va_end(arguments);
  report(*this, misuse, there);
}

void Call::fail_always_between(const OrreryPlace& there, const char* format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  compose(*this, format, arguments);
  va_end(arguments);
  report(*this, Misuse::error, there);
}

void Call::fail_always(Misuse misuse, const char* format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  compose(*this, format, arguments);
  va_end(arguments);
  report(*this, misuse);
}

void Call::fail_always(const char* format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  compose(*this, format, arguments);
  va_end(arguments);
  report(*this, Misuse::error);
}

int Call::fail_connection(const Communicator& communicator, std::int32_t peer) const {
  if (!communicator.errors->is_fatal()) return tell(*this, &communicator, MPI_ERR_OTHER);
  constexpr std::size_t room = sizeof(state.message);
  if (peer == MPI_ANY_SOURCE) {
    std::snprintf(state.message, room,
                  "%s: the connection to a rank of %s is broken, so what this call waits for may "
                  "never come; MPI_ERRORS_ARE_FATAL ends the job (MPI 3.1, section 2.8)",
                  name, communicator.name);
  } else {
    std::snprintf(state.message, room,
                  "%s: the connection to rank %d of %s is broken; MPI_ERRORS_ARE_FATAL ends the "
                  "job (MPI 3.1, section 2.8)",
                  name, peer, communicator.name);
  }
  table.finding("exit", state.message, pc);
  std::abort();
}

Communicator* Call::find_communicator(MPI_Comm handle) const {
  if (handle == MPI_COMM_WORLD) return &state.world;
  if (state.communicators.contains(handle)) return handle->freed ? nullptr : handle;
  const auto header = find_predefined(handle, HandleKind::communicator);
  if (!header) return nullptr;
  switch (static_cast<PredefinedCommunicator>(header->index)) {
    case PredefinedCommunicator::world: return &state.world;
    case PredefinedCommunicator::self: return &state.self;
    case PredefinedCommunicator::null: break;
  }
  return nullptr;
}

const Datatype* Call::find_type(MPI_Datatype handle) const {
  if (state.types.contains(handle)) return handle->freed ? nullptr : handle;
  const auto header = find_predefined(handle, HandleKind::datatype);
  if (!header || static_cast<Builtin>(header->index) == Builtin::none) return nullptr;
  return &builtin_type(static_cast<Builtin>(header->index));
}

const Operation* Call::find_operation(MPI_Op handle, Operation& builtin) const {
  if (state.operations.contains(handle)) return handle;
  const auto header = find_predefined(handle, HandleKind::operation);
  if (!header || static_cast<BuiltinOperation>(header->index) == BuiltinOperation::none)
    return nullptr;
  builtin.builtin = static_cast<BuiltinOperation>(header->index);
  return &builtin;
}

int Call::check_communicator(MPI_Comm handle, Communicator*& found) const {
  found = find_communicator(handle);
  if (found != nullptr) return MPI_SUCCESS;
  const auto header = find_predefined(handle, HandleKind::communicator);
  if (header || handle == nullptr)
    return fail(nullptr, MPI_ERR_COMM,
                "argument comm is %s, where a communicator is needed "
                "(MPI 3.1, section 6.2.4)",
                header ? "MPI_COMM_NULL" : "a null pointer");
  if (state.communicators.owns(handle))
    return fail_freed(*this, nullptr, MPI_ERR_COMM, handle->header, "comm", "a communicator",
                      "6.4.3");
  return fail(nullptr, MPI_ERR_COMM, "argument comm is no communicator (MPI 3.1, section 6.4.3)");
}

int Call::check_type(const Communicator* communicator, MPI_Datatype handle, const char* argument,
                     const Datatype*& found) const {
  found = find_type(handle);
  if (found == nullptr) {
    const char* what = "no datatype";
    if (handle == nullptr) what = "a null pointer";
    if (find_predefined(handle, HandleKind::datatype)) what = "MPI_DATATYPE_NULL";
    if (state.types.owns(handle))
      return fail_freed(*this, communicator, MPI_ERR_TYPE, handle->header, argument, "a type",
                        "4.1.9");
    return fail(communicator, MPI_ERR_TYPE, "argument %s is %s (MPI 3.1, section 4.1)", argument,
                what);
  }
  return MPI_SUCCESS;
}

int Call::check_count(const Communicator* communicator, int count, const char* argument) const {
  if (count >= 0) return MPI_SUCCESS;
  return fail(communicator, MPI_ERR_COUNT,
              "argument %s is %d, and must not be negative (MPI 3.1, section 3.2.2)", argument,
              count);
}

int Call::check_buffer(const Communicator* communicator, const void* buffer, const Datatype& type,
                       std::size_t count, const char* argument) const {
  if (count == 0 || type.size_bytes == 0) return MPI_SUCCESS;
  if (buffer == MPI_IN_PLACE)
    return fail(communicator, MPI_ERR_BUFFER,
                "argument %s is MPI_IN_PLACE, which this argument of this call may not be (MPI "
                "3.1, section 5.2.1)",
                argument);
  // MPI_BOTTOM is a null pointer too, and fine with a type that is made of absolute addresses.
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer) +
                     static_cast<std::uintptr_t>(footprint(type, count).begin_bytes);
  if (begin >= first_page_bytes) return MPI_SUCCESS;
  return fail(communicator, MPI_ERR_BUFFER,
              "argument %s is a null pointer, and %zu elements of %s do not fit there (MPI 3.1, "
              "section 3.2.2)",
              argument, count, type.name);
}

int Call::check_data(const Communicator* communicator, const void* buffer, int count,
                     MPI_Datatype handle, const char* buffer_argument,
                     const Datatype*& found) const {
  found = find_type(handle);
  // What is mostly the case: nothing more is to be seen than this.
  if (found != nullptr && found->committed && found->is_contiguous() && count >= 0 &&
      reinterpret_cast<std::uintptr_t>(buffer) >= first_page_bytes)
    return MPI_SUCCESS;
  const auto [count_argument, type_argument] = arguments_beside(buffer_argument);
  if (const int error = check_count(communicator, count, count_argument)) return error;
  if (const int error = check_type(communicator, handle, type_argument, found)) return error;
  if (!found->committed)
    return fail(communicator, MPI_ERR_TYPE,
                "argument %s is a type that was not committed with MPI_Type_commit (MPI 3.1, "
                "section 4.1.9)",
                type_argument);
  const auto elements = static_cast<std::size_t>(count);
  if (const int error = check_buffer(communicator, buffer, *found, elements, buffer_argument))
    return error;
  if (std::strcmp(buffer_argument, "recvbuf") != 0) return MPI_SUCCESS;
  return check_no_overlap(communicator, *found, elements, type_argument);
}

int Call::check_no_overlap(const Communicator* communicator, const Datatype& type,
                           std::size_t count, const char* argument) const {
  if (!overlaps(type, count)) return MPI_SUCCESS;
  return fail(communicator, MPI_ERR_TYPE,
              "argument %s has entries that lie over each other (in %zu elements), so that what is "
              "received is not defined (MPI 3.1, section 4.1.11)",
              argument, count);
}

int Call::check_destination(const Communicator& communicator, int rank) const {
  if (rank == MPI_PROC_NULL || (rank >= 0 && rank < communicator.peers().size()))
    return MPI_SUCCESS;
  if (rank == MPI_ANY_SOURCE)
    return fail(&communicator, MPI_ERR_RANK,
                "argument dest is MPI_ANY_SOURCE, but a message must be sent to one rank (MPI 3.1, "
                "section 3.2.3)");
  return fail(&communicator, MPI_ERR_RANK,
              "argument dest is %d, but the ranks of %s are 0 to %d (MPI 3.1, section 3.2.3)", rank,
              communicator.name, communicator.peers().size() - 1);
}

int Call::check_source(const Communicator& communicator, int rank) const {
  if (rank == MPI_PROC_NULL || rank == MPI_ANY_SOURCE ||
      (rank >= 0 && rank < communicator.peers().size()))
    return MPI_SUCCESS;
  return fail(&communicator, MPI_ERR_RANK,
              "argument source is %d, but the ranks of %s are 0 to %d (MPI 3.1, section 3.2.4)",
              rank, communicator.name, communicator.peers().size() - 1);
}

int Call::check_send_tag(const Communicator& communicator, int tag) const {
  if (tag >= 0) return MPI_SUCCESS;
  return fail(&communicator, MPI_ERR_TAG,
              "argument tag is %d, and the tag of a message must not be negative (MPI 3.1, section "
              "3.2.3)",
              tag);
}

int Call::check_receive_tag(const Communicator& communicator, int tag) const {
  if (tag >= 0 || tag == MPI_ANY_TAG) return MPI_SUCCESS;
  return fail(
      &communicator, MPI_ERR_TAG,
      "argument tag is %d, and must be MPI_ANY_TAG or not negative (MPI 3.1, section 3.2.4)", tag);
}

int Call::check_root(const Communicator& communicator, int root) const {
  if (root >= 0 && root < communicator.size) return MPI_SUCCESS;
  return fail(&communicator, MPI_ERR_ROOT,
              "argument root is %d, but the ranks of %s are 0 to %d (MPI 3.1, section 5.1)", root,
              communicator.name, communicator.size - 1);
}

int Call::check_result(const void* pointer, const char* argument) const {
  if (pointer != nullptr) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_ARG, "argument %s is a null pointer, and the result goes there",
              argument);
}

int Call::check_input(const void* pointer, const char* argument) const {
  if (pointer != nullptr) return MPI_SUCCESS;
  return fail(nullptr, MPI_ERR_ARG, "argument %s is a null pointer, and is read by this call",
              argument);
}

Call enter_any_time(const char* name, void* return_address) {
  Job* const job = current_job();
  RankState* const state = job == nullptr ? nullptr : job->current_rank();
  if (state == nullptr) fail_outside(name);
  const auto pc = reinterpret_cast<std::uintptr_t>(return_address);
  state->site = {name, pc};
  return {name, pc, *job, *state, job->table()};
}

Call enter(const char* name, void* return_address) {
  const Call call = enter_any_time(name, return_address);
  if (call.state.phase == Phase::before_init)
    call.fail_always(Misuse::outside_init_and_finalize,
                     "called before MPI_Init (MPI 3.1, section 8.7)");
  if (call.state.phase == Phase::finalized)
    call.fail_always(Misuse::outside_init_and_finalize,
                     "called after MPI_Finalize (MPI 3.1, section 8.7)");
  call.state.recent_calls.note(call.pc, name);
  call.state.wtime_repeats = 0;
  if (call.state.orphan_count > 0) collect_orphans(call);
  if (!call.state.operation_stacks.empty()) check_not_in_operation(call);
  return call;
}

void release(RankState& state, Communicator& communicator) {
  if (--communicator.references > 0) return;
  // The slot is used again only much later; what it held is free now.
  communicator.group.reset();
  communicator.remote.reset();
  communicator.topology.reset();
  let_go_of_handler(state, communicator);
  communicator.hints.clear();
  if (communicator.tracked) current_job()->contexts().release(communicator.context);
  state.communicators.destroy(&communicator);
}

void release(RankState& state, const Datatype& type) {
  if (!state.types.contains(&type)) return;
  if (type.references > 0) --type.references;
  if (!type.freed || type.references != 0) return;
  auto* const gone = const_cast<Datatype*>(&type);
  static_cast<TypeShape&>(*gone) = {};
  state.type_names.erase(gone);
  state.types.destroy(gone);
}

}  // namespace orrery::mpi
