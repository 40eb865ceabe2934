// What is wrong with the arguments of a call.
#include <cstring>

#include "call.hpp"
#include "handles/freed_handles.hpp"

namespace orrery::mpi {
namespace {

// The first page is never mapped, so an "address" in it is a null pointer with an offset.
constexpr std::uintptr_t first_page_bytes = 4096;

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

}  // namespace

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
  return fail(communicator, {MPI_ERR_TYPE, Misuse::overlapping_buffers},
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

}  // namespace orrery::mpi
