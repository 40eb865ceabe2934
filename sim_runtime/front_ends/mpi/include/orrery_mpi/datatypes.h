/* Chapter 4: Datatypes */
#ifndef ORRERY_MPI_DATATYPES_H
#define ORRERY_MPI_DATATYPES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                    MPI_Datatype* newtype);
int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                            MPI_Datatype* newtype);
int MPI_Type_indexed(int count, const int array_of_blocklengths[],
                     const int array_of_displacements[], MPI_Datatype oldtype,
                     MPI_Datatype* newtype);
int MPI_Type_create_hindexed(int count, const int array_of_blocklengths[],
                             const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                             MPI_Datatype* newtype);
int MPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[],
                                  MPI_Datatype oldtype, MPI_Datatype* newtype);
int MPI_Type_create_hindexed_block(int count, int blocklength,
                                   const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                                   MPI_Datatype* newtype);
int MPI_Type_create_struct(int count, const int array_of_block_lengths[],
                           const MPI_Aint array_of_displacements[],
                           const MPI_Datatype array_of_types[], MPI_Datatype* newtype);
int MPI_Type_create_subarray(int ndims, const int size_array[], const int subsize_array[],
                             const int start_array[], int order, MPI_Datatype oldtype,
                             MPI_Datatype* newtype);
int MPI_Type_create_darray(int size, int rank, int ndims, const int gsize_array[],
                           const int distrib_array[], const int darg_array[],
                           const int psize_array[], int order, MPI_Datatype oldtype,
                           MPI_Datatype* newtype);
int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                            MPI_Datatype* newtype);
int MPI_Type_dup(MPI_Datatype type, MPI_Datatype* newtype);
int MPI_Type_commit(MPI_Datatype* type);
int MPI_Type_free(MPI_Datatype* type);
int MPI_Type_size(MPI_Datatype type, int* size);
int MPI_Type_size_x(MPI_Datatype type, MPI_Count* size);
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent);
int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count* lb, MPI_Count* extent);
int MPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent);
int MPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent);
int MPI_Type_get_envelope(MPI_Datatype type, int* num_integers, int* num_addresses,
                          int* num_datatypes, int* combiner);
int MPI_Type_get_contents(MPI_Datatype mtype, int max_integers, int max_addresses,
                          int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
                          MPI_Datatype array_of_datatypes[]);
int MPI_Get_address(const void* location, MPI_Aint* address);
int MPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count);
int MPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count);
int MPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize,
             int* position, MPI_Comm comm);
int MPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount,
               MPI_Datatype datatype, MPI_Comm comm);
int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size);
int MPI_Pack_external(const char datarep[], const void* inbuf, int incount, MPI_Datatype datatype,
                      void* outbuf, MPI_Aint outsize, MPI_Aint* position);
int MPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize,
                        MPI_Aint* position, void* outbuf, int outcount, MPI_Datatype datatype);
int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype,
                           MPI_Aint* size);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Type_contiguous) PMPI_Type_contiguous;
extern __typeof__(MPI_Type_vector) PMPI_Type_vector;
extern __typeof__(MPI_Type_create_hvector) PMPI_Type_create_hvector;
extern __typeof__(MPI_Type_indexed) PMPI_Type_indexed;
extern __typeof__(MPI_Type_create_hindexed) PMPI_Type_create_hindexed;
extern __typeof__(MPI_Type_create_indexed_block) PMPI_Type_create_indexed_block;
extern __typeof__(MPI_Type_create_hindexed_block) PMPI_Type_create_hindexed_block;
extern __typeof__(MPI_Type_create_struct) PMPI_Type_create_struct;
extern __typeof__(MPI_Type_create_subarray) PMPI_Type_create_subarray;
extern __typeof__(MPI_Type_create_darray) PMPI_Type_create_darray;
extern __typeof__(MPI_Type_create_resized) PMPI_Type_create_resized;
extern __typeof__(MPI_Type_dup) PMPI_Type_dup;
extern __typeof__(MPI_Type_commit) PMPI_Type_commit;
extern __typeof__(MPI_Type_free) PMPI_Type_free;
extern __typeof__(MPI_Type_size) PMPI_Type_size;
extern __typeof__(MPI_Type_size_x) PMPI_Type_size_x;
extern __typeof__(MPI_Type_get_extent) PMPI_Type_get_extent;
extern __typeof__(MPI_Type_get_extent_x) PMPI_Type_get_extent_x;
extern __typeof__(MPI_Type_get_true_extent) PMPI_Type_get_true_extent;
extern __typeof__(MPI_Type_get_true_extent_x) PMPI_Type_get_true_extent_x;
extern __typeof__(MPI_Type_get_envelope) PMPI_Type_get_envelope;
extern __typeof__(MPI_Type_get_contents) PMPI_Type_get_contents;
extern __typeof__(MPI_Get_address) PMPI_Get_address;
extern __typeof__(MPI_Get_elements) PMPI_Get_elements;
extern __typeof__(MPI_Get_elements_x) PMPI_Get_elements_x;
extern __typeof__(MPI_Pack) PMPI_Pack;
extern __typeof__(MPI_Unpack) PMPI_Unpack;
extern __typeof__(MPI_Pack_size) PMPI_Pack_size;
extern __typeof__(MPI_Pack_external) PMPI_Pack_external;
extern __typeof__(MPI_Unpack_external) PMPI_Unpack_external;
extern __typeof__(MPI_Pack_external_size) PMPI_Pack_external_size;

#ifdef __cplusplus
}
#endif
#endif
