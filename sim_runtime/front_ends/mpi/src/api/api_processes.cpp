// MPI 3.1, chapter 10: dynamic processes.  A simulated job has the ranks that it was started with;
// what would bring in others is refused, with an error of its class.
#include <vector>

#include "communicators/communicator_making.hpp"
#include "messages/requests.hpp"

using namespace orrery::mpi;

namespace {

int refuse(const Call& call, MPI_Comm comm, int code) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  return call.fail(communicator, code,
                   "no processes can be started in a simulated job: start all of them with "
                   "`orrery run -n RANKS` and split MPI_COMM_WORLD (MPI 3.1, section 10.3)");
}

int refuse_connection(const Call& call, const ErrorOwner* owner, int code) {
  return call.fail(owner, code,
                   "a simulated job has no other one to connect to: make one job of both, and "
                   "connect its parts with MPI_Intercomm_create (MPI 3.1, section 10.4)");
}

int refuse_connection_of(const Call& call, MPI_Comm comm, int code) {
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(comm, communicator)) return error;
  return refuse_connection(call, communicator, code);
}

// Everything that the program has started on a communicator is complete after this, though its
// requests are still to be waited for.  Those that are complete are waited for, too: what
// operations a rank does must not depend on how fast others are.
void wait_for_all(const Call& call, const Communicator& communicator) {
  std::vector<OrreryRequest> open;
  call.state.requests.for_each([&](const Request& request) {
    const bool is_its_own = request.communicator == &communicator;
    if (is_its_own && request.id != 0 && request.active) open.push_back(request.id);
  });
  for (const OrreryRequest id : open) {
    std::int32_t index = 0;
    call.table.select(&id, 1, ORRERY_SELECT_ALL, &index, call.pc);
  }
}

}  // namespace

ORRERY_MPI_API int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info,
                                  int root, MPI_Comm comm, MPI_Comm* intercomm,
                                  int array_of_errcodes[]) {
  (void)command, (void)argv, (void)maxprocs, (void)info, (void)root, (void)intercomm;
  (void)array_of_errcodes;
  return refuse(ORRERY_CALL("MPI_Comm_spawn"), comm, MPI_ERR_SPAWN);
}
ORRERY_PROFILED(MPI_Comm_spawn);

ORRERY_MPI_API int MPI_Comm_spawn_multiple(int count, char* array_of_commands[],
                                           char** array_of_argv[], const int array_of_maxprocs[],
                                           const MPI_Info array_of_info[], int root, MPI_Comm comm,
                                           MPI_Comm* intercomm, int array_of_errcodes[]) {
  (void)count, (void)array_of_commands, (void)array_of_argv, (void)array_of_maxprocs;
  (void)array_of_info, (void)root, (void)intercomm, (void)array_of_errcodes;
  return refuse(ORRERY_CALL("MPI_Comm_spawn_multiple"), comm, MPI_ERR_SPAWN);
}
ORRERY_PROFILED(MPI_Comm_spawn_multiple);

ORRERY_MPI_API int MPI_Comm_get_parent(MPI_Comm* parent) {
  const Call call = ORRERY_CALL("MPI_Comm_get_parent");
  if (const int error = call.check_result(parent, "parent")) return error;
  *parent = MPI_COMM_NULL;  // nobody was spawned
  return MPI_SUCCESS;
}
ORRERY_PROFILED(MPI_Comm_get_parent);

ORRERY_MPI_API int MPI_Open_port(MPI_Info info, char* port_name) {
  (void)info, (void)port_name;
  return refuse_connection(ORRERY_CALL("MPI_Open_port"), nullptr, MPI_ERR_PORT);
}
ORRERY_PROFILED(MPI_Open_port);

ORRERY_MPI_API int MPI_Close_port(const char* port_name) {
  (void)port_name;
  return refuse_connection(ORRERY_CALL("MPI_Close_port"), nullptr, MPI_ERR_PORT);
}
ORRERY_PROFILED(MPI_Close_port);

ORRERY_MPI_API int MPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                                   MPI_Comm* newcomm) {
  (void)port_name, (void)info, (void)root, (void)newcomm;
  return refuse_connection_of(ORRERY_CALL("MPI_Comm_accept"), comm, MPI_ERR_PORT);
}
ORRERY_PROFILED(MPI_Comm_accept);

ORRERY_MPI_API int MPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                                    MPI_Comm* newcomm) {
  (void)port_name, (void)info, (void)root, (void)newcomm;
  return refuse_connection_of(ORRERY_CALL("MPI_Comm_connect"), comm, MPI_ERR_PORT);
}
ORRERY_PROFILED(MPI_Comm_connect);

ORRERY_MPI_API int MPI_Publish_name(const char* service_name, MPI_Info info,
                                    const char* port_name) {
  (void)service_name, (void)info, (void)port_name;
  return refuse_connection(ORRERY_CALL("MPI_Publish_name"), nullptr, MPI_ERR_SERVICE);
}
ORRERY_PROFILED(MPI_Publish_name);

ORRERY_MPI_API int MPI_Unpublish_name(const char* service_name, MPI_Info info,
                                      const char* port_name) {
  (void)service_name, (void)info, (void)port_name;
  return refuse_connection(ORRERY_CALL("MPI_Unpublish_name"), nullptr, MPI_ERR_SERVICE);
}
ORRERY_PROFILED(MPI_Unpublish_name);

ORRERY_MPI_API int MPI_Lookup_name(const char* service_name, MPI_Info info, char* port_name) {
  (void)service_name, (void)info, (void)port_name;
  return refuse_connection(ORRERY_CALL("MPI_Lookup_name"), nullptr, MPI_ERR_NAME);
}
ORRERY_PROFILED(MPI_Lookup_name);

ORRERY_MPI_API int MPI_Comm_join(int fd, MPI_Comm* intercomm) {
  (void)fd, (void)intercomm;
  return refuse_connection(ORRERY_CALL("MPI_Comm_join"), nullptr, MPI_ERR_OTHER);
}
ORRERY_PROFILED(MPI_Comm_join);

ORRERY_MPI_API int MPI_Comm_disconnect(MPI_Comm* comm) {
  const Call call = ORRERY_CALL("MPI_Comm_disconnect");
  if (const int error = call.check_result(comm, "comm")) return error;
  Communicator* communicator = nullptr;
  if (const int error = call.check_communicator(*comm, communicator)) return error;
  wait_for_all(call, *communicator);
  {
    Assembly assembly(call, *communicator, 0);
    if (const int error = assembly.exchange(nullptr)) return error;
  }
  return free_communicator(call, comm);
}
ORRERY_PROFILED(MPI_Comm_disconnect);
