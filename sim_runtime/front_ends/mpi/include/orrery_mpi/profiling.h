/* Chapter 14: Tool Support */
#ifndef ORRERY_MPI_PROFILING_H
#define ORRERY_MPI_PROFILING_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Pcontrol(const int level, ...);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Pcontrol) PMPI_Pcontrol;

#ifdef __cplusplus
}
#endif
#endif
