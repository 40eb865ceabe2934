// The well-known symbols behind the predefined handles.
#include "predefined.hpp"

#include <initializer_list>

#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "ranks/rank_state.hpp"

namespace orrery::mpi {
namespace {

constexpr ompi_predefined_communicator_t communicator(PredefinedCommunicator which) {
  return predefined<ompi_predefined_communicator_t>(HandleKind::communicator, which);
}

constexpr ompi_predefined_errhandler_t error_handler(PredefinedErrorHandler which) {
  return predefined<ompi_predefined_errhandler_t>(HandleKind::error_handler, which);
}

}  // namespace
}  // namespace orrery::mpi

using namespace orrery::mpi;

extern "C" {
// The linker defines the ends of a section whose name is an identifier.
extern const unsigned char handles_begin[] __asm__("__start_orrery_mpi_handles")
    __attribute__((visibility("hidden")));
extern const unsigned char handles_end[] __asm__("__stop_orrery_mpi_handles")
    __attribute__((visibility("hidden")));

ORRERY_MPI_SYMBOL ompi_predefined_communicator_t ompi_mpi_comm_world =
    communicator(PredefinedCommunicator::world);
ORRERY_MPI_SYMBOL ompi_predefined_communicator_t ompi_mpi_comm_self =
    communicator(PredefinedCommunicator::self);
ORRERY_MPI_SYMBOL ompi_predefined_communicator_t ompi_mpi_comm_null =
    communicator(PredefinedCommunicator::null);
ORRERY_MPI_SYMBOL ompi_predefined_request_t ompi_request_null =
    predefined<ompi_predefined_request_t>(HandleKind::request, 0);
ORRERY_MPI_SYMBOL ompi_predefined_errhandler_t ompi_mpi_errhandler_null =
    error_handler(PredefinedErrorHandler::null);
ORRERY_MPI_SYMBOL ompi_predefined_errhandler_t ompi_mpi_errors_are_fatal =
    error_handler(PredefinedErrorHandler::fatal);
ORRERY_MPI_SYMBOL ompi_predefined_errhandler_t ompi_mpi_errors_return =
    error_handler(PredefinedErrorHandler::returns);

ORRERY_MPI_SYMBOL ompi_predefined_group_t ompi_mpi_group_null =
    predefined<ompi_predefined_group_t>(HandleKind::group, PredefinedGroup::null);
ORRERY_MPI_SYMBOL ompi_predefined_group_t ompi_mpi_group_empty =
    predefined<ompi_predefined_group_t>(HandleKind::group, PredefinedGroup::empty);
ORRERY_MPI_SYMBOL ompi_predefined_info_t ompi_mpi_info_null =
    predefined<ompi_predefined_info_t>(HandleKind::info, PredefinedInfo::null);
ORRERY_MPI_SYMBOL ompi_predefined_info_t ompi_mpi_info_env =
    predefined<ompi_predefined_info_t>(HandleKind::info, PredefinedInfo::environment);
ORRERY_MPI_SYMBOL ompi_predefined_message_t ompi_message_null =
    predefined<ompi_predefined_message_t>(HandleKind::message, PredefinedMessage::null);
ORRERY_MPI_SYMBOL ompi_predefined_message_t ompi_message_no_proc =
    predefined<ompi_predefined_message_t>(HandleKind::message, PredefinedMessage::no_process);
ORRERY_MPI_SYMBOL ompi_predefined_win_t ompi_mpi_win_null =
    predefined<ompi_predefined_win_t>(HandleKind::window, 0);
ORRERY_MPI_SYMBOL ompi_predefined_file_t ompi_mpi_file_null =
    predefined<ompi_predefined_file_t>(HandleKind::file, 0);
}

namespace orrery::mpi {

namespace {

// Of this process: `getpid` answers a simulated program what its process is called there.
pid_t own_process() {
  long number = SYS_getpid;
  asm volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
  return static_cast<pid_t>(number);
}

bool is_own_symbol(const void* handle) {
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  return address >= reinterpret_cast<std::uintptr_t>(handles_begin) &&
         address < reinterpret_cast<std::uintptr_t>(handles_end);
}

// A program may hand us anything: what lies outside our own symbols is read by the kernel, which
// refuses politely where a load would crash.
bool read_header(const void* handle, HandleHeader& header) {
  if (is_own_symbol(handle)) {
    if (reinterpret_cast<std::uintptr_t>(handle) % alignof(HandleHeader) != 0) return false;
    header = *static_cast<const HandleHeader*>(handle);
    return true;
  }
  const iovec local{&header, sizeof(header)};
  const iovec remote{const_cast<void*>(handle), sizeof(header)};
  return process_vm_readv(own_process(), &local, 1, &remote, 1, 0) ==
         static_cast<ssize_t>(sizeof(header));
}

}  // namespace

void* predefined_symbol(HandleKind kind, std::size_t index) {
  // In the order of the lists in handles.hpp.
  const auto among = [index](std::initializer_list<void*> symbols) {
    return index < symbols.size() ? symbols.begin()[index] : nullptr;
  };
  switch (kind) {
    case HandleKind::communicator:
      return among({&ompi_mpi_comm_world, &ompi_mpi_comm_self, &ompi_mpi_comm_null});
    case HandleKind::error_handler:
      return among(
          {&ompi_mpi_errhandler_null, &ompi_mpi_errors_are_fatal, &ompi_mpi_errors_return});
    case HandleKind::group: return among({&ompi_mpi_group_null, &ompi_mpi_group_empty});
    case HandleKind::info: return among({&ompi_mpi_info_null, &ompi_mpi_info_env});
    case HandleKind::message: return among({&ompi_message_null, &ompi_message_no_proc});
    case HandleKind::request: return among({&ompi_request_null});
    case HandleKind::window: return among({&ompi_mpi_win_null});
    case HandleKind::file: return among({&ompi_mpi_file_null});
    case HandleKind::operation: return predefined_operation_symbol(index);
    case HandleKind::datatype:
    case HandleKind::none: break;
  }
  return nullptr;
}

bool is_created(const void* handle, HandleKind kind) {
  HandleHeader header;
  if (handle == nullptr || !read_header(handle, header)) return false;
  return header.magic == created_magic && header.kind == kind;
}

std::optional<HandleHeader> find_predefined(const void* handle, HandleKind kind) {
  if (handle == nullptr) return std::nullopt;
  SymbolCopies* const copies =
      is_own_symbol(handle) || current_job() == nullptr ? nullptr : &current_job()->symbol_copies();
  HandleHeader header;
  if (const SymbolCopies::Copy* copy = copies == nullptr ? nullptr : copies->find(handle)) {
    header.magic = predefined_magic;
    header.kind = copy->kind;
    header.index = copy->index;
  } else {
    if (!read_header(handle, header) || header.magic != predefined_magic) return std::nullopt;
    if (copies != nullptr) copies->remember({handle, header.kind, header.index});
  }
  if (header.magic != predefined_magic || header.kind != kind) return std::nullopt;
  return header;
}

}  // namespace orrery::mpi
