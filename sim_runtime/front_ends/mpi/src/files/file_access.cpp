#include "file_access.hpp"

#include <cstring>

#include "file_data.hpp"
#include "messages/requests.hpp"

namespace orrery::mpi {
namespace {

using Pointer = AccessKind::Pointer;

/// A call whose arguments are right.
struct FileAccess {
  File* file = nullptr;
  FileData data;
  MPI_Offset elements = 0;            ///< of the view, that the data are
  bool takes_shared_pointer = false;  ///< as soon as its turn comes
};

int check_direction(const Call& call, const File& file, bool writes) {
  if (writes && (file.access_mode & MPI_MODE_RDONLY) != 0)
    return call.fail(&file, MPI_ERR_READ_ONLY,
                     "the file was opened with MPI_MODE_RDONLY (MPI 3.1, section 13.2.1)");
  if (!writes && (file.access_mode & MPI_MODE_WRONLY) != 0)
    return call.fail(&file, MPI_ERR_ACCESS,
                     "the file was opened with MPI_MODE_WRONLY (MPI 3.1, section 13.2.1)");
  return MPI_SUCCESS;
}

int check_memory(const Call& call, const File& file, const AccessData& data, FileAccess& access) {
  if (data.count < 0)
    return call.fail(&file, MPI_ERR_COUNT,
                     "argument count is %d, and must not be negative (MPI 3.1, section 13.4.1)",
                     data.count);
  if (const int error = check_type(call, file, data.type, "datatype", access.data.type))
    return error;
  const Datatype& type = *access.data.type;
  access.data.buffer = data.buffer;
  access.data.count = static_cast<std::size_t>(data.count);
  const std::size_t size = size_in_file(type, file.view.representation) * access.data.count;
  if (size > 0 && (data.buffer == MPI_IN_PLACE ||
                   (data.buffer == nullptr && footprint(type, access.data.count).begin_bytes == 0)))
    return call.fail(&file, MPI_ERR_BUFFER,
                     "argument buf is %s, and %zu elements of %s do not fit there (MPI 3.1, "
                     "section 13.4.1)",
                     data.buffer == nullptr ? "a null pointer" : "MPI_IN_PLACE", access.data.count,
                     type.name);
  if (size % file.view.element_bytes != 0)
    return call.fail(&file, MPI_ERR_IO,
                     "the data have %zu bytes, which is no multiple of the %zu bytes of the view's "
                     "etype (MPI 3.1, section 13.4.1)",
                     size, file.view.element_bytes);
  access.elements = static_cast<MPI_Offset>(size / file.view.element_bytes);
  return MPI_SUCCESS;
}

int check(const Call& call, MPI_File handle, const AccessKind& kind, const AccessData& data,
          FileAccess& access) {
  if (const int error = check_file(call, handle, access.file)) return error;
  const File& file = *access.file;
  const bool has_offset = kind.pointer == Pointer::none || kind.pointer == Pointer::individual;
  if (has_offset) {
    if (const int error = check_has_offsets(call, file)) return error;
  }
  if (const int error = check_direction(call, file, kind.writes)) return error;
  if (kind.is_collective) {
    if (const int error = check_no_split(call, file)) return error;
  }
  if (kind.offset < 0)
    return call.fail(&file, MPI_ERR_ARG,
                     "argument offset is %lld, and must not be negative (MPI 3.1, section 13.4.2)",
                     kind.offset);
  access.data.writes = kind.writes;
  return check_memory(call, file, data, access);
}

/// Gives each rank its place behind those before it, and moves the shared pointer behind all of
/// them, before anybody goes on (section 13.4.4).
int take_place_in_order(const Call& call, const Collective& collective, FileAccess& access,
                        MPI_Offset& position) {
  SharedFile& shared = *access.file->shared;
  if (collective.rank() != 0) {
    collective.send(0, &access.elements, sizeof access.elements);
    collective.receive(0, &position, sizeof position);
    return collective.error();
  }
  const auto size = static_cast<std::size_t>(collective.size());
  const Scratch memory(call.state.scratch, size * sizeof(MPI_Offset));
  auto* const elements = memory.array<MPI_Offset>();
  for (std::int32_t rank = 1; rank < collective.size(); ++rank)
    collective.receive(rank, &elements[rank], sizeof(MPI_Offset));
  FileTurn turn(call, *shared.content, true);
  position = shared.position;
  MPI_Offset next = position + access.elements;
  for (std::size_t rank = 1; rank < size; ++rank) {
    const MPI_Offset own = elements[rank];
    elements[rank] = next;
    next += own;
  }
  shared.position = next;
  turn.end();
  for (std::int32_t rank = 1; rank < collective.size(); ++rank)
    collective.send(rank, &elements[rank], sizeof(MPI_Offset));
  return collective.error();
}

/// Where the data go.  Collective calls are compared with the other ranks' here.
int find_place(const Call& call, const AccessKind& kind, FileAccess& access) {
  File& file = *access.file;
  MPI_Offset position = kind.offset;
  if (kind.pointer == Pointer::individual) {
    position = file.position;
    file.position += access.elements;
  }
  access.takes_shared_pointer = kind.pointer == Pointer::shared;
  if (kind.is_collective) {
    CollectiveCall arguments;
    arguments.name = call.name;
    const Collective collective(call, *file.communicator, arguments);
    if (kind.pointer == Pointer::ordered) {
      if (const int error = take_place_in_order(call, collective, access, position)) return error;
    }
  }
  access.data.position_bytes = static_cast<std::uint64_t>(position) * file.view.element_bytes;
  return MPI_SUCCESS;
}

void take_shared_pointer(FileAccess& access) {
  SharedFile& shared = *access.file->shared;
  access.data.position_bytes =
      static_cast<std::uint64_t>(shared.position) * access.file->view.element_bytes;
  shared.position += access.elements;
  access.takes_shared_pointer = false;
}

FileResult move_in_turn(const Call& call, FileAccess& access) {
  FileTurn turn(call, *access.file->shared->content,
                access.data.writes || access.takes_shared_pointer);
  if (access.takes_shared_pointer) take_shared_pointer(access);
  const FileResult result = move_data(call.state.scratch, *access.file, access.data);
  turn.end();
  return result;
}

int fail(const Call& call, const File& file, int error_number) {
  return call.fail(&file, class_of(error_number), "%s: %s (MPI 3.1, section 13.7)",
                   file.shared->path.c_str(), text_of(error_number));
}

/// What the call that ends a request does: errors have the file's handler.
void finish_access(const Call& call, Request& request) {
  File& file = *static_cast<File*>(request.work);
  --file.under_way;
  if (request.error == MPI_SUCCESS) return;
  const Call starter{request.call, request.pc, call.job, call.state, call.table};
  request.error = fail(starter, file, request.error);
}

Request* start(const Call& call, FileAccess& access) {
  File& file = *access.file;
  if (access.takes_shared_pointer) {
    FileTurn turn(call, *file.shared->content, true);
    take_shared_pointer(access);
    turn.end();
  }
  Request* const request = make_event_request(call, file.communicator, RequestKind::file);
  request->buffer = access.data.buffer;
  request->count = access.data.count;
  request->type = access.data.type;
  request->finish = finish_access;
  request->work = &file;
  retain(call.state, *access.data.type);
  const BufferUse use = access.data.writes ? BufferUse::reads : BufferUse::fills;
  request->owned =
      call.state.owned.take(call, {request->buffer, request->type, request->count, use, "13.4"});
  ++file.under_way;
  const OrreryRequest id = request->id;
  request->helper = call.state.helpers.start(
      call.table, call.pc, [call, access, handle = request->handle, id]() mutable {
        const FileResult result = move_in_turn(call, access);
        // The program may have freed it meanwhile.
        if (call.state.requests.contains(handle) && handle->request->id == id) {
          Request& started = *handle->request;
          started.status._ucount = result.size_bytes;
          started.error = result.error_number;
          call.state.owned.note_filled(started.owned);
        }
        call.table.complete_event(id);
      });
  return request;
}

}  // namespace

int access_now(const Call& call, MPI_File handle, const AccessKind& kind, const AccessData& data,
               MPI_Status* status) {
  FileAccess access;
  if (const int error = check(call, handle, kind, data, access)) return error;
  if (const int error = find_place(call, kind, access)) return error;
  const FileResult result = move_in_turn(call, access);
  fill_empty_status(status);
  if (status != MPI_STATUS_IGNORE) status->_ucount = result.size_bytes;
  return result.error_number == 0 ? MPI_SUCCESS : fail(call, *access.file, result.error_number);
}

int start_access(const Call& call, MPI_File handle, const AccessKind& kind, const AccessData& data,
                 MPI_Request* request) {
  FileAccess access;
  if (const int error = check(call, handle, kind, data, access)) return error;
  if (const int error = check_result(call, *access.file, request, "request")) return error;
  if (const int error = find_place(call, kind, access)) return error;
  *request = start(call, access)->handle;
  return MPI_SUCCESS;
}

int begin_access(const Call& call, MPI_File handle, const AccessKind& kind,
                 const AccessData& data) {
  FileAccess access;
  if (const int error = check(call, handle, kind, data, access)) return error;
  if (const int error = find_place(call, kind, access)) return error;
  access.file->split = start(call, access);
  return MPI_SUCCESS;
}

int end_access(const Call& call, MPI_File handle, const char* begin_name, const void* buffer,
               MPI_Status* status) {
  File* file = nullptr;
  if (const int error = check_file(call, handle, file)) return error;
  if (file->split == nullptr || std::strcmp(file->split->call, begin_name) != 0)
    return call.fail(file, MPI_ERR_OTHER, "%s has not begun on this file (MPI 3.1, section 13.4.5)",
                     begin_name);
  if (file->split->buffer != buffer)
    return call.fail(file, MPI_ERR_BUFFER,
                     "argument buf is not the buffer that %s was given (MPI 3.1, section 13.4.5)",
                     begin_name);
  CollectiveCall arguments;
  arguments.name = call.name;
  const Collective collective(call, *file->communicator, arguments);
  std::int32_t index = 0;
  call.table.select(&file->split->id, 1, ORRERY_SELECT_ALL, &index, call.pc);
  MPI_Request request = file->split->handle;
  file->split = nullptr;
  return finish_request(call, request, status);
}

}  // namespace orrery::mpi
