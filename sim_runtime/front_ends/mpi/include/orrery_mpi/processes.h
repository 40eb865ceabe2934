/* Chapter 10: Process Creation and Management */
#ifndef ORRERY_MPI_PROCESSES_H
#define ORRERY_MPI_PROCESSES_H

#include "handles.h"

#ifdef __cplusplus
extern "C" {
#endif

int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root,
                   MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]);
int MPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[],
                            const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                            MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]);
int MPI_Comm_get_parent(MPI_Comm* parent);
int MPI_Open_port(MPI_Info info, char* port_name);
int MPI_Close_port(const char* port_name);
int MPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                    MPI_Comm* newcomm);
int MPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                     MPI_Comm* newcomm);
int MPI_Publish_name(const char* service_name, MPI_Info info, const char* port_name);
int MPI_Unpublish_name(const char* service_name, MPI_Info info, const char* port_name);
int MPI_Lookup_name(const char* service_name, MPI_Info info, char* port_name);
int MPI_Comm_disconnect(MPI_Comm* comm);
int MPI_Comm_join(int fd, MPI_Comm* intercomm);

/* The profiling interface (chapter 14): every function under a second name. */
extern __typeof__(MPI_Comm_spawn) PMPI_Comm_spawn;
extern __typeof__(MPI_Comm_spawn_multiple) PMPI_Comm_spawn_multiple;
extern __typeof__(MPI_Comm_get_parent) PMPI_Comm_get_parent;
extern __typeof__(MPI_Open_port) PMPI_Open_port;
extern __typeof__(MPI_Close_port) PMPI_Close_port;
extern __typeof__(MPI_Comm_accept) PMPI_Comm_accept;
extern __typeof__(MPI_Comm_connect) PMPI_Comm_connect;
extern __typeof__(MPI_Publish_name) PMPI_Publish_name;
extern __typeof__(MPI_Unpublish_name) PMPI_Unpublish_name;
extern __typeof__(MPI_Lookup_name) PMPI_Lookup_name;
extern __typeof__(MPI_Comm_disconnect) PMPI_Comm_disconnect;
extern __typeof__(MPI_Comm_join) PMPI_Comm_join;

#ifdef __cplusplus
}
#endif
#endif
