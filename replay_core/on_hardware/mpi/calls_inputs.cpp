// What a program takes in from outside by way of MPI: clocks, its host's name, files.
#include <cmath>

#include <fcntl.h>

#include "calls.hpp"
#include "input_notes.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;
using orrery::ClockKind;

ORRERY_RECORDED double MPI_Wtime() {
  const double date = real().wtime();
  if (!is_read(__builtin_return_address(0))) return date;
  // As a replay shows it.
  constexpr double ns_per_s = 1e9;
  constexpr double s_per_ps = 1e-12;
  constexpr std::int64_t ps_per_ns = 1000;
  const std::int64_t shown =
      readings().show(ClockKind::wtime, static_cast<std::int64_t>(std::llround(date * ns_per_s)));
  return static_cast<double>(shown * ps_per_ns) * s_per_ps;
}

ORRERY_RECORDED int MPI_Get_processor_name(char* name, int* length) {
  const int error = real().get_processor_name(name, length);
  if (error == MPI_SUCCESS) note_host(__builtin_return_address(0), name);
  return error;
}

ORRERY_RECORDED int MPI_File_open(MPI_Comm comm, const char* path, int mode, MPI_Info info,
                                  MPI_File* file) {
  if (is_watched(__builtin_return_address(0))) input_notes().look(AT_FDCWD, path, Look::content);
  return real().file_open(comm, path, mode, info, file);
}

ORRERY_RECORDED int MPI_File_delete(const char* path, MPI_Info info) {
  if (is_watched(__builtin_return_address(0))) input_notes().look(AT_FDCWD, path, Look::replaced);
  return real().file_delete(path, info);
}
