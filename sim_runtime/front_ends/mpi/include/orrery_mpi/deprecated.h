/* Chapter 15: Deprecated Functions */
#ifndef ORRERY_MPI_DEPRECATED_H
#define ORRERY_MPI_DEPRECATED_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval,
                      void* extra_state);
int MPI_Keyval_free(int* keyval);
int MPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val);
int MPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag);
int MPI_Attr_delete(MPI_Comm comm, int keyval);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Keyval_create) PMPI_Keyval_create;
extern __typeof__(MPI_Keyval_free) PMPI_Keyval_free;
extern __typeof__(MPI_Attr_put) PMPI_Attr_put;
extern __typeof__(MPI_Attr_get) PMPI_Attr_get;
extern __typeof__(MPI_Attr_delete) PMPI_Attr_delete;

#ifdef __cplusplus
}
#endif
#endif
