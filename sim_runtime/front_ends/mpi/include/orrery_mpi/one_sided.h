/* Chapter 11: One-Sided Communications */
#ifndef ORRERY_MPI_ONE_SIDED_H
#define ORRERY_MPI_ONE_SIDED_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win* win);
int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                     MPI_Win* win);
int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                            void* baseptr, MPI_Win* win);
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr);
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win);
int MPI_Win_attach(MPI_Win win, void* base, MPI_Aint size);
int MPI_Win_detach(MPI_Win win, const void* base);
int MPI_Win_free(MPI_Win* win);
int MPI_Win_get_group(MPI_Win win, MPI_Group* group);
int MPI_Win_set_info(MPI_Win win, MPI_Info info);
int MPI_Win_get_info(MPI_Win win, MPI_Info* info_used);
int MPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
            MPI_Win win);
int MPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win);
int MPI_Accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count,
                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
int MPI_Get_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                       void* result_addr, int result_count, MPI_Datatype result_datatype,
                       int target_rank, MPI_Aint target_disp, int target_count,
                       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
int MPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win);
int MPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                         MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win);
int MPI_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
             int target_rank, MPI_Aint target_disp, int target_cout, MPI_Datatype target_datatype,
             MPI_Win win, MPI_Request* request);
int MPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
             MPI_Request* request);
int MPI_Raccumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request);
int MPI_Rget_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                        void* result_addr, int result_count, MPI_Datatype result_datatype,
                        int target_rank, MPI_Aint target_disp, int target_count,
                        MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request);
int MPI_Win_fence(int assert, MPI_Win win);
int MPI_Win_start(MPI_Group group, int assert, MPI_Win win);
int MPI_Win_complete(MPI_Win win);
int MPI_Win_post(MPI_Group group, int assert, MPI_Win win);
int MPI_Win_wait(MPI_Win win);
int MPI_Win_test(MPI_Win win, int* flag);
int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win);
int MPI_Win_lock_all(int assert, MPI_Win win);
int MPI_Win_unlock(int rank, MPI_Win win);
int MPI_Win_unlock_all(MPI_Win win);
int MPI_Win_flush(int rank, MPI_Win win);
int MPI_Win_flush_all(MPI_Win win);
int MPI_Win_flush_local(int rank, MPI_Win win);
int MPI_Win_flush_local_all(MPI_Win win);
int MPI_Win_sync(MPI_Win win);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Win_create) PMPI_Win_create;
extern __typeof__(MPI_Win_allocate) PMPI_Win_allocate;
extern __typeof__(MPI_Win_allocate_shared) PMPI_Win_allocate_shared;
extern __typeof__(MPI_Win_shared_query) PMPI_Win_shared_query;
extern __typeof__(MPI_Win_create_dynamic) PMPI_Win_create_dynamic;
extern __typeof__(MPI_Win_attach) PMPI_Win_attach;
extern __typeof__(MPI_Win_detach) PMPI_Win_detach;
extern __typeof__(MPI_Win_free) PMPI_Win_free;
extern __typeof__(MPI_Win_get_group) PMPI_Win_get_group;
extern __typeof__(MPI_Win_set_info) PMPI_Win_set_info;
extern __typeof__(MPI_Win_get_info) PMPI_Win_get_info;
extern __typeof__(MPI_Put) PMPI_Put;
extern __typeof__(MPI_Get) PMPI_Get;
extern __typeof__(MPI_Accumulate) PMPI_Accumulate;
extern __typeof__(MPI_Get_accumulate) PMPI_Get_accumulate;
extern __typeof__(MPI_Fetch_and_op) PMPI_Fetch_and_op;
extern __typeof__(MPI_Compare_and_swap) PMPI_Compare_and_swap;
extern __typeof__(MPI_Rput) PMPI_Rput;
extern __typeof__(MPI_Rget) PMPI_Rget;
extern __typeof__(MPI_Raccumulate) PMPI_Raccumulate;
extern __typeof__(MPI_Rget_accumulate) PMPI_Rget_accumulate;
extern __typeof__(MPI_Win_fence) PMPI_Win_fence;
extern __typeof__(MPI_Win_start) PMPI_Win_start;
extern __typeof__(MPI_Win_complete) PMPI_Win_complete;
extern __typeof__(MPI_Win_post) PMPI_Win_post;
extern __typeof__(MPI_Win_wait) PMPI_Win_wait;
extern __typeof__(MPI_Win_test) PMPI_Win_test;
extern __typeof__(MPI_Win_lock) PMPI_Win_lock;
extern __typeof__(MPI_Win_lock_all) PMPI_Win_lock_all;
extern __typeof__(MPI_Win_unlock) PMPI_Win_unlock;
extern __typeof__(MPI_Win_unlock_all) PMPI_Win_unlock_all;
extern __typeof__(MPI_Win_flush) PMPI_Win_flush;
extern __typeof__(MPI_Win_flush_all) PMPI_Win_flush_all;
extern __typeof__(MPI_Win_flush_local) PMPI_Win_flush_local;
extern __typeof__(MPI_Win_flush_local_all) PMPI_Win_flush_local_all;
extern __typeof__(MPI_Win_sync) PMPI_Win_sync;

#ifdef __cplusplus
}
#endif
#endif
