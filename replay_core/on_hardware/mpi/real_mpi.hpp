// The MPI library that does the work.
#pragma once

#include <mpi.h>

namespace orrery::on_hardware {

/// Its functions, by the names that it keeps for layers such as this one, and the addresses of the
/// handles that every program has.  Looked up at the first call: the launcher, which has none of
/// them, loads this library, too.
struct RealMpi {
  decltype(&PMPI_Init) init = nullptr;
  decltype(&PMPI_Init_thread) init_thread = nullptr;
  decltype(&PMPI_Finalize) finalize = nullptr;
  decltype(&PMPI_Abort) abort = nullptr;

  decltype(&PMPI_Send) send = nullptr;
  decltype(&PMPI_Bsend) bsend = nullptr;
  decltype(&PMPI_Ssend) ssend = nullptr;
  decltype(&PMPI_Rsend) rsend = nullptr;
  decltype(&PMPI_Isend) isend = nullptr;
  decltype(&PMPI_Ibsend) ibsend = nullptr;
  decltype(&PMPI_Issend) issend = nullptr;
  decltype(&PMPI_Irsend) irsend = nullptr;
  decltype(&PMPI_Recv) recv = nullptr;
  decltype(&PMPI_Irecv) irecv = nullptr;
  decltype(&PMPI_Sendrecv) sendrecv = nullptr;
  decltype(&PMPI_Sendrecv_replace) sendrecv_replace = nullptr;
  decltype(&PMPI_Probe) probe = nullptr;
  decltype(&PMPI_Iprobe) iprobe = nullptr;
  decltype(&PMPI_Mprobe) mprobe = nullptr;
  decltype(&PMPI_Improbe) improbe = nullptr;

  decltype(&PMPI_Send_init) send_init = nullptr;
  decltype(&PMPI_Bsend_init) bsend_init = nullptr;
  decltype(&PMPI_Ssend_init) ssend_init = nullptr;
  decltype(&PMPI_Rsend_init) rsend_init = nullptr;
  decltype(&PMPI_Recv_init) recv_init = nullptr;
  decltype(&PMPI_Start) start = nullptr;
  decltype(&PMPI_Startall) startall = nullptr;

  decltype(&PMPI_Wait) wait = nullptr;
  decltype(&PMPI_Waitany) waitany = nullptr;
  decltype(&PMPI_Waitall) waitall = nullptr;
  decltype(&PMPI_Waitsome) waitsome = nullptr;
  decltype(&PMPI_Test) test = nullptr;
  decltype(&PMPI_Testany) testany = nullptr;
  decltype(&PMPI_Testall) testall = nullptr;
  decltype(&PMPI_Testsome) testsome = nullptr;
  decltype(&PMPI_Request_get_status) request_get_status = nullptr;
  decltype(&PMPI_Request_free) request_free = nullptr;
  decltype(&PMPI_Cancel) cancel = nullptr;
  decltype(&PMPI_Test_cancelled) test_cancelled = nullptr;
  decltype(&PMPI_Grequest_start) grequest_start = nullptr;

  decltype(&PMPI_Comm_size) comm_size = nullptr;
  decltype(&PMPI_Comm_rank) comm_rank = nullptr;
  decltype(&PMPI_Comm_test_inter) comm_test_inter = nullptr;
  decltype(&PMPI_Comm_group) comm_group = nullptr;
  decltype(&PMPI_Comm_remote_group) comm_remote_group = nullptr;
  decltype(&PMPI_Comm_free) comm_free = nullptr;
  decltype(&PMPI_Comm_disconnect) comm_disconnect = nullptr;
  decltype(&PMPI_Comm_spawn) comm_spawn = nullptr;
  decltype(&PMPI_Comm_spawn_multiple) comm_spawn_multiple = nullptr;
  decltype(&PMPI_Comm_connect) comm_connect = nullptr;
  decltype(&PMPI_Comm_accept) comm_accept = nullptr;
  decltype(&PMPI_Comm_join) comm_join = nullptr;
  decltype(&PMPI_Group_size) group_size = nullptr;
  decltype(&PMPI_Group_free) group_free = nullptr;
  decltype(&PMPI_Group_translate_ranks) group_translate_ranks = nullptr;

  decltype(&PMPI_Win_create) win_create = nullptr;
  decltype(&PMPI_Win_allocate) win_allocate = nullptr;
  decltype(&PMPI_Win_allocate_shared) win_allocate_shared = nullptr;
  decltype(&PMPI_Win_create_dynamic) win_create_dynamic = nullptr;
  decltype(&PMPI_Win_test) win_test = nullptr;
  decltype(&PMPI_Wtime) wtime = nullptr;
  decltype(&PMPI_Get_processor_name) get_processor_name = nullptr;
  decltype(&PMPI_File_open) file_open = nullptr;
  decltype(&PMPI_File_delete) file_delete = nullptr;
  decltype(&PMPI_File_read_shared) file_read_shared = nullptr;
  decltype(&PMPI_File_write_shared) file_write_shared = nullptr;
  decltype(&PMPI_File_iread_shared) file_iread_shared = nullptr;
  decltype(&PMPI_File_iwrite_shared) file_iwrite_shared = nullptr;

  MPI_Comm world = nullptr;
  MPI_Request no_request = nullptr;     ///< MPI_REQUEST_NULL
  MPI_Request empty_request = nullptr;  ///< of many operations that were complete at once

  /// Ends the process if there is no Open MPI in it.
  static RealMpi find();
};

/// Of this process.  The functions that programs call have no other way to it.
const RealMpi& real();

}  // namespace orrery::on_hardware
