/* Chapter 17: Language Bindings */
#ifndef ORRERY_MPI_LANGUAGES_H
#define ORRERY_MPI_LANGUAGES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype);
int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype);
int MPI_Type_create_f90_integer(int r, MPI_Datatype* newtype);
int MPI_Type_match_size(int typeclass, int size, MPI_Datatype* type);
MPI_Fint MPI_Comm_c2f(MPI_Comm comm);
MPI_Comm MPI_Comm_f2c(MPI_Fint comm);
MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler);
MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler);
MPI_Fint MPI_File_c2f(MPI_File file);
MPI_File MPI_File_f2c(MPI_Fint file);
MPI_Fint MPI_Group_c2f(MPI_Group group);
MPI_Group MPI_Group_f2c(MPI_Fint group);
MPI_Fint MPI_Info_c2f(MPI_Info info);
MPI_Info MPI_Info_f2c(MPI_Fint info);
MPI_Fint MPI_Message_c2f(MPI_Message message);
MPI_Message MPI_Message_f2c(MPI_Fint message);
MPI_Fint MPI_Op_c2f(MPI_Op op);
MPI_Op MPI_Op_f2c(MPI_Fint op);
MPI_Fint MPI_Request_c2f(MPI_Request request);
MPI_Request MPI_Request_f2c(MPI_Fint request);
int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status);
int MPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status);
MPI_Fint MPI_Type_c2f(MPI_Datatype datatype);
MPI_Datatype MPI_Type_f2c(MPI_Fint datatype);
MPI_Fint MPI_Win_c2f(MPI_Win win);
MPI_Win MPI_Win_f2c(MPI_Fint win);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Type_create_f90_real) PMPI_Type_create_f90_real;
extern __typeof__(MPI_Type_create_f90_complex) PMPI_Type_create_f90_complex;
extern __typeof__(MPI_Type_create_f90_integer) PMPI_Type_create_f90_integer;
extern __typeof__(MPI_Type_match_size) PMPI_Type_match_size;
extern __typeof__(MPI_Comm_c2f) PMPI_Comm_c2f;
extern __typeof__(MPI_Comm_f2c) PMPI_Comm_f2c;
extern __typeof__(MPI_Errhandler_c2f) PMPI_Errhandler_c2f;
extern __typeof__(MPI_Errhandler_f2c) PMPI_Errhandler_f2c;
extern __typeof__(MPI_File_c2f) PMPI_File_c2f;
extern __typeof__(MPI_File_f2c) PMPI_File_f2c;
extern __typeof__(MPI_Group_c2f) PMPI_Group_c2f;
extern __typeof__(MPI_Group_f2c) PMPI_Group_f2c;
extern __typeof__(MPI_Info_c2f) PMPI_Info_c2f;
extern __typeof__(MPI_Info_f2c) PMPI_Info_f2c;
extern __typeof__(MPI_Message_c2f) PMPI_Message_c2f;
extern __typeof__(MPI_Message_f2c) PMPI_Message_f2c;
extern __typeof__(MPI_Op_c2f) PMPI_Op_c2f;
extern __typeof__(MPI_Op_f2c) PMPI_Op_f2c;
extern __typeof__(MPI_Request_c2f) PMPI_Request_c2f;
extern __typeof__(MPI_Request_f2c) PMPI_Request_f2c;
extern __typeof__(MPI_Status_c2f) PMPI_Status_c2f;
extern __typeof__(MPI_Status_f2c) PMPI_Status_f2c;
extern __typeof__(MPI_Type_c2f) PMPI_Type_c2f;
extern __typeof__(MPI_Type_f2c) PMPI_Type_f2c;
extern __typeof__(MPI_Win_c2f) PMPI_Win_c2f;
extern __typeof__(MPI_Win_f2c) PMPI_Win_f2c;

#ifdef __cplusplus
}
#endif
#endif
