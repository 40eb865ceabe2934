/* Chapter 13: I/O */
#ifndef ORRERY_MPI_FILES_H
#define ORRERY_MPI_FILES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh);
int MPI_File_close(MPI_File* fh);
int MPI_File_delete(const char* filename, MPI_Info info);
int MPI_File_set_size(MPI_File fh, MPI_Offset size);
int MPI_File_preallocate(MPI_File fh, MPI_Offset size);
int MPI_File_get_size(MPI_File fh, MPI_Offset* size);
int MPI_File_get_group(MPI_File fh, MPI_Group* group);
int MPI_File_get_amode(MPI_File fh, int* amode);
int MPI_File_set_info(MPI_File fh, MPI_Info info);
int MPI_File_get_info(MPI_File fh, MPI_Info* info_used);
int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char* datarep, MPI_Info info);
int MPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype,
                      char* datarep);
int MPI_File_read_at(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
                     MPI_Status* status);
int MPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count,
                         MPI_Datatype datatype, MPI_Status* status);
int MPI_File_write_at(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                      MPI_Datatype datatype, MPI_Status* status);
int MPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                          MPI_Datatype datatype, MPI_Status* status);
int MPI_File_iread_at(MPI_File fh, MPI_Offset offset, void* buf, int count, MPI_Datatype datatype,
                      MPI_Request* request);
int MPI_File_iread_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count,
                          MPI_Datatype datatype, MPI_Request* request);
int MPI_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                       MPI_Datatype datatype, MPI_Request* request);
int MPI_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                           MPI_Datatype datatype, MPI_Request* request);
int MPI_File_read(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status);
int MPI_File_read_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Status* status);
int MPI_File_write(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                   MPI_Status* status);
int MPI_File_write_all(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                       MPI_Status* status);
int MPI_File_iread(MPI_File fh, void* buf, int count, MPI_Datatype datatype, MPI_Request* request);
int MPI_File_iread_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                       MPI_Request* request);
int MPI_File_iwrite(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                    MPI_Request* request);
int MPI_File_iwrite_all(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                        MPI_Request* request);
int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence);
int MPI_File_get_position(MPI_File fh, MPI_Offset* offset);
int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp);
int MPI_File_read_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                         MPI_Status* status);
int MPI_File_write_shared(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                          MPI_Status* status);
int MPI_File_iread_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                          MPI_Request* request);
int MPI_File_iwrite_shared(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                           MPI_Request* request);
int MPI_File_read_ordered(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                          MPI_Status* status);
int MPI_File_write_ordered(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                           MPI_Status* status);
int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence);
int MPI_File_get_position_shared(MPI_File fh, MPI_Offset* offset);
int MPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void* buf, int count,
                               MPI_Datatype datatype);
int MPI_File_read_at_all_end(MPI_File fh, void* buf, MPI_Status* status);
int MPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                MPI_Datatype datatype);
int MPI_File_write_at_all_end(MPI_File fh, const void* buf, MPI_Status* status);
int MPI_File_read_all_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype);
int MPI_File_read_all_end(MPI_File fh, void* buf, MPI_Status* status);
int MPI_File_write_all_begin(MPI_File fh, const void* buf, int count, MPI_Datatype datatype);
int MPI_File_write_all_end(MPI_File fh, const void* buf, MPI_Status* status);
int MPI_File_read_ordered_begin(MPI_File fh, void* buf, int count, MPI_Datatype datatype);
int MPI_File_read_ordered_end(MPI_File fh, void* buf, MPI_Status* status);
int MPI_File_write_ordered_begin(MPI_File fh, const void* buf, int count, MPI_Datatype datatype);
int MPI_File_write_ordered_end(MPI_File fh, const void* buf, MPI_Status* status);
int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent);
int MPI_File_set_atomicity(MPI_File fh, int flag);
int MPI_File_get_atomicity(MPI_File fh, int* flag);
int MPI_File_sync(MPI_File fh);
int MPI_Register_datarep(const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
                         MPI_Datarep_conversion_function* write_conversion_fn,
                         MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_File_open) PMPI_File_open;
extern __typeof__(MPI_File_close) PMPI_File_close;
extern __typeof__(MPI_File_delete) PMPI_File_delete;
extern __typeof__(MPI_File_set_size) PMPI_File_set_size;
extern __typeof__(MPI_File_preallocate) PMPI_File_preallocate;
extern __typeof__(MPI_File_get_size) PMPI_File_get_size;
extern __typeof__(MPI_File_get_group) PMPI_File_get_group;
extern __typeof__(MPI_File_get_amode) PMPI_File_get_amode;
extern __typeof__(MPI_File_set_info) PMPI_File_set_info;
extern __typeof__(MPI_File_get_info) PMPI_File_get_info;
extern __typeof__(MPI_File_set_view) PMPI_File_set_view;
extern __typeof__(MPI_File_get_view) PMPI_File_get_view;
extern __typeof__(MPI_File_read_at) PMPI_File_read_at;
extern __typeof__(MPI_File_read_at_all) PMPI_File_read_at_all;
extern __typeof__(MPI_File_write_at) PMPI_File_write_at;
extern __typeof__(MPI_File_write_at_all) PMPI_File_write_at_all;
extern __typeof__(MPI_File_iread_at) PMPI_File_iread_at;
extern __typeof__(MPI_File_iread_at_all) PMPI_File_iread_at_all;
extern __typeof__(MPI_File_iwrite_at) PMPI_File_iwrite_at;
extern __typeof__(MPI_File_iwrite_at_all) PMPI_File_iwrite_at_all;
extern __typeof__(MPI_File_read) PMPI_File_read;
extern __typeof__(MPI_File_read_all) PMPI_File_read_all;
extern __typeof__(MPI_File_write) PMPI_File_write;
extern __typeof__(MPI_File_write_all) PMPI_File_write_all;
extern __typeof__(MPI_File_iread) PMPI_File_iread;
extern __typeof__(MPI_File_iread_all) PMPI_File_iread_all;
extern __typeof__(MPI_File_iwrite) PMPI_File_iwrite;
extern __typeof__(MPI_File_iwrite_all) PMPI_File_iwrite_all;
extern __typeof__(MPI_File_seek) PMPI_File_seek;
extern __typeof__(MPI_File_get_position) PMPI_File_get_position;
extern __typeof__(MPI_File_get_byte_offset) PMPI_File_get_byte_offset;
extern __typeof__(MPI_File_read_shared) PMPI_File_read_shared;
extern __typeof__(MPI_File_write_shared) PMPI_File_write_shared;
extern __typeof__(MPI_File_iread_shared) PMPI_File_iread_shared;
extern __typeof__(MPI_File_iwrite_shared) PMPI_File_iwrite_shared;
extern __typeof__(MPI_File_read_ordered) PMPI_File_read_ordered;
extern __typeof__(MPI_File_write_ordered) PMPI_File_write_ordered;
extern __typeof__(MPI_File_seek_shared) PMPI_File_seek_shared;
extern __typeof__(MPI_File_get_position_shared) PMPI_File_get_position_shared;
extern __typeof__(MPI_File_read_at_all_begin) PMPI_File_read_at_all_begin;
extern __typeof__(MPI_File_read_at_all_end) PMPI_File_read_at_all_end;
extern __typeof__(MPI_File_write_at_all_begin) PMPI_File_write_at_all_begin;
extern __typeof__(MPI_File_write_at_all_end) PMPI_File_write_at_all_end;
extern __typeof__(MPI_File_read_all_begin) PMPI_File_read_all_begin;
extern __typeof__(MPI_File_read_all_end) PMPI_File_read_all_end;
extern __typeof__(MPI_File_write_all_begin) PMPI_File_write_all_begin;
extern __typeof__(MPI_File_write_all_end) PMPI_File_write_all_end;
extern __typeof__(MPI_File_read_ordered_begin) PMPI_File_read_ordered_begin;
extern __typeof__(MPI_File_read_ordered_end) PMPI_File_read_ordered_end;
extern __typeof__(MPI_File_write_ordered_begin) PMPI_File_write_ordered_begin;
extern __typeof__(MPI_File_write_ordered_end) PMPI_File_write_ordered_end;
extern __typeof__(MPI_File_get_type_extent) PMPI_File_get_type_extent;
extern __typeof__(MPI_File_set_atomicity) PMPI_File_set_atomicity;
extern __typeof__(MPI_File_get_atomicity) PMPI_File_get_atomicity;
extern __typeof__(MPI_File_sync) PMPI_File_sync;
extern __typeof__(MPI_Register_datarep) PMPI_Register_datarep;

#ifdef __cplusplus
}
#endif
#endif
