/* Chapter 5: Collective Communication */
#ifndef ORRERY_MPI_COLLECTIVES_H
#define ORRERY_MPI_COLLECTIVES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

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
int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                  MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm);
int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm);
int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
             MPI_Comm comm);
int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
               MPI_Request* request);
int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                MPI_Request* request);
int MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm, MPI_Request* request);
int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request);
int MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request* request);
int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm, MPI_Request* request);
int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Request* request);
int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm, MPI_Request* request);
int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request);
int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request);
int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request);
int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm, MPI_Request* request);
int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, MPI_Request* request);
int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype,
                     MPI_Op op);
int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op);
int MPI_Op_free(MPI_Op* op);
int MPI_Op_commutative(MPI_Op op, int* commute);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Barrier) PMPI_Barrier;
extern __typeof__(MPI_Bcast) PMPI_Bcast;
extern __typeof__(MPI_Gather) PMPI_Gather;
extern __typeof__(MPI_Gatherv) PMPI_Gatherv;
extern __typeof__(MPI_Scatter) PMPI_Scatter;
extern __typeof__(MPI_Scatterv) PMPI_Scatterv;
extern __typeof__(MPI_Allgather) PMPI_Allgather;
extern __typeof__(MPI_Allgatherv) PMPI_Allgatherv;
extern __typeof__(MPI_Alltoall) PMPI_Alltoall;
extern __typeof__(MPI_Alltoallv) PMPI_Alltoallv;
extern __typeof__(MPI_Alltoallw) PMPI_Alltoallw;
extern __typeof__(MPI_Reduce) PMPI_Reduce;
extern __typeof__(MPI_Allreduce) PMPI_Allreduce;
extern __typeof__(MPI_Reduce_scatter_block) PMPI_Reduce_scatter_block;
extern __typeof__(MPI_Reduce_scatter) PMPI_Reduce_scatter;
extern __typeof__(MPI_Scan) PMPI_Scan;
extern __typeof__(MPI_Exscan) PMPI_Exscan;
extern __typeof__(MPI_Ibarrier) PMPI_Ibarrier;
extern __typeof__(MPI_Ibcast) PMPI_Ibcast;
extern __typeof__(MPI_Igather) PMPI_Igather;
extern __typeof__(MPI_Igatherv) PMPI_Igatherv;
extern __typeof__(MPI_Iscatter) PMPI_Iscatter;
extern __typeof__(MPI_Iscatterv) PMPI_Iscatterv;
extern __typeof__(MPI_Iallgather) PMPI_Iallgather;
extern __typeof__(MPI_Iallgatherv) PMPI_Iallgatherv;
extern __typeof__(MPI_Ialltoall) PMPI_Ialltoall;
extern __typeof__(MPI_Ialltoallv) PMPI_Ialltoallv;
extern __typeof__(MPI_Ialltoallw) PMPI_Ialltoallw;
extern __typeof__(MPI_Ireduce) PMPI_Ireduce;
extern __typeof__(MPI_Iallreduce) PMPI_Iallreduce;
extern __typeof__(MPI_Ireduce_scatter_block) PMPI_Ireduce_scatter_block;
extern __typeof__(MPI_Ireduce_scatter) PMPI_Ireduce_scatter;
extern __typeof__(MPI_Iscan) PMPI_Iscan;
extern __typeof__(MPI_Iexscan) PMPI_Iexscan;
extern __typeof__(MPI_Reduce_local) PMPI_Reduce_local;
extern __typeof__(MPI_Op_create) PMPI_Op_create;
extern __typeof__(MPI_Op_free) PMPI_Op_free;
extern __typeof__(MPI_Op_commutative) PMPI_Op_commutative;

#ifdef __cplusplus
}
#endif
#endif
