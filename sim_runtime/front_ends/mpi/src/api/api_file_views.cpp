// MPI 3.1, sections 13.3 and 13.5: views of files, and how data are represented in them.
#include <cstdio>
#include <cstring>

#include "files/file_calls.hpp"

using namespace orrery::mpi;

namespace {

struct Representation {
  const char* name;
  DataRepresentation which;
};
constexpr Representation representations[] = {{"native", DataRepresentation::native},
                                              {"internal", DataRepresentation::internal},
                                              {"external32", DataRepresentation::external32}};

const Representation* find_representation(const char* name) {
  for (const Representation& one : representations)
    if (std::strcmp(one.name, name) == 0) return &one;
  return nullptr;
}

/// What a file type may not be (section 13.3).
const char* wrong_file_type(const File& file, const FileView& view) {
  if (view.tile_bytes == 0 || view.element_bytes == 0) return "has no data";
  if (view.tile_bytes % view.element_bytes != 0)
    return "is not made of argument etype: its size is no multiple of it";
  std::ptrdiff_t end = 0;
  const bool writes = (file.access_mode & MPI_MODE_RDONLY) == 0;
  std::ptrdiff_t begin = 0;
  for (const ViewPiece& piece : view.pieces) {
    if (piece.offset_bytes < 0) return "has a displacement that is negative";
    if (piece.offset_bytes < begin) return "has displacements that decrease";
    if (writes && piece.offset_bytes < end)
      return "has parts that overlap, in a file that is open for writing";
    begin = piece.offset_bytes;
    end = piece.offset_bytes + static_cast<std::ptrdiff_t>(piece.size_bytes);
  }
  if (writes && view.tile_extent_bytes < end - view.pieces.front().offset_bytes)
    return "has an extent that makes it overlap itself, in a file that is open for writing";
  return nullptr;
}

/// A type that is the program's to free, unless it is predefined (section 13.3).
MPI_Datatype duplicate(RankState& state, MPI_Datatype handle, const Datatype& type) {
  if (!state.types.contains(&type)) return handle;
  Datatype* const copy = state.types.create();
  static_cast<TypeShape&>(*copy) = type;
  copy->name = type.name;
  copy->committed = true;
  return copy;
}

/// Whether all ranks call with the same extents, and the new view if they do.
int agree_on_view(const Call& call, File& file, std::int64_t compared) {
  CollectiveCall arguments;
  arguments.name = call.name;
  const Collective collective(call, *file.communicator, arguments);
  Agreement agreement(collective);
  const int error = agreement.gather(MPI_SUCCESS, compared);
  if (collective.rank() == 0 && error == MPI_SUCCESS) {
    FileTurn turn(call, *file.shared->content, true);
    file.shared->position = 0;
    turn.end();
  }
  return agreement.announce(error);
}

}  // namespace

ORRERY_MPI_API int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                                     MPI_Datatype filetype, const char* datarep, MPI_Info info) {
  const Call call = ORRERY_CALL("MPI_File_set_view");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_no_split(call, *file)) return error;
  if (const int error = check_hints(call, *file, info)) return error;
  if (const int error = check_result(call, *file, datarep, "datarep")) return error;
  const Datatype* element = nullptr;
  const Datatype* file_type = nullptr;
  if (const int error = check_type(call, *file, etype, "etype", element)) return error;
  if (const int error = check_type(call, *file, filetype, "filetype", file_type)) return error;
  const Representation* const representation = find_representation(datarep);
  if (representation == nullptr)
    return call.fail(file, MPI_ERR_UNSUPPORTED_DATAREP,
                     "argument datarep is \"%s\"; there are \"native\", \"internal\" and "
                     "\"external32\" (MPI 3.1, section 13.5)",
                     datarep);
  if (disp == MPI_DISPLACEMENT_CURRENT && file->shared->is_sequential) {
    disp = file->view.offset_of(static_cast<std::uint64_t>(file->shared->position) *
                                file->view.element_bytes);
  } else if (disp < 0) {
    return call.fail(file, MPI_ERR_ARG,
                     disp == MPI_DISPLACEMENT_CURRENT
                         ? "argument disp is MPI_DISPLACEMENT_CURRENT, which goes with "
                           "MPI_MODE_SEQUENTIAL only (MPI 3.1, section 13.3)"
                         : "argument disp is negative (MPI 3.1, section 13.3)");
  }
  if (const char* wrong =
          wrong_file_type(*file, make_view(disp, *element, *file_type, representation->which)))
    return call.fail(file, MPI_ERR_ARG, "argument filetype %s (MPI 3.1, section 13.3)", wrong);
  // What must be the same on all ranks: the extents of the etypes, and the representation.
  const auto compared =
      static_cast<std::int64_t>(size_in_file(*element, representation->which)) * 4 +
      static_cast<int>(representation->which);
  if (const int error = agree_on_view(call, *file, compared))
    return call.fail(file, error,
                     "the size of the etype or the data representation is not the same on all "
                     "ranks (MPI 3.1, section 13.3)");
  retain(call.state, *element);
  retain(call.state, *file_type);
  release(call.state, *file->view.element);
  release(call.state, *file->view.file_type);
  file->view = make_view(disp, *element, *file_type, representation->which);
  file->element_handle = etype;
  file->file_type_handle = filetype;
  file->position = 0;
  add_hints(info, file->hints);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_set_view);

ORRERY_MPI_API int MPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype,
                                     MPI_Datatype* filetype, char* datarep) {
  const Call call = ORRERY_CALL("MPI_File_get_view");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, disp, "disp")) return error;
  if (const int error = check_result(call, *file, etype, "etype")) return error;
  if (const int error = check_result(call, *file, filetype, "filetype")) return error;
  if (const int error = check_result(call, *file, datarep, "datarep")) return error;
  *disp = file->view.displacement_bytes;
  *etype = duplicate(call.state, file->element_handle, *file->view.element);
  *filetype = duplicate(call.state, file->file_type_handle, *file->view.file_type);
  for (const Representation& one : representations)
    if (one.which == file->view.representation)
      std::snprintf(datarep, MPI_MAX_DATAREP_STRING, "%s", one.name);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_view);

ORRERY_MPI_API int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
  const Call call = ORRERY_CALL("MPI_File_get_type_extent");
  File* file = nullptr;
  if (const int error = check_file(call, fh, file)) return error;
  if (const int error = check_result(call, *file, extent, "extent")) return error;
  const Datatype* type = call.find_type(datatype);
  if (type == nullptr)
    return call.fail(file, MPI_ERR_TYPE, "argument datatype is no datatype (MPI 3.1, section 4.1)");
  *extent = extent_in_file(*type, file->view.representation);
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_File_get_type_extent);

ORRERY_MPI_API int MPI_Register_datarep(const char* datarep,
                                        MPI_Datarep_conversion_function* read_conversion_fn,
                                        MPI_Datarep_conversion_function* write_conversion_fn,
                                        MPI_Datarep_extent_function* dtype_file_extent_fn,
                                        void* extra_state) {
  const Call call = ORRERY_CALL("MPI_Register_datarep");
  (void)read_conversion_fn;
  (void)write_conversion_fn;
  (void)dtype_file_extent_fn;
  (void)extra_state;
  const ErrorOwner& owner = call.state.no_file;
  if (datarep == nullptr)
    return call.fail(&owner, MPI_ERR_ARG, "argument datarep is a null pointer");
  if (find_representation(datarep) != nullptr)
    return call.fail(&owner, MPI_ERR_DUP_DATAREP,
                     "argument datarep is \"%s\", which is defined already (MPI 3.1, section "
                     "13.5.3)",
                     datarep);
  return call.fail(&owner, MPI_ERR_UNSUPPORTED_DATAREP,
                   "Orrery knows the data representations \"native\", \"internal\" and "
                   "\"external32\" only, and not those of programs (MPI 3.1, section 13.5.3)");
}
ORRERY_PROFILED(MPI_Register_datarep);
