#include "watching.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "input_notes.hpp"
#include "next_function.hpp"

// Null where the program has no such library.  (dlsym would say so in memory of the heap.)
extern "C" [[gnu::weak]] int omp_get_num_procs();

namespace orrery::on_hardware {

Watching watching;
thread_local Reader reader = Reader::not_kept;

namespace {

rank_spool::StandardInput standard_input() {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) != 0) return rank_spool::StandardInput::none;
  if (S_ISREG(status.st_mode)) return rank_spool::StandardInput::file;
  const bool is_null = S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
  return is_null ? rank_spool::StandardInput::none : rank_spool::StandardInput::pipe;
}

std::int32_t own_processor_count() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  next<&::sched_getaffinity>("sched_getaffinity")(0, sizeof cores, &cores);
  return CPU_COUNT(&cores);
}

/// What its library asks for when it is loaded, before anybody watches.
void note_openmp() {
  watching.uses |= rank_spool::own_processor_count;
  for (const char* const name : {"OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_DYNAMIC", "OMP_NESTED",
                                 "OMP_MAX_ACTIVE_LEVELS", "OMP_THREAD_LIMIT"}) {
    if (std::getenv(name) != nullptr) input_notes().variable(name);
  }
}

void leave_to_parent() {
  watching = {};
}

}  // namespace

void begin_watching(const char* directory) {
  program_callers().begin();
  readings().begin();
  input_notes().begin(directory);
  watching.standard_input = standard_input();
  reader = Reader::kept;
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  watching.is_on = true;
  if (omp_get_num_procs != nullptr) note_openmp();
}

void watch_rank(SpoolWriter& spool) {
  rank_spool::Header& header = spool.header();
  header.standard_input = static_cast<std::uint32_t>(watching.standard_input);
  header.uses |= watching.uses;
  header.process_number = next<&::getpid>("getpid")();
  header.processor_count = next<&::get_nprocs>("get_nprocs")();
  header.own_processor_count = own_processor_count();
  watching.header = &header;
  if (!watching.is_on) return;
  // Where another thread has begun MPI, it writes the file, and this one has no part in it.
  if (reader != Reader::kept) {
    watching.is_on = false;
    header.uses |= rank_spool::readings_of_threads;
    return;
  }
  readings().move_to(spool);
  input_notes().begin_rank(header.rank);
}

void note_standard_input() {
  if (!watching.is_on || watching.header == nullptr) return;
  // glibc's streams have no buffer until they are read.
  const bool has_read = watching.has_read_standard_input || stdin->_IO_read_base != nullptr;
  if (!has_read || watching.header->has_read_standard_input != 0) return;
  watching.header->has_read_standard_input = 1;
  if (watching.standard_input == rank_spool::StandardInput::file)
    input_notes().keep_standard_input(watching.header->rank);
}

void note_host(const void* caller, const char* name) {
  if (watching.header == nullptr || !is_watched(caller)) return;
  std::snprintf(watching.header->host_name, sizeof watching.header->host_name, "%s", name);
}

void note_thread_use() {
  if (watching.header == nullptr) {
    watching.uses |= rank_spool::readings_of_threads;
  } else {
    watching.header->uses |= rank_spool::readings_of_threads;
  }
}

}  // namespace orrery::on_hardware
