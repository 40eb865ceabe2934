/* The Message Passing Interface as Orrery provides it: our own text, from the MPI 3.1 standard.
 *
 * Types, handles, constants and the layout of MPI_Status have the values of Debian's Open MPI 4.1,
 * so that a program compiled with this header runs here and under that library alike.  Only what
 * exists is declared: a call of a function that is not here yet does not compile as C++ or link as
 * C.
 */
#ifndef ORRERY_MPI_H
#define ORRERY_MPI_H

#include <stddef.h>

#define MPI_VERSION 3
#define MPI_SUBVERSION 1

#ifdef __cplusplus
extern "C" {
#endif

typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset;
typedef long long MPI_Count;

/* Handles: addresses that programs never look behind. */
typedef struct ompi_communicator_t* MPI_Comm;
typedef struct ompi_datatype_t* MPI_Datatype;
typedef struct ompi_errhandler_t* MPI_Errhandler;
typedef struct ompi_op_t* MPI_Op;
typedef struct ompi_request_t* MPI_Request;

/* What a completed operation did.  The fields with an underscore are for the library. */
typedef struct ompi_status_public_t {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int _cancelled;
  size_t _ucount; /* bytes received */
} MPI_Status;

typedef void(MPI_User_function)(void*, void*, int*, MPI_Datatype*);

#ifdef __cplusplus
#define ORRERY_MPI_HANDLE(type, symbol) (static_cast<type>(static_cast<void*>(&(symbol))))
#define ORRERY_MPI_POINTER(type, value) (reinterpret_cast<type>(value))
#else
#define ORRERY_MPI_HANDLE(type, symbol) ((type)(void*)&(symbol))
#define ORRERY_MPI_POINTER(type, value) ((type)(value))
#endif

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
#define MPI_STATUS_IGNORE ORRERY_MPI_POINTER(MPI_Status*, 0)
#define MPI_STATUSES_IGNORE ORRERY_MPI_POINTER(MPI_Status*, 0)

/* Lengths of strings, with the terminating zero. */
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 256
#define MPI_MAX_OBJECT_NAME 64
#define MPI_MAX_LIBRARY_VERSION_STRING 256

/* Results of MPI_Comm_compare. */
enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };

/* Levels of MPI_Init_thread. */
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };

/* Attributes of MPI_COMM_WORLD. */
enum { MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL };

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
#define MPI_ERR_KEYVAL 36
#define MPI_ERR_NAME 38
#define MPI_ERR_NO_MEM 39
#define MPI_ERR_LASTCODE 92

/* Predefined communicators. */
extern struct ompi_predefined_communicator_t ompi_mpi_comm_world;
extern struct ompi_predefined_communicator_t ompi_mpi_comm_self;
extern struct ompi_predefined_communicator_t ompi_mpi_comm_null;
#define MPI_COMM_WORLD ORRERY_MPI_HANDLE(MPI_Comm, ompi_mpi_comm_world)
#define MPI_COMM_SELF ORRERY_MPI_HANDLE(MPI_Comm, ompi_mpi_comm_self)
#define MPI_COMM_NULL ORRERY_MPI_HANDLE(MPI_Comm, ompi_mpi_comm_null)

/* The handle of no request. */
extern struct ompi_predefined_request_t ompi_request_null;
#define MPI_REQUEST_NULL ORRERY_MPI_HANDLE(MPI_Request, ompi_request_null)

/* Error handlers. */
extern struct ompi_predefined_errhandler_t ompi_mpi_errhandler_null;
extern struct ompi_predefined_errhandler_t ompi_mpi_errors_are_fatal;
extern struct ompi_predefined_errhandler_t ompi_mpi_errors_return;
#define MPI_ERRHANDLER_NULL ORRERY_MPI_HANDLE(MPI_Errhandler, ompi_mpi_errhandler_null)
#define MPI_ERRORS_ARE_FATAL ORRERY_MPI_HANDLE(MPI_Errhandler, ompi_mpi_errors_are_fatal)
#define MPI_ERRORS_RETURN ORRERY_MPI_HANDLE(MPI_Errhandler, ompi_mpi_errors_return)

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

/* Predefined types. */
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

/* Chapter 3: Point-to-Point Communication */
int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status* status);
int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request);
int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request);
int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request);
int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Buffer_attach(void* buffer, int size);
int MPI_Buffer_detach(void* buffer_address, int* size);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                 MPI_Status statuses[]);
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status);
int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]);
int MPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                 MPI_Status statuses[]);
int MPI_Request_free(MPI_Request* request);
int MPI_Cancel(MPI_Request* request);
int MPI_Test_cancelled(const MPI_Status* status, int* flag);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status* status);
int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm comm, MPI_Status* status);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count);

/* Chapter 4: Datatypes */
int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                    MPI_Datatype* newtype);
int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                            MPI_Datatype* newtype);
int MPI_Type_indexed(int count, const int blocklengths[], const int displacements[],
                     MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_create_struct(int count, const int blocklengths[], const MPI_Aint displacements[],
                           const MPI_Datatype types[], MPI_Datatype* newtype);
int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                            MPI_Datatype* newtype);
int MPI_Type_commit(MPI_Datatype* datatype);
int MPI_Type_free(MPI_Datatype* datatype);
int MPI_Type_size(MPI_Datatype datatype, int* size);
int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent);
int MPI_Get_address(const void* location, MPI_Aint* address);

/* Chapter 5: Collective Communication */
int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                MPI_Comm comm);
int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                 int root, MPI_Comm comm);
int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                   MPI_Comm comm);
int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm);
int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm);
int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
             MPI_Comm comm);
int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op);
int MPI_Op_free(MPI_Op* op);
int MPI_Op_commutative(MPI_Op op, int* commute);

/* Chapter 6: Groups, Contexts, Communicators, and Caching */
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm);
int MPI_Comm_free(MPI_Comm* comm);
int MPI_Comm_set_name(MPI_Comm comm, const char* name);
int MPI_Comm_get_name(MPI_Comm comm, char* name, int* resultlen);
int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void* attribute_value, int* flag);

/* Chapter 8: MPI Environmental Management */
int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Initialized(int* flag);
int MPI_Finalized(int* flag);
int MPI_Abort(MPI_Comm comm, int errorcode);
int MPI_Get_version(int* version, int* subversion);
int MPI_Get_library_version(char* version, int* resultlen);
int MPI_Get_processor_name(char* name, int* resultlen);
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler);
int MPI_Errhandler_free(MPI_Errhandler* errhandler);
int MPI_Error_class(int errorcode, int* errorclass);
int MPI_Error_string(int errorcode, char* string, int* resultlen);

/* Chapter 12: External Interfaces */
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int MPI_Query_thread(int* provided);
int MPI_Is_thread_main(int* flag);

/* Chapter 14: the profiling interface, every function under a second name. */
extern __typeof__(MPI_Send) PMPI_Send;
extern __typeof__(MPI_Bsend) PMPI_Bsend;
extern __typeof__(MPI_Ssend) PMPI_Ssend;
extern __typeof__(MPI_Rsend) PMPI_Rsend;
extern __typeof__(MPI_Recv) PMPI_Recv;
extern __typeof__(MPI_Isend) PMPI_Isend;
extern __typeof__(MPI_Ibsend) PMPI_Ibsend;
extern __typeof__(MPI_Issend) PMPI_Issend;
extern __typeof__(MPI_Irsend) PMPI_Irsend;
extern __typeof__(MPI_Irecv) PMPI_Irecv;
extern __typeof__(MPI_Buffer_attach) PMPI_Buffer_attach;
extern __typeof__(MPI_Buffer_detach) PMPI_Buffer_detach;
extern __typeof__(MPI_Wait) PMPI_Wait;
extern __typeof__(MPI_Waitany) PMPI_Waitany;
extern __typeof__(MPI_Waitall) PMPI_Waitall;
extern __typeof__(MPI_Waitsome) PMPI_Waitsome;
extern __typeof__(MPI_Test) PMPI_Test;
extern __typeof__(MPI_Testany) PMPI_Testany;
extern __typeof__(MPI_Testall) PMPI_Testall;
extern __typeof__(MPI_Testsome) PMPI_Testsome;
extern __typeof__(MPI_Request_free) PMPI_Request_free;
extern __typeof__(MPI_Cancel) PMPI_Cancel;
extern __typeof__(MPI_Test_cancelled) PMPI_Test_cancelled;
extern __typeof__(MPI_Probe) PMPI_Probe;
extern __typeof__(MPI_Iprobe) PMPI_Iprobe;
extern __typeof__(MPI_Sendrecv) PMPI_Sendrecv;
extern __typeof__(MPI_Sendrecv_replace) PMPI_Sendrecv_replace;
extern __typeof__(MPI_Get_count) PMPI_Get_count;
extern __typeof__(MPI_Type_contiguous) PMPI_Type_contiguous;
extern __typeof__(MPI_Type_vector) PMPI_Type_vector;
extern __typeof__(MPI_Type_create_hvector) PMPI_Type_create_hvector;
extern __typeof__(MPI_Type_indexed) PMPI_Type_indexed;
extern __typeof__(MPI_Type_create_struct) PMPI_Type_create_struct;
extern __typeof__(MPI_Type_create_resized) PMPI_Type_create_resized;
extern __typeof__(MPI_Type_commit) PMPI_Type_commit;
extern __typeof__(MPI_Type_free) PMPI_Type_free;
extern __typeof__(MPI_Type_size) PMPI_Type_size;
extern __typeof__(MPI_Type_get_extent) PMPI_Type_get_extent;
extern __typeof__(MPI_Get_address) PMPI_Get_address;
extern __typeof__(MPI_Barrier) PMPI_Barrier;
extern __typeof__(MPI_Bcast) PMPI_Bcast;
extern __typeof__(MPI_Gather) PMPI_Gather;
extern __typeof__(MPI_Gatherv) PMPI_Gatherv;
extern __typeof__(MPI_Scatter) PMPI_Scatter;
extern __typeof__(MPI_Scatterv) PMPI_Scatterv;
extern __typeof__(MPI_Allgather) PMPI_Allgather;
extern __typeof__(MPI_Allgatherv) PMPI_Allgatherv;
extern __typeof__(MPI_Alltoall) PMPI_Alltoall;
extern __typeof__(MPI_Reduce) PMPI_Reduce;
extern __typeof__(MPI_Allreduce) PMPI_Allreduce;
extern __typeof__(MPI_Scan) PMPI_Scan;
extern __typeof__(MPI_Op_create) PMPI_Op_create;
extern __typeof__(MPI_Op_free) PMPI_Op_free;
extern __typeof__(MPI_Op_commutative) PMPI_Op_commutative;
extern __typeof__(MPI_Comm_rank) PMPI_Comm_rank;
extern __typeof__(MPI_Comm_size) PMPI_Comm_size;
extern __typeof__(MPI_Comm_compare) PMPI_Comm_compare;
extern __typeof__(MPI_Comm_dup) PMPI_Comm_dup;
extern __typeof__(MPI_Comm_split) PMPI_Comm_split;
extern __typeof__(MPI_Comm_free) PMPI_Comm_free;
extern __typeof__(MPI_Comm_set_name) PMPI_Comm_set_name;
extern __typeof__(MPI_Comm_get_name) PMPI_Comm_get_name;
extern __typeof__(MPI_Comm_get_attr) PMPI_Comm_get_attr;
extern __typeof__(MPI_Init) PMPI_Init;
extern __typeof__(MPI_Finalize) PMPI_Finalize;
extern __typeof__(MPI_Initialized) PMPI_Initialized;
extern __typeof__(MPI_Finalized) PMPI_Finalized;
extern __typeof__(MPI_Abort) PMPI_Abort;
extern __typeof__(MPI_Get_version) PMPI_Get_version;
extern __typeof__(MPI_Get_library_version) PMPI_Get_library_version;
extern __typeof__(MPI_Get_processor_name) PMPI_Get_processor_name;
extern __typeof__(MPI_Wtime) PMPI_Wtime;
extern __typeof__(MPI_Wtick) PMPI_Wtick;
extern __typeof__(MPI_Comm_set_errhandler) PMPI_Comm_set_errhandler;
extern __typeof__(MPI_Comm_get_errhandler) PMPI_Comm_get_errhandler;
extern __typeof__(MPI_Errhandler_free) PMPI_Errhandler_free;
extern __typeof__(MPI_Error_class) PMPI_Error_class;
extern __typeof__(MPI_Error_string) PMPI_Error_string;
extern __typeof__(MPI_Init_thread) PMPI_Init_thread;
extern __typeof__(MPI_Query_thread) PMPI_Query_thread;
extern __typeof__(MPI_Is_thread_main) PMPI_Is_thread_main;

#ifdef __cplusplus
}
#endif
#endif
