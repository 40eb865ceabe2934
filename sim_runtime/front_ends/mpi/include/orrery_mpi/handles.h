/* What programs hold of the library's objects, and the predefined ones among them. */
#ifndef ORRERY_MPI_HANDLES_H
#define ORRERY_MPI_HANDLES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;
typedef long long MPI_Count;
typedef int MPI_Fint;

/* Handles: addresses that programs never look behind. */
typedef struct ompi_communicator_t* MPI_Comm;
typedef struct ompi_datatype_t* MPI_Datatype;
typedef struct ompi_errhandler_t* MPI_Errhandler;
typedef struct ompi_file_t* MPI_File;
typedef struct ompi_group_t* MPI_Group;
typedef struct ompi_info_t* MPI_Info;
typedef struct ompi_message_t* MPI_Message;
typedef struct ompi_op_t* MPI_Op;
typedef struct ompi_request_t* MPI_Request;
typedef struct ompi_win_t* MPI_Win;

/* What a completed operation did.  The fields with an underscore are for the library. */
typedef struct ompi_status_public_t {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int _cancelled;
  size_t _ucount; /* bytes received */
} MPI_Status;

/* Functions of programs that the library calls. */
typedef void(MPI_User_function)(void*, void*, int*, MPI_Datatype*);
typedef void(MPI_Comm_errhandler_function)(MPI_Comm*, int*, ...);
typedef void(MPI_Win_errhandler_function)(MPI_Win*, int*, ...);
typedef void(MPI_File_errhandler_function)(MPI_File*, int*, ...);
typedef int(MPI_Comm_copy_attr_function)(MPI_Comm, int, void*, void*, void*, int*);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm, int, void*, void*);
typedef int(MPI_Type_copy_attr_function)(MPI_Datatype, int, void*, void*, void*, int*);
typedef int(MPI_Type_delete_attr_function)(MPI_Datatype, int, void*, void*);
typedef int(MPI_Win_copy_attr_function)(MPI_Win, int, void*, void*, void*, int*);
typedef int(MPI_Win_delete_attr_function)(MPI_Win, int, void*, void*);
typedef int(MPI_Grequest_query_function)(void*, MPI_Status*);
typedef int(MPI_Grequest_free_function)(void*);
typedef int(MPI_Grequest_cancel_function)(void*, int);
typedef int(MPI_Datarep_extent_function)(MPI_Datatype, MPI_Aint*, void*);
typedef int(MPI_Datarep_conversion_function)(void*, MPI_Datatype, int, void*, MPI_Offset, void*);
/* Older names of some of them (chapter 15). */
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;

#ifdef __cplusplus
#define ORRERY_MPI_HANDLE(type, symbol) (static_cast<type>(static_cast<void*>(&(symbol))))
#define ORRERY_MPI_POINTER(type, value) (reinterpret_cast<type>(value))
#else
#define ORRERY_MPI_HANDLE(type, symbol) ((type)(void*)&(symbol))
#define ORRERY_MPI_POINTER(type, value) ((type)(value))
#endif

/* Communicators. */
extern struct ompi_predefined_communicator_t ompi_mpi_comm_world;
extern struct ompi_predefined_communicator_t ompi_mpi_comm_self;
extern struct ompi_predefined_communicator_t ompi_mpi_comm_null;
#define MPI_COMM_WORLD ORRERY_MPI_HANDLE(MPI_Comm, ompi_mpi_comm_world)
#define MPI_COMM_SELF ORRERY_MPI_HANDLE(MPI_Comm, ompi_mpi_comm_self)
#define MPI_COMM_NULL ORRERY_MPI_HANDLE(MPI_Comm, ompi_mpi_comm_null)

/* Groups. */
extern struct ompi_predefined_group_t ompi_mpi_group_null;
extern struct ompi_predefined_group_t ompi_mpi_group_empty;
#define MPI_GROUP_NULL ORRERY_MPI_HANDLE(MPI_Group, ompi_mpi_group_null)
#define MPI_GROUP_EMPTY ORRERY_MPI_HANDLE(MPI_Group, ompi_mpi_group_empty)

/* Requests and matched messages. */
extern struct ompi_predefined_request_t ompi_request_null;
#define MPI_REQUEST_NULL ORRERY_MPI_HANDLE(MPI_Request, ompi_request_null)
extern struct ompi_predefined_message_t ompi_message_null;
extern struct ompi_predefined_message_t ompi_message_no_proc;
#define MPI_MESSAGE_NULL ORRERY_MPI_HANDLE(MPI_Message, ompi_message_null)
#define MPI_MESSAGE_NO_PROC ORRERY_MPI_HANDLE(MPI_Message, ompi_message_no_proc)

/* Error handlers. */
extern struct ompi_predefined_errhandler_t ompi_mpi_errhandler_null;
extern struct ompi_predefined_errhandler_t ompi_mpi_errors_are_fatal;
extern struct ompi_predefined_errhandler_t ompi_mpi_errors_return;
#define MPI_ERRHANDLER_NULL ORRERY_MPI_HANDLE(MPI_Errhandler, ompi_mpi_errhandler_null)
#define MPI_ERRORS_ARE_FATAL ORRERY_MPI_HANDLE(MPI_Errhandler, ompi_mpi_errors_are_fatal)
#define MPI_ERRORS_RETURN ORRERY_MPI_HANDLE(MPI_Errhandler, ompi_mpi_errors_return)

/* Sets of hints. */
extern struct ompi_predefined_info_t ompi_mpi_info_null;
extern struct ompi_predefined_info_t ompi_mpi_info_env;
#define MPI_INFO_NULL ORRERY_MPI_HANDLE(MPI_Info, ompi_mpi_info_null)
#define MPI_INFO_ENV ORRERY_MPI_HANDLE(MPI_Info, ompi_mpi_info_env)

/* Windows and files. */
extern struct ompi_predefined_win_t ompi_mpi_win_null;
#define MPI_WIN_NULL ORRERY_MPI_HANDLE(MPI_Win, ompi_mpi_win_null)
extern struct ompi_predefined_file_t ompi_mpi_file_null;
#define MPI_FILE_NULL ORRERY_MPI_HANDLE(MPI_File, ompi_mpi_file_null)

/* Operations of reductions. */
extern struct ompi_predefined_op_t ompi_mpi_op_null;
extern struct ompi_predefined_op_t ompi_mpi_op_max;
extern struct ompi_predefined_op_t ompi_mpi_op_min;
extern struct ompi_predefined_op_t ompi_mpi_op_sum;
extern struct ompi_predefined_op_t ompi_mpi_op_prod;
extern struct ompi_predefined_op_t ompi_mpi_op_land;
extern struct ompi_predefined_op_t ompi_mpi_op_band;
extern struct ompi_predefined_op_t ompi_mpi_op_lor;
extern struct ompi_predefined_op_t ompi_mpi_op_bor;
extern struct ompi_predefined_op_t ompi_mpi_op_lxor;
extern struct ompi_predefined_op_t ompi_mpi_op_bxor;
extern struct ompi_predefined_op_t ompi_mpi_op_maxloc;
extern struct ompi_predefined_op_t ompi_mpi_op_minloc;
extern struct ompi_predefined_op_t ompi_mpi_op_replace;
extern struct ompi_predefined_op_t ompi_mpi_op_no_op;
#define MPI_OP_NULL ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_null)
#define MPI_MAX ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_max)
#define MPI_MIN ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_min)
#define MPI_SUM ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_sum)
#define MPI_PROD ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_prod)
#define MPI_LAND ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_land)
#define MPI_BAND ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_band)
#define MPI_LOR ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_lor)
#define MPI_BOR ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_bor)
#define MPI_LXOR ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_lxor)
#define MPI_BXOR ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_bxor)
#define MPI_MAXLOC ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_maxloc)
#define MPI_MINLOC ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_minloc)
#define MPI_REPLACE ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_replace)
#define MPI_NO_OP ORRERY_MPI_HANDLE(MPI_Op, ompi_mpi_op_no_op)

/* Predefined types of C and C++. */
extern struct ompi_predefined_datatype_t ompi_mpi_datatype_null;
extern struct ompi_predefined_datatype_t ompi_mpi_byte;
extern struct ompi_predefined_datatype_t ompi_mpi_packed;
extern struct ompi_predefined_datatype_t ompi_mpi_char;
extern struct ompi_predefined_datatype_t ompi_mpi_signed_char;
extern struct ompi_predefined_datatype_t ompi_mpi_unsigned_char;
extern struct ompi_predefined_datatype_t ompi_mpi_short;
extern struct ompi_predefined_datatype_t ompi_mpi_unsigned_short;
extern struct ompi_predefined_datatype_t ompi_mpi_int;
extern struct ompi_predefined_datatype_t ompi_mpi_unsigned;
extern struct ompi_predefined_datatype_t ompi_mpi_long;
extern struct ompi_predefined_datatype_t ompi_mpi_unsigned_long;
extern struct ompi_predefined_datatype_t ompi_mpi_long_long_int;
extern struct ompi_predefined_datatype_t ompi_mpi_unsigned_long_long;
extern struct ompi_predefined_datatype_t ompi_mpi_float;
extern struct ompi_predefined_datatype_t ompi_mpi_double;
extern struct ompi_predefined_datatype_t ompi_mpi_long_double;
extern struct ompi_predefined_datatype_t ompi_mpi_wchar;
extern struct ompi_predefined_datatype_t ompi_mpi_int8_t;
extern struct ompi_predefined_datatype_t ompi_mpi_uint8_t;
extern struct ompi_predefined_datatype_t ompi_mpi_int16_t;
extern struct ompi_predefined_datatype_t ompi_mpi_uint16_t;
extern struct ompi_predefined_datatype_t ompi_mpi_int32_t;
extern struct ompi_predefined_datatype_t ompi_mpi_uint32_t;
extern struct ompi_predefined_datatype_t ompi_mpi_int64_t;
extern struct ompi_predefined_datatype_t ompi_mpi_uint64_t;
extern struct ompi_predefined_datatype_t ompi_mpi_aint;
extern struct ompi_predefined_datatype_t ompi_mpi_offset;
extern struct ompi_predefined_datatype_t ompi_mpi_count;
extern struct ompi_predefined_datatype_t ompi_mpi_c_bool;
extern struct ompi_predefined_datatype_t ompi_mpi_c_float_complex;
extern struct ompi_predefined_datatype_t ompi_mpi_c_double_complex;
extern struct ompi_predefined_datatype_t ompi_mpi_c_long_double_complex;
extern struct ompi_predefined_datatype_t ompi_mpi_cxx_bool;
extern struct ompi_predefined_datatype_t ompi_mpi_cxx_cplex;
extern struct ompi_predefined_datatype_t ompi_mpi_cxx_dblcplex;
extern struct ompi_predefined_datatype_t ompi_mpi_cxx_ldblcplex;
extern struct ompi_predefined_datatype_t ompi_mpi_float_int;
extern struct ompi_predefined_datatype_t ompi_mpi_double_int;
extern struct ompi_predefined_datatype_t ompi_mpi_longdbl_int;
extern struct ompi_predefined_datatype_t ompi_mpi_long_int;
extern struct ompi_predefined_datatype_t ompi_mpi_short_int;
extern struct ompi_predefined_datatype_t ompi_mpi_2int;
#define MPI_DATATYPE_NULL ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_datatype_null)
#define MPI_BYTE ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_byte)
#define MPI_PACKED ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_packed)
#define MPI_CHAR ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_char)
#define MPI_SIGNED_CHAR ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_signed_char)
#define MPI_UNSIGNED_CHAR ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_unsigned_char)
#define MPI_SHORT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_short)
#define MPI_UNSIGNED_SHORT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_unsigned_short)
#define MPI_INT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_int)
#define MPI_UNSIGNED ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_unsigned)
#define MPI_LONG ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_long)
#define MPI_UNSIGNED_LONG ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_unsigned_long)
#define MPI_LONG_LONG_INT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_long_long_int)
#define MPI_LONG_LONG ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_long_long_int)
#define MPI_UNSIGNED_LONG_LONG ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_unsigned_long_long)
#define MPI_FLOAT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_float)
#define MPI_DOUBLE ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_double)
#define MPI_LONG_DOUBLE ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_long_double)
#define MPI_WCHAR ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_wchar)
#define MPI_INT8_T ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_int8_t)
#define MPI_UINT8_T ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_uint8_t)
#define MPI_INT16_T ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_int16_t)
#define MPI_UINT16_T ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_uint16_t)
#define MPI_INT32_T ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_int32_t)
#define MPI_UINT32_T ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_uint32_t)
#define MPI_INT64_T ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_int64_t)
#define MPI_UINT64_T ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_uint64_t)
#define MPI_AINT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_aint)
#define MPI_OFFSET ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_offset)
#define MPI_COUNT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_count)
#define MPI_C_BOOL ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_c_bool)
#define MPI_C_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_c_float_complex)
#define MPI_C_FLOAT_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_c_float_complex)
#define MPI_C_DOUBLE_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_c_double_complex)
#define MPI_C_LONG_DOUBLE_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_c_long_double_complex)
#define MPI_CXX_BOOL ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_cxx_bool)
#define MPI_CXX_FLOAT_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_cxx_cplex)
#define MPI_CXX_DOUBLE_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_cxx_dblcplex)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_cxx_ldblcplex)
#define MPI_FLOAT_INT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_float_int)
#define MPI_DOUBLE_INT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_double_int)
#define MPI_LONG_DOUBLE_INT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_longdbl_int)
#define MPI_LONG_INT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_long_int)
#define MPI_SHORT_INT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_short_int)
#define MPI_2INT ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_2int)
#define MPI_CXX_COMPLEX MPI_CXX_FLOAT_COMPLEX

/* Predefined types of Fortran, which C programs may meet in files and messages. */
extern struct ompi_predefined_datatype_t ompi_mpi_character;
extern struct ompi_predefined_datatype_t ompi_mpi_logical;
extern struct ompi_predefined_datatype_t ompi_mpi_logical1;
extern struct ompi_predefined_datatype_t ompi_mpi_logical2;
extern struct ompi_predefined_datatype_t ompi_mpi_logical4;
extern struct ompi_predefined_datatype_t ompi_mpi_logical8;
extern struct ompi_predefined_datatype_t ompi_mpi_integer;
extern struct ompi_predefined_datatype_t ompi_mpi_integer1;
extern struct ompi_predefined_datatype_t ompi_mpi_integer2;
extern struct ompi_predefined_datatype_t ompi_mpi_integer4;
extern struct ompi_predefined_datatype_t ompi_mpi_integer8;
extern struct ompi_predefined_datatype_t ompi_mpi_real;
extern struct ompi_predefined_datatype_t ompi_mpi_real4;
extern struct ompi_predefined_datatype_t ompi_mpi_real8;
extern struct ompi_predefined_datatype_t ompi_mpi_real16;
extern struct ompi_predefined_datatype_t ompi_mpi_dblprec;
extern struct ompi_predefined_datatype_t ompi_mpi_cplex;
extern struct ompi_predefined_datatype_t ompi_mpi_complex8;
extern struct ompi_predefined_datatype_t ompi_mpi_complex16;
extern struct ompi_predefined_datatype_t ompi_mpi_complex32;
extern struct ompi_predefined_datatype_t ompi_mpi_dblcplex;
extern struct ompi_predefined_datatype_t ompi_mpi_2real;
extern struct ompi_predefined_datatype_t ompi_mpi_2dblprec;
extern struct ompi_predefined_datatype_t ompi_mpi_2integer;
extern struct ompi_predefined_datatype_t ompi_mpi_2cplex;
extern struct ompi_predefined_datatype_t ompi_mpi_2dblcplex;
#define MPI_CHARACTER ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_character)
#define MPI_LOGICAL ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_logical)
#define MPI_LOGICAL1 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_logical1)
#define MPI_LOGICAL2 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_logical2)
#define MPI_LOGICAL4 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_logical4)
#define MPI_LOGICAL8 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_logical8)
#define MPI_INTEGER ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_integer)
#define MPI_INTEGER1 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_integer1)
#define MPI_INTEGER2 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_integer2)
#define MPI_INTEGER4 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_integer4)
#define MPI_INTEGER8 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_integer8)
#define MPI_REAL ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_real)
#define MPI_REAL4 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_real4)
#define MPI_REAL8 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_real8)
#define MPI_REAL16 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_real16)
#define MPI_DOUBLE_PRECISION ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_dblprec)
#define MPI_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_cplex)
#define MPI_COMPLEX8 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_complex8)
#define MPI_COMPLEX16 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_complex16)
#define MPI_COMPLEX32 ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_complex32)
#define MPI_DOUBLE_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_dblcplex)
#define MPI_2REAL ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_2real)
#define MPI_2DOUBLE_PRECISION ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_2dblprec)
#define MPI_2INTEGER ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_2integer)
#define MPI_2COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_2cplex)
#define MPI_2DOUBLE_COMPLEX ORRERY_MPI_HANDLE(MPI_Datatype, ompi_mpi_2dblcplex)

/* Statuses that Fortran programs pass to say that they want none. */
extern MPI_Fint* MPI_F_STATUS_IGNORE;
extern MPI_Fint* MPI_F_STATUSES_IGNORE;

/* Copying and deleting attributes (section 6.7). */
int OMPI_C_MPI_TYPE_NULL_DELETE_FN(MPI_Datatype, int, void*, void*);
int OMPI_C_MPI_TYPE_NULL_COPY_FN(MPI_Datatype, int, void*, void*, void*, int*);
int OMPI_C_MPI_TYPE_DUP_FN(MPI_Datatype, int, void*, void*, void*, int*);
int OMPI_C_MPI_COMM_NULL_DELETE_FN(MPI_Comm, int, void*, void*);
int OMPI_C_MPI_COMM_NULL_COPY_FN(MPI_Comm, int, void*, void*, void*, int*);
int OMPI_C_MPI_COMM_DUP_FN(MPI_Comm, int, void*, void*, void*, int*);
int OMPI_C_MPI_WIN_NULL_DELETE_FN(MPI_Win, int, void*, void*);
int OMPI_C_MPI_WIN_NULL_COPY_FN(MPI_Win, int, void*, void*, void*, int*);
int OMPI_C_MPI_WIN_DUP_FN(MPI_Win, int, void*, void*, void*, int*);
int OMPI_C_MPI_NULL_DELETE_FN(MPI_Comm, int, void*, void*);
int OMPI_C_MPI_NULL_COPY_FN(MPI_Comm, int, void*, void*, void*, int*);
int OMPI_C_MPI_DUP_FN(MPI_Comm, int, void*, void*, void*, int*);
#define MPI_TYPE_NULL_DELETE_FN OMPI_C_MPI_TYPE_NULL_DELETE_FN
#define MPI_TYPE_NULL_COPY_FN OMPI_C_MPI_TYPE_NULL_COPY_FN
#define MPI_TYPE_DUP_FN OMPI_C_MPI_TYPE_DUP_FN
#define MPI_COMM_NULL_DELETE_FN OMPI_C_MPI_COMM_NULL_DELETE_FN
#define MPI_COMM_NULL_COPY_FN OMPI_C_MPI_COMM_NULL_COPY_FN
#define MPI_COMM_DUP_FN OMPI_C_MPI_COMM_DUP_FN
#define MPI_WIN_NULL_DELETE_FN OMPI_C_MPI_WIN_NULL_DELETE_FN
#define MPI_WIN_NULL_COPY_FN OMPI_C_MPI_WIN_NULL_COPY_FN
#define MPI_WIN_DUP_FN OMPI_C_MPI_WIN_DUP_FN
#define MPI_NULL_DELETE_FN OMPI_C_MPI_NULL_DELETE_FN
#define MPI_NULL_COPY_FN OMPI_C_MPI_NULL_COPY_FN
#define MPI_DUP_FN OMPI_C_MPI_DUP_FN

#ifdef __cplusplus
}
#endif
#endif
