/* Chapter 12: External Interfaces */
#ifndef ORRERY_MPI_EXTERNAL_H
#define ORRERY_MPI_EXTERNAL_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                       MPI_Grequest_cancel_function* cancel_fn, void* extra_state,
                       MPI_Request* request);
int MPI_Grequest_complete(MPI_Request request);
int MPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count);
int MPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count);
int MPI_Status_set_cancelled(MPI_Status* status, int flag);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int MPI_Query_thread(int* provided);
int MPI_Is_thread_main(int* flag);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Grequest_start) PMPI_Grequest_start;
extern __typeof__(MPI_Grequest_complete) PMPI_Grequest_complete;
extern __typeof__(MPI_Status_set_elements) PMPI_Status_set_elements;
extern __typeof__(MPI_Status_set_elements_x) PMPI_Status_set_elements_x;
extern __typeof__(MPI_Status_set_cancelled) PMPI_Status_set_cancelled;
extern __typeof__(MPI_Init_thread) PMPI_Init_thread;
extern __typeof__(MPI_Query_thread) PMPI_Query_thread;
extern __typeof__(MPI_Is_thread_main) PMPI_Is_thread_main;

#ifdef __cplusplus
}
#endif
#endif
