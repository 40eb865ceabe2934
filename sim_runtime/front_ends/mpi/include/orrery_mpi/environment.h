/* Chapter 8: MPI Environmental Management */
#ifndef ORRERY_MPI_ENVIRONMENT_H
#define ORRERY_MPI_ENVIRONMENT_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Get_version(int* version, int* subversion);
int MPI_Get_library_version(char* version, int* resultlen);
int MPI_Get_processor_name(char* name, int* resultlen);
int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr);
int MPI_Free_mem(void* base);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* erhandler);
int MPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler);
int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler);
int MPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler);
int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler);
int MPI_Errhandler_free(MPI_Errhandler* errhandler);
int MPI_Error_string(int errorcode, char* string, int* resultlen);
int MPI_Error_class(int errorcode, int* errorclass);
int MPI_Add_error_class(int* errorclass);
int MPI_Add_error_code(int errorclass, int* errorcode);
int MPI_Add_error_string(int errorcode, const char* string);
int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode);
int MPI_Win_call_errhandler(MPI_Win win, int errorcode);
int MPI_File_call_errhandler(MPI_File fh, int errorcode);
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Initialized(int* flag);
int MPI_Finalized(int* flag);
int MPI_Abort(MPI_Comm comm, int errorcode);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Get_version) PMPI_Get_version;
extern __typeof__(MPI_Get_library_version) PMPI_Get_library_version;
extern __typeof__(MPI_Get_processor_name) PMPI_Get_processor_name;
extern __typeof__(MPI_Alloc_mem) PMPI_Alloc_mem;
extern __typeof__(MPI_Free_mem) PMPI_Free_mem;
extern __typeof__(MPI_Comm_create_errhandler) PMPI_Comm_create_errhandler;
extern __typeof__(MPI_Comm_set_errhandler) PMPI_Comm_set_errhandler;
extern __typeof__(MPI_Comm_get_errhandler) PMPI_Comm_get_errhandler;
extern __typeof__(MPI_Win_create_errhandler) PMPI_Win_create_errhandler;
extern __typeof__(MPI_Win_set_errhandler) PMPI_Win_set_errhandler;
extern __typeof__(MPI_Win_get_errhandler) PMPI_Win_get_errhandler;
extern __typeof__(MPI_File_create_errhandler) PMPI_File_create_errhandler;
extern __typeof__(MPI_File_set_errhandler) PMPI_File_set_errhandler;
extern __typeof__(MPI_File_get_errhandler) PMPI_File_get_errhandler;
extern __typeof__(MPI_Errhandler_free) PMPI_Errhandler_free;
extern __typeof__(MPI_Error_string) PMPI_Error_string;
extern __typeof__(MPI_Error_class) PMPI_Error_class;
extern __typeof__(MPI_Add_error_class) PMPI_Add_error_class;
extern __typeof__(MPI_Add_error_code) PMPI_Add_error_code;
extern __typeof__(MPI_Add_error_string) PMPI_Add_error_string;
extern __typeof__(MPI_Comm_call_errhandler) PMPI_Comm_call_errhandler;
extern __typeof__(MPI_Win_call_errhandler) PMPI_Win_call_errhandler;
extern __typeof__(MPI_File_call_errhandler) PMPI_File_call_errhandler;
extern __typeof__(MPI_Wtime) PMPI_Wtime;
extern __typeof__(MPI_Wtick) PMPI_Wtick;
extern __typeof__(MPI_Init) PMPI_Init;
extern __typeof__(MPI_Finalize) PMPI_Finalize;
extern __typeof__(MPI_Initialized) PMPI_Initialized;
extern __typeof__(MPI_Finalized) PMPI_Finalized;
extern __typeof__(MPI_Abort) PMPI_Abort;

#ifdef __cplusplus
}
#endif
#endif
