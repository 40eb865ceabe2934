/* Chapter 9: The Info Object */
#ifndef ORRERY_MPI_INFO_H
#define ORRERY_MPI_INFO_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Info_create(MPI_Info* info);
int MPI_Info_delete(MPI_Info info, const char* key);
int MPI_Info_dup(MPI_Info info, MPI_Info* newinfo);
int MPI_Info_free(MPI_Info* info);
int MPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag);
int MPI_Info_get_nkeys(MPI_Info info, int* nkeys);
int MPI_Info_get_nthkey(MPI_Info info, int n, char* key);
int MPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag);
int MPI_Info_set(MPI_Info info, const char* key, const char* value);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Info_create) PMPI_Info_create;
extern __typeof__(MPI_Info_delete) PMPI_Info_delete;
extern __typeof__(MPI_Info_dup) PMPI_Info_dup;
extern __typeof__(MPI_Info_free) PMPI_Info_free;
extern __typeof__(MPI_Info_get) PMPI_Info_get;
extern __typeof__(MPI_Info_get_nkeys) PMPI_Info_get_nkeys;
extern __typeof__(MPI_Info_get_nthkey) PMPI_Info_get_nthkey;
extern __typeof__(MPI_Info_get_valuelen) PMPI_Info_get_valuelen;
extern __typeof__(MPI_Info_set) PMPI_Info_set;

#ifdef __cplusplus
}
#endif
#endif
