/* The Message Passing Interface as Orrery provides it: our own text, from the MPI 3.1 standard.
 *
 * Types, handles, constants and the layout of MPI_Status have the values of Debian's Open MPI 4.1,
 * so that a program compiled with this header runs here and under that library alike.  Each chapter
 * of the standard has a header of its own.  Only what exists is declared: a call of another
 * function does not compile as C++ or link as C.
 */
#ifndef ORRERY_MPI_H
#define ORRERY_MPI_H

#include "orrery_mpi/collectives.h"
#include "orrery_mpi/communicators.h"
#include "orrery_mpi/constants.h"
#include "orrery_mpi/datatypes.h"
#include "orrery_mpi/deprecated.h"
#include "orrery_mpi/environment.h"
#include "orrery_mpi/external.h"
#include "orrery_mpi/files.h"
#include "orrery_mpi/handles.h"
#include "orrery_mpi/info.h"
#include "orrery_mpi/languages.h"
#include "orrery_mpi/one_sided.h"
#include "orrery_mpi/point_to_point.h"
#include "orrery_mpi/processes.h"
#include "orrery_mpi/profiling.h"
#include "orrery_mpi/topologies.h"

#endif
