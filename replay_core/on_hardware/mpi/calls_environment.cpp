// MPI 3.1, chapters 8 and 10: where the recording of a rank begins and ends, and what ends it
// early.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "calls.hpp"
#include "delays.hpp"
#include "own_program.hpp"
#include "process_end.hpp"
#include "watching.hpp"

namespace orrery::on_hardware {
namespace {

void complain(const char* what, const char* path) {
  std::fprintf(stderr, "orrery record: %s (%s: %s); this rank runs on unrecorded\n", what, path,
               std::strerror(errno));
}

void begin_recording() {
  is_first_thread = true;
  const char* const directory = std::getenv("ORRERY_RECORD_DIRECTORY");
  if (directory == nullptr || recording_of_process.load() != nullptr) return;
  int rank = 0;
  int ranks = 0;
  real().comm_rank(real().world, &rank);
  real().comm_size(real().world, &ranks);
  delays().begin(static_cast<std::uint32_t>(rank));
  auto* const made = new Recording;  // lives as long as the process: threads may look at it
  if (!made->spool().open(directory, rank_spool::rank_file_prefix,
                          static_cast<std::uint32_t>(rank))) {
    complain("no file can be made", directory);
    return;
  }
  made->spool().header().ranks = static_cast<std::uint32_t>(ranks);
  const OwnProgram program;
  made->spool().header().program_hash = program.hash();
  if (rank == 0 && !program.write_to(directory)) complain("cannot be written", directory);
  watch_end(made->spool().header(), made->spool());
  watch_rank(made->spool());
  recording_of_process.store(made);
}

void note_cut(rank_spool::Cut reason) {
  if (Recording* const found = recording()) found->spool().cut(reason);
}

}  // namespace

void note_use(rank_spool::Use use) {
  if (Recording* const found = recording()) {
    found->spool().header().uses |= static_cast<std::uint32_t>(use);
  }
}

}  // namespace orrery::on_hardware

using namespace orrery::on_hardware;
using orrery::rank_spool::Cut;
using orrery::rank_spool::End;

ORRERY_RECORDED int MPI_Init(int* argc, char*** argv) {
  program_callers().mpi_begins();
  const int error = real().init(argc, argv);
  program_callers().mpi_has_begun();
  if (error == MPI_SUCCESS) begin_recording();
  return error;
}

ORRERY_RECORDED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  program_callers().mpi_begins();
  const int error = real().init_thread(argc, argv, required, provided);
  program_callers().mpi_has_begun();
  if (error == MPI_SUCCESS) begin_recording();
  return error;
}

ORRERY_RECORDED int MPI_Finalize() {
  if (Recording* const found = recording()) found->collect_orphans();
  recording_of_process.store(nullptr);
  note_standard_input();
  note_end(End::finalized, 0);
  return real().finalize();
}

ORRERY_RECORDED int MPI_Abort(MPI_Comm comm, int errorcode) {
  note_standard_input();
  note_end(End::aborted, errorcode);
  return real().abort(comm, errorcode);
}

ORRERY_RECORDED int MPI_Comm_free(MPI_Comm* comm) {
  Recording* const found = recording();
  if (found != nullptr && comm != nullptr) found->world_ranks().forget(*comm);
  return real().comm_free(comm);
}

ORRERY_RECORDED int MPI_Comm_disconnect(MPI_Comm* comm) {
  Recording* const found = recording();
  if (found != nullptr && comm != nullptr) found->world_ranks().forget(*comm);
  return real().comm_disconnect(comm);
}

ORRERY_RECORDED int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info,
                                   int root, MPI_Comm comm, MPI_Comm* intercomm, int errors[]) {
  note_cut(Cut::spawn);
  return real().comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, errors);
}

ORRERY_RECORDED int MPI_Comm_spawn_multiple(int count, char* commands[], char** argvs[],
                                            const int maxprocs[], const MPI_Info infos[], int root,
                                            MPI_Comm comm, MPI_Comm* intercomm, int errors[]) {
  note_cut(Cut::spawn);
  return real().comm_spawn_multiple(count, commands, argvs, maxprocs, infos, root, comm, intercomm,
                                    errors);
}

ORRERY_RECORDED int MPI_Comm_connect(const char* port, MPI_Info info, int root, MPI_Comm comm,
                                     MPI_Comm* made) {
  note_cut(Cut::spawn);
  return real().comm_connect(port, info, root, comm, made);
}

ORRERY_RECORDED int MPI_Comm_accept(const char* port, MPI_Info info, int root, MPI_Comm comm,
                                    MPI_Comm* made) {
  note_cut(Cut::spawn);
  return real().comm_accept(port, info, root, comm, made);
}

ORRERY_RECORDED int MPI_Comm_join(int socket, MPI_Comm* made) {
  note_cut(Cut::spawn);
  return real().comm_join(socket, made);
}

ORRERY_RECORDED int MPI_Win_test(MPI_Win win, int* flag) {
  note_cut(Cut::win_test);
  return real().win_test(win, flag);
}
