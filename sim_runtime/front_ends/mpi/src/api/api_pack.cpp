// MPI 3.1, sections 4.2 and 4.3: packing and unpacking.
#include <climits>
#include <cstring>

#include "messages/requests.hpp"
#include "types/external32.hpp"

using namespace orrery::mpi;

namespace {

/// The packed side of a call: how much of it is used already.
struct PackBuffer {
  const void* memory;
  const char* memory_argument;
  std::ptrdiff_t size;
  const char* size_argument;
  std::ptrdiff_t position;
};

// Is there room, or data, for so many bytes more?
int check_pack_buffer(const Call& call, const Communicator* communicator, const PackBuffer& buffer,
                      std::size_t needed, const char* section) {
  if (buffer.size < 0)
    return call.fail(communicator, MPI_ERR_ARG,
                     "argument %s is %td, and must not be negative (MPI 3.1, section %s)",
                     buffer.size_argument, buffer.size, section);
  if (buffer.position < 0 || buffer.position > buffer.size)
    return call.fail(communicator, MPI_ERR_ARG,
                     "argument position is %td, and must be from 0 to %s, which is %td (MPI 3.1, "
                     "section %s)",
                     buffer.position, buffer.size_argument, buffer.size, section);
  const auto left = static_cast<std::size_t>(buffer.size - buffer.position);
  if (needed > left)
    return call.fail(communicator, MPI_ERR_TRUNCATE,
                     "%zu bytes are needed, but from position %td to the end of %s there are %zu "
                     "(MPI 3.1, section %s)",
                     needed, buffer.position, buffer.memory_argument, left, section);
  if (needed > 0 && buffer.memory == nullptr)
    return call.fail(communicator, MPI_ERR_BUFFER,
                     "argument %s is a null pointer (MPI 3.1, section %s)", buffer.memory_argument,
                     section);
  return MPI_SUCCESS;
}

int check_representation(const Call& call, const char* datarep) {
  if (const int error = call.check_result(datarep, "datarep")) return error;
  if (std::strcmp(datarep, "external32") == 0) return MPI_SUCCESS;
  return call.fail(
      nullptr, MPI_ERR_ARG,
      "argument datarep is \"%.40s\", and must be \"external32\" (MPI 3.1, section 4.3)", datarep);
}

}  // namespace

ORRERY_MPI_API int MPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
                            int outsize, int* position, MPI_Comm comm) {
  const Call call = ORRERY_CALL("MPI_Pack");
  Communicator* communicator = nullptr;
  const Datatype* type = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_data(communicator, inbuf, incount, datatype, "inbuf", type))
    return error;
  if (const int error = call.check_result(position, "position")) return error;
  const auto count = static_cast<std::size_t>(incount);
  const std::size_t bytes = count * type->size_bytes;
  const PackBuffer buffer{outbuf, "outbuf", outsize, "outsize", *position};
  if (const int error = check_pack_buffer(call, communicator, buffer, bytes, "4.2")) return error;
  pack(*type, count, inbuf, static_cast<std::byte*>(outbuf) + *position);
  *position += static_cast<int>(bytes);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Pack);

ORRERY_MPI_API int MPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf,
                              int outcount, MPI_Datatype datatype, MPI_Comm comm) {
  const Call call = ORRERY_CALL("MPI_Unpack");
  Communicator* communicator = nullptr;
  const Datatype* type = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_data(communicator, outbuf, outcount, datatype, "outbuf", type))
    return error;
  const auto count = static_cast<std::size_t>(outcount);
  if (const int error = call.check_no_overlap(communicator, *type, count, "datatype")) return error;
  if (const int error = call.check_result(position, "position")) return error;
  const std::size_t bytes = count * type->size_bytes;
  const PackBuffer buffer{inbuf, "inbuf", insize, "insize", *position};
  if (const int error = check_pack_buffer(call, communicator, buffer, bytes, "4.2")) return error;
  unpack(*type, count, outbuf, static_cast<const std::byte*>(inbuf) + *position, bytes);
  *position += static_cast<int>(bytes);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Unpack);

ORRERY_MPI_API int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  const Call call = ORRERY_CALL("MPI_Pack_size");
  Communicator* communicator = nullptr;
  const Datatype* type = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  if (const int error = call.check_count(communicator, incount, "incount")) return error;
  if (const int error = call.check_type(communicator, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(size, "size")) return error;
  const std::size_t bytes = static_cast<std::size_t>(incount) * type->size_bytes;
  *size = bytes <= INT_MAX ? static_cast<int>(bytes) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Pack_size);

ORRERY_MPI_API int MPI_Pack_external(const char datarep[], const void* inbuf, int incount,
                                     MPI_Datatype datatype, void* outbuf, MPI_Aint outsize,
                                     MPI_Aint* position) {
  const Call call = ORRERY_CALL("MPI_Pack_external");
  const Datatype* type = nullptr;
  if (const int error = check_representation(call, datarep)) return error;
  if (const int error = call.check_data(nullptr, inbuf, incount, datatype, "inbuf", type))
    return error;
  if (const int error = call.check_result(position, "position")) return error;
  const auto count = static_cast<std::size_t>(incount);
  const std::size_t bytes = external_size_bytes(*type, count);
  const PackBuffer buffer{outbuf, "outbuf", outsize, "outsize", *position};
  if (const int error = check_pack_buffer(call, nullptr, buffer, bytes, "4.3")) return error;
  pack_external(*type, count, inbuf, static_cast<std::byte*>(outbuf) + *position);
  *position += static_cast<MPI_Aint>(bytes);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Pack_external);

ORRERY_MPI_API int MPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize,
                                       MPI_Aint* position, void* outbuf, int outcount,
                                       MPI_Datatype datatype) {
  const Call call = ORRERY_CALL("MPI_Unpack_external");
  const Datatype* type = nullptr;
  if (const int error = check_representation(call, datarep)) return error;
  if (const int error = call.check_data(nullptr, outbuf, outcount, datatype, "outbuf", type))
    return error;
  const auto count = static_cast<std::size_t>(outcount);
  if (const int error = call.check_no_overlap(nullptr, *type, count, "datatype")) return error;
  if (const int error = call.check_result(position, "position")) return error;
  const std::size_t bytes = external_size_bytes(*type, count);
  const PackBuffer buffer{inbuf, "inbuf", insize, "insize", *position};
  if (const int error = check_pack_buffer(call, nullptr, buffer, bytes, "4.3")) return error;
  unpack_external(*type, count, outbuf, static_cast<const std::byte*>(inbuf) + *position);
  *position += static_cast<MPI_Aint>(bytes);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Unpack_external);

ORRERY_MPI_API int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype,
                                          MPI_Aint* size) {
  const Call call = ORRERY_CALL("MPI_Pack_external_size");
  const Datatype* type = nullptr;
  if (const int error = check_representation(call, datarep)) return error;
  if (const int error = call.check_count(nullptr, incount, "incount")) return error;
  if (const int error = call.check_type(nullptr, datatype, "datatype", type)) return error;
  if (const int error = call.check_result(size, "size")) return error;
  *size = static_cast<MPI_Aint>(external_size_bytes(*type, static_cast<std::size_t>(incount)));
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Pack_external_size);
