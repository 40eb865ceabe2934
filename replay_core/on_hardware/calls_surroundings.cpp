// The environment, the host's name, and files by way of MPI.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "calls.hpp"
#include "input_notes.hpp"
#include "next_function.hpp"
#include "watching.hpp"

using namespace orrery::on_hardware;

namespace {

/// The program has been told what its host is called.
void note_host(const void* caller, const char* name) {
  if (watching.header == nullptr || !is_watched(caller)) return;
  std::snprintf(watching.header->host_name, sizeof watching.header->host_name, "%s", name);
}

}  // namespace

ORRERY_RECORDED char* getenv(const char* name) noexcept {
  if (is_watched(__builtin_return_address(0))) input_notes().variable(name);
  return next<&::getenv>("getenv")(name);
}

ORRERY_RECORDED char* secure_getenv(const char* name) noexcept {
  if (is_watched(__builtin_return_address(0))) input_notes().variable(name);
  return next<&::secure_getenv>("secure_getenv")(name);
}

ORRERY_RECORDED int gethostname(char* name, std::size_t bytes) noexcept {
  const int error = next<&::gethostname>("gethostname")(name, bytes);
  if (error == 0) note_host(__builtin_return_address(0), name);
  return error;
}

ORRERY_RECORDED int uname(utsname* result) noexcept {
  const int error = next<&::uname>("uname")(result);
  if (error == 0) note_host(__builtin_return_address(0), result->nodename);
  return error;
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
