/* Chapter 3: Point-to-Point Communication */
#ifndef ORRERY_MPI_POINT_TO_POINT_H
#define ORRERY_MPI_POINT_TO_POINT_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int MPI_Rsend(const void* ibuf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
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
int MPI_Buffer_detach(void* buffer, int* size);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitany(int count, MPI_Request array_of_requests[], int* index, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses);
int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[]);
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status);
int MPI_Testany(int count, MPI_Request array_of_requests[], int* index, int* flag,
                MPI_Status* status);
int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag,
                MPI_Status array_of_statuses[]);
int MPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[]);
int MPI_Request_free(MPI_Request* request);
int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status);
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                MPI_Status* status);
int MPI_Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status);
int MPI_Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request);
int MPI_Cancel(MPI_Request* request);
int MPI_Test_cancelled(const MPI_Status* status, int* flag);
int MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request* request);
int MPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request* request);
int MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request* request);
int MPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request* request);
int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request* request);
int MPI_Start(MPI_Request* request);
int MPI_Startall(int count, MPI_Request array_of_requests[]);
int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status* status);
int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm comm, MPI_Status* status);
int MPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count);

/* The profiling interface (chapter 14): every function under a second name. */
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
extern __typeof__(MPI_Request_get_status) PMPI_Request_get_status;
extern __typeof__(MPI_Probe) PMPI_Probe;
extern __typeof__(MPI_Iprobe) PMPI_Iprobe;
extern __typeof__(MPI_Mprobe) PMPI_Mprobe;
extern __typeof__(MPI_Improbe) PMPI_Improbe;
extern __typeof__(MPI_Mrecv) PMPI_Mrecv;
extern __typeof__(MPI_Imrecv) PMPI_Imrecv;
extern __typeof__(MPI_Cancel) PMPI_Cancel;
extern __typeof__(MPI_Test_cancelled) PMPI_Test_cancelled;
extern __typeof__(MPI_Send_init) PMPI_Send_init;
extern __typeof__(MPI_Bsend_init) PMPI_Bsend_init;
extern __typeof__(MPI_Ssend_init) PMPI_Ssend_init;
extern __typeof__(MPI_Rsend_init) PMPI_Rsend_init;
extern __typeof__(MPI_Recv_init) PMPI_Recv_init;
extern __typeof__(MPI_Start) PMPI_Start;
extern __typeof__(MPI_Startall) PMPI_Startall;
extern __typeof__(MPI_Sendrecv) PMPI_Sendrecv;
extern __typeof__(MPI_Sendrecv_replace) PMPI_Sendrecv_replace;
extern __typeof__(MPI_Get_count) PMPI_Get_count;

#ifdef __cplusplus
}
#endif
#endif
