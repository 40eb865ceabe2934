/* Chapter 7: Process Topologies */
#ifndef ORRERY_MPI_TOPOLOGIES_H
#define ORRERY_MPI_TOPOLOGIES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Cart_create(MPI_Comm old_comm, int ndims, const int dims[], const int periods[],
                    int reorder, MPI_Comm* comm_cart);
int MPI_Dims_create(int nnodes, int ndims, int dims[]);
int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                     int reorder, MPI_Comm* comm_graph);
int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree,
                                   const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm* comm_dist_graph);
int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int nodes[], const int degrees[],
                          const int targets[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* newcomm);
int MPI_Topo_test(MPI_Comm comm, int* status);
int MPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges);
int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]);
int MPI_Cartdim_get(MPI_Comm comm, int* ndims);
int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]);
int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank);
int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]);
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors);
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]);
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* inneighbors, int* outneighbors,
                                   int* weighted);
int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                             int maxoutdegree, int destinations[], int destweights[]);
int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest);
int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* new_comm);
int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank);
int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank);
int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, const int recvcounts[], const int displs[],
                            MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                           MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                           const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm);
int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                            void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request* request);
int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                             void* recvbuf, const int recvcounts[], const int displs[],
                             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request);
int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           MPI_Request* request);
int MPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                            const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request* request);
int MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                            MPI_Request* request);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Cart_create) PMPI_Cart_create;
extern __typeof__(MPI_Dims_create) PMPI_Dims_create;
extern __typeof__(MPI_Graph_create) PMPI_Graph_create;
extern __typeof__(MPI_Dist_graph_create_adjacent) PMPI_Dist_graph_create_adjacent;
extern __typeof__(MPI_Dist_graph_create) PMPI_Dist_graph_create;
extern __typeof__(MPI_Topo_test) PMPI_Topo_test;
extern __typeof__(MPI_Graphdims_get) PMPI_Graphdims_get;
extern __typeof__(MPI_Graph_get) PMPI_Graph_get;
extern __typeof__(MPI_Cartdim_get) PMPI_Cartdim_get;
extern __typeof__(MPI_Cart_get) PMPI_Cart_get;
extern __typeof__(MPI_Cart_rank) PMPI_Cart_rank;
extern __typeof__(MPI_Cart_coords) PMPI_Cart_coords;
extern __typeof__(MPI_Graph_neighbors_count) PMPI_Graph_neighbors_count;
extern __typeof__(MPI_Graph_neighbors) PMPI_Graph_neighbors;
extern __typeof__(MPI_Dist_graph_neighbors_count) PMPI_Dist_graph_neighbors_count;
extern __typeof__(MPI_Dist_graph_neighbors) PMPI_Dist_graph_neighbors;
extern __typeof__(MPI_Cart_shift) PMPI_Cart_shift;
extern __typeof__(MPI_Cart_sub) PMPI_Cart_sub;
extern __typeof__(MPI_Cart_map) PMPI_Cart_map;
extern __typeof__(MPI_Graph_map) PMPI_Graph_map;
extern __typeof__(MPI_Neighbor_allgather) PMPI_Neighbor_allgather;
extern __typeof__(MPI_Neighbor_allgatherv) PMPI_Neighbor_allgatherv;
extern __typeof__(MPI_Neighbor_alltoall) PMPI_Neighbor_alltoall;
extern __typeof__(MPI_Neighbor_alltoallv) PMPI_Neighbor_alltoallv;
extern __typeof__(MPI_Neighbor_alltoallw) PMPI_Neighbor_alltoallw;
extern __typeof__(MPI_Ineighbor_allgather) PMPI_Ineighbor_allgather;
extern __typeof__(MPI_Ineighbor_allgatherv) PMPI_Ineighbor_allgatherv;
extern __typeof__(MPI_Ineighbor_alltoall) PMPI_Ineighbor_alltoall;
extern __typeof__(MPI_Ineighbor_alltoallv) PMPI_Ineighbor_alltoallv;
extern __typeof__(MPI_Ineighbor_alltoallw) PMPI_Ineighbor_alltoallw;

#ifdef __cplusplus
}
#endif
#endif
