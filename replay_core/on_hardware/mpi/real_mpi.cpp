#include "real_mpi.hpp"

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

namespace orrery::on_hardware {
namespace {

/// Looks names up.
class Finder {
 public:
  template <typename Found>
  Finder& operator()(const char* name, Found& into) {
    void* found = dlsym(RTLD_DEFAULT, name);
    // A plugin has loaded it for itself alone.
    if (found == nullptr && library_ != nullptr) found = dlsym(library_, name);
    if (found == nullptr) {
      std::fprintf(stderr, "orrery record: %s is not here: this MPI is not Open MPI 4.1\n", name);
      std::abort();
    }
    into = reinterpret_cast<Found>(found);
    return *this;
  }

 private:
  void* library_ = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
};

void find_messages(Finder& find, RealMpi& mpi) {
  find("PMPI_Send", mpi.send)("PMPI_Bsend", mpi.bsend)("PMPI_Ssend", mpi.ssend);
  find("PMPI_Rsend", mpi.rsend)("PMPI_Isend", mpi.isend)("PMPI_Ibsend", mpi.ibsend);
  find("PMPI_Issend", mpi.issend)("PMPI_Irsend", mpi.irsend)("PMPI_Recv", mpi.recv);
  find("PMPI_Irecv", mpi.irecv)("PMPI_Sendrecv", mpi.sendrecv);
  find("PMPI_Sendrecv_replace", mpi.sendrecv_replace)("PMPI_Probe", mpi.probe);
  find("PMPI_Iprobe", mpi.iprobe)("PMPI_Mprobe", mpi.mprobe)("PMPI_Improbe", mpi.improbe);
}

void find_requests(Finder& find, RealMpi& mpi) {
  find("PMPI_Send_init", mpi.send_init)("PMPI_Bsend_init", mpi.bsend_init);
  find("PMPI_Ssend_init", mpi.ssend_init)("PMPI_Rsend_init", mpi.rsend_init);
  find("PMPI_Recv_init", mpi.recv_init)("PMPI_Start", mpi.start)("PMPI_Startall", mpi.startall);
  find("PMPI_Wait", mpi.wait)("PMPI_Waitany", mpi.waitany)("PMPI_Waitall", mpi.waitall);
  find("PMPI_Waitsome", mpi.waitsome)("PMPI_Test", mpi.test)("PMPI_Testany", mpi.testany);
  find("PMPI_Testall", mpi.testall)("PMPI_Testsome", mpi.testsome);
  find("PMPI_Request_get_status", mpi.request_get_status)("PMPI_Request_free", mpi.request_free);
  find("PMPI_Cancel", mpi.cancel)("PMPI_Test_cancelled", mpi.test_cancelled);
  find("PMPI_Grequest_start", mpi.grequest_start);
}

void find_communicators(Finder& find, RealMpi& mpi) {
  find("PMPI_Comm_size", mpi.comm_size)("PMPI_Comm_rank", mpi.comm_rank);
  find("PMPI_Comm_test_inter", mpi.comm_test_inter)("PMPI_Comm_group", mpi.comm_group);
  find("PMPI_Comm_remote_group", mpi.comm_remote_group)("PMPI_Comm_free", mpi.comm_free);
  find("PMPI_Comm_disconnect", mpi.comm_disconnect)("PMPI_Comm_spawn", mpi.comm_spawn);
  find("PMPI_Comm_spawn_multiple", mpi.comm_spawn_multiple);
  find("PMPI_Comm_connect", mpi.comm_connect)("PMPI_Comm_accept", mpi.comm_accept);
  find("PMPI_Comm_join", mpi.comm_join)("PMPI_Group_size", mpi.group_size);
  find("PMPI_Group_free", mpi.group_free);
  find("PMPI_Group_translate_ranks", mpi.group_translate_ranks);
}

void find_others(Finder& find, RealMpi& mpi) {
  find("PMPI_Init", mpi.init)("PMPI_Init_thread", mpi.init_thread);
  find("PMPI_Finalize", mpi.finalize)("PMPI_Abort", mpi.abort);
  find("PMPI_Win_create", mpi.win_create)("PMPI_Win_allocate", mpi.win_allocate);
  find("PMPI_Win_allocate_shared", mpi.win_allocate_shared);
  find("PMPI_Win_create_dynamic", mpi.win_create_dynamic)("PMPI_Win_test", mpi.win_test);
  find("PMPI_Wtime", mpi.wtime)("PMPI_Get_processor_name", mpi.get_processor_name);
  find("PMPI_File_open", mpi.file_open)("PMPI_File_delete", mpi.file_delete);
  find("PMPI_File_read_shared", mpi.file_read_shared);
  find("PMPI_File_write_shared", mpi.file_write_shared);
  find("PMPI_File_iread_shared", mpi.file_iread_shared);
  find("PMPI_File_iwrite_shared", mpi.file_iwrite_shared);
}

}  // namespace

RealMpi RealMpi::find() {
  RealMpi mpi;
  Finder finder;
  find_messages(finder, mpi);
  find_requests(finder, mpi);
  find_communicators(finder, mpi);
  find_others(finder, mpi);
  finder("ompi_mpi_comm_world", mpi.world)("ompi_request_null", mpi.no_request);
  finder("ompi_request_empty", mpi.empty_request);
  return mpi;
}

const RealMpi& real() {
  static const RealMpi mpi = RealMpi::find();
  return mpi;
}

}  // namespace orrery::on_hardware
