/* Numbers that are arguments and results. */
#ifndef ORRERY_MPI_CONSTANTS_H
#define ORRERY_MPI_CONSTANTS_H

#include "handles.h"

#define MPI_VERSION 3
#define MPI_SUBVERSION 1

/* Special arguments. */
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_ROOT (-4)
#define MPI_UNDEFINED (-32766)
#define MPI_KEYVAL_INVALID (-1)
#define MPI_BSEND_OVERHEAD 128
#define MPI_BOTTOM ORRERY_MPI_POINTER(void*, 0)
#define MPI_IN_PLACE ORRERY_MPI_POINTER(void*, 1)
#define MPI_UNWEIGHTED ORRERY_MPI_POINTER(int*, 2)
#define MPI_WEIGHTS_EMPTY ORRERY_MPI_POINTER(int*, 3)
#define MPI_STATUS_IGNORE ORRERY_MPI_POINTER(MPI_Status*, 0)
#define MPI_STATUSES_IGNORE ORRERY_MPI_POINTER(MPI_Status*, 0)
#define MPI_ERRCODES_IGNORE ORRERY_MPI_POINTER(int*, 0)
#define MPI_ARGV_NULL ORRERY_MPI_POINTER(char**, 0)
#define MPI_ARGVS_NULL ORRERY_MPI_POINTER(char***, 0)
#define MPI_CONVERSION_FN_NULL ORRERY_MPI_POINTER(MPI_Datarep_conversion_function*, 0)

/* Lengths of strings, with the terminating zero. */
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 256
#define MPI_MAX_OBJECT_NAME 64
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_INFO_KEY 36
#define MPI_MAX_INFO_VAL 256
#define MPI_MAX_PORT_NAME 1024
#define MPI_MAX_DATAREP_STRING 128

/* Results of MPI_Comm_compare and MPI_Group_compare. */
enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };

/* Levels of MPI_Init_thread. */
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };

/* Predefined attributes of communicators and windows. */
enum {
  MPI_TAG_UB,
  MPI_HOST,
  MPI_IO,
  MPI_WTIME_IS_GLOBAL,
  MPI_APPNUM,
  MPI_LASTUSEDCODE,
  MPI_UNIVERSE_SIZE,
  MPI_WIN_BASE,
  MPI_WIN_SIZE,
  MPI_WIN_DISP_UNIT,
  MPI_WIN_CREATE_FLAVOR,
  MPI_WIN_MODEL
};

/* How a type was made (section 4.1.13).  The gaps are what MPI 3.0 has removed. */
enum {
  MPI_COMBINER_NAMED = 0,
  MPI_COMBINER_DUP = 1,
  MPI_COMBINER_CONTIGUOUS = 2,
  MPI_COMBINER_VECTOR = 3,
  MPI_COMBINER_HVECTOR = 5,
  MPI_COMBINER_INDEXED = 6,
  MPI_COMBINER_HINDEXED = 8,
  MPI_COMBINER_INDEXED_BLOCK = 9,
  MPI_COMBINER_STRUCT = 11,
  MPI_COMBINER_SUBARRAY = 12,
  MPI_COMBINER_DARRAY = 13,
  MPI_COMBINER_F90_REAL = 14,
  MPI_COMBINER_F90_COMPLEX = 15,
  MPI_COMBINER_F90_INTEGER = 16,
  MPI_COMBINER_RESIZED = 17,
  MPI_COMBINER_HINDEXED_BLOCK = 18
};

/* Orders and distributions of arrays (sections 4.1.3 and 4.1.4). */
#define MPI_ORDER_C 0
#define MPI_ORDER_FORTRAN 1
#define MPI_DISTRIBUTE_BLOCK 0
#define MPI_DISTRIBUTE_CYCLIC 1
#define MPI_DISTRIBUTE_NONE 2
#define MPI_DISTRIBUTE_DFLT_DARG (-1)

/* Classes of types for MPI_Type_match_size. */
#define MPI_TYPECLASS_INTEGER 1
#define MPI_TYPECLASS_REAL 2
#define MPI_TYPECLASS_COMPLEX 3

/* Results of MPI_Topo_test, and what MPI_Comm_split_type splits by. */
#define MPI_CART 1
#define MPI_GRAPH 2
#define MPI_DIST_GRAPH 3
enum { MPI_COMM_TYPE_SHARED };

/* Windows (chapter 11). */
#define MPI_MODE_NOCHECK 1
#define MPI_MODE_NOPRECEDE 2
#define MPI_MODE_NOPUT 4
#define MPI_MODE_NOSTORE 8
#define MPI_MODE_NOSUCCEED 16
#define MPI_LOCK_EXCLUSIVE 1
#define MPI_LOCK_SHARED 2
#define MPI_WIN_FLAVOR_CREATE 1
#define MPI_WIN_FLAVOR_ALLOCATE 2
#define MPI_WIN_FLAVOR_DYNAMIC 3
#define MPI_WIN_FLAVOR_SHARED 4
#define MPI_WIN_UNIFIED 0
#define MPI_WIN_SEPARATE 1

/* Files (chapter 13). */
#define MPI_MODE_CREATE 1
#define MPI_MODE_RDONLY 2
#define MPI_MODE_WRONLY 4
#define MPI_MODE_RDWR 8
#define MPI_MODE_DELETE_ON_CLOSE 16
#define MPI_MODE_UNIQUE_OPEN 32
#define MPI_MODE_EXCL 64
#define MPI_MODE_APPEND 128
#define MPI_MODE_SEQUENTIAL 256
#define MPI_DISPLACEMENT_CURRENT (-54278278)
#define MPI_SEEK_SET 600
#define MPI_SEEK_CUR 602
#define MPI_SEEK_END 604

/* Sums and differences of addresses (section 4.1.5). */
#define MPI_Aint_add(base, displacement) ((base) + (displacement))
#define MPI_Aint_diff(first, second) ((first) - (second))
#define PMPI_Aint_add(base, displacement) MPI_Aint_add(base, displacement)
#define PMPI_Aint_diff(first, second) MPI_Aint_diff(first, second)

/* Error classes. */
#define MPI_SUCCESS 0
#define MPI_ERR_BUFFER 1
#define MPI_ERR_COUNT 2
#define MPI_ERR_TYPE 3
#define MPI_ERR_TAG 4
#define MPI_ERR_COMM 5
#define MPI_ERR_RANK 6
#define MPI_ERR_REQUEST 7
#define MPI_ERR_ROOT 8
#define MPI_ERR_GROUP 9
#define MPI_ERR_OP 10
#define MPI_ERR_TOPOLOGY 11
#define MPI_ERR_DIMS 12
#define MPI_ERR_ARG 13
#define MPI_ERR_UNKNOWN 14
#define MPI_ERR_TRUNCATE 15
#define MPI_ERR_OTHER 16
#define MPI_ERR_INTERN 17
#define MPI_ERR_IN_STATUS 18
#define MPI_ERR_PENDING 19
#define MPI_ERR_ACCESS 20
#define MPI_ERR_AMODE 21
#define MPI_ERR_ASSERT 22
#define MPI_ERR_BAD_FILE 23
#define MPI_ERR_BASE 24
#define MPI_ERR_CONVERSION 25
#define MPI_ERR_DISP 26
#define MPI_ERR_DUP_DATAREP 27
#define MPI_ERR_FILE_EXISTS 28
#define MPI_ERR_FILE_IN_USE 29
#define MPI_ERR_FILE 30
#define MPI_ERR_INFO_KEY 31
#define MPI_ERR_INFO_NOKEY 32
#define MPI_ERR_INFO_VALUE 33
#define MPI_ERR_INFO 34
#define MPI_ERR_IO 35
#define MPI_ERR_KEYVAL 36
#define MPI_ERR_LOCKTYPE 37
#define MPI_ERR_NAME 38
#define MPI_ERR_NO_MEM 39
#define MPI_ERR_NOT_SAME 40
#define MPI_ERR_NO_SPACE 41
#define MPI_ERR_NO_SUCH_FILE 42
#define MPI_ERR_PORT 43
#define MPI_ERR_QUOTA 44
#define MPI_ERR_READ_ONLY 45
#define MPI_ERR_RMA_CONFLICT 46
#define MPI_ERR_RMA_SYNC 47
#define MPI_ERR_SERVICE 48
#define MPI_ERR_SIZE 49
#define MPI_ERR_SPAWN 50
#define MPI_ERR_UNSUPPORTED_DATAREP 51
#define MPI_ERR_UNSUPPORTED_OPERATION 52
#define MPI_ERR_WIN 53
#define MPI_ERR_RMA_RANGE 68
#define MPI_ERR_RMA_ATTACH 69
#define MPI_ERR_RMA_FLAVOR 70
#define MPI_ERR_RMA_SHARED 71
#define MPI_ERR_LASTCODE 92

#endif
