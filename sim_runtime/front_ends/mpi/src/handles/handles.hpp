// What the handles of mpi.h point at.
//
// Open MPI's handles are addresses: of well-known symbols for what is predefined, of objects that
// the library made for the rest.  Both start with the same header here.  A program that was not
// compiled as position-independent code holds copies of the symbols; the header tells which one a
// copy came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "../include/mpi.h"

namespace orrery::mpi {

enum class HandleKind : std::uint32_t {
  none,
  communicator,
  datatype,
  error_handler,
  operation,
  request,
  group,
  info,
  message,
  window,
  file
};

/// A call of the interface, by the program's line.
struct CallSite {
  const char* call = "";
  std::uintptr_t pc = 0;
};

struct HandleHeader {
  std::uint64_t magic = 0;
  HandleKind kind = HandleKind::none;
  std::uint32_t index = 0;  ///< which predefined one
  CallSite made{};
  CallSite freed{};  ///< or completed, for a request
};

/// What has a handle has this first.
struct Handled {
  HandleHeader header;
};

inline constexpr std::uint64_t predefined_magic = 0x4f7272657279004dU;
inline constexpr std::uint64_t created_magic = 0x4f72726572790143U;

enum class PredefinedCommunicator : std::uint32_t { world, self, null };
enum class PredefinedErrorHandler : std::uint32_t { null, fatal, returns };
enum class PredefinedGroup : std::uint32_t { null, empty };
enum class PredefinedInfo : std::uint32_t { null, environment };
enum class PredefinedMessage : std::uint32_t { null, no_process };

/// The header behind a predefined handle of this kind, or nothing for any other address, readable
/// or not.
std::optional<HandleHeader> find_predefined(const void* handle, HandleKind kind);

/// Is this the address of an object of this kind that the library has made and not freed?  Any
/// address may be asked for.
bool is_created(const void* handle, HandleKind kind);

/// A symbol of the size that Open MPI gives it, so that one executable fits both libraries.
template <std::size_t SizeBytes>
struct PredefinedSymbol {
  HandleHeader header;
  unsigned char padding[SizeBytes - sizeof(HandleHeader)];
};

}  // namespace orrery::mpi

struct ompi_predefined_communicator_t : orrery::mpi::PredefinedSymbol<512> {};
struct ompi_predefined_datatype_t : orrery::mpi::PredefinedSymbol<512> {};
struct ompi_predefined_errhandler_t : orrery::mpi::PredefinedSymbol<1024> {};
struct ompi_predefined_op_t : orrery::mpi::PredefinedSymbol<2048> {};
struct ompi_predefined_request_t : orrery::mpi::PredefinedSymbol<256> {};
struct ompi_predefined_group_t : orrery::mpi::PredefinedSymbol<256> {};
struct ompi_predefined_info_t : orrery::mpi::PredefinedSymbol<256> {};
struct ompi_predefined_message_t : orrery::mpi::PredefinedSymbol<256> {};
struct ompi_predefined_win_t : orrery::mpi::PredefinedSymbol<512> {};
struct ompi_predefined_file_t : orrery::mpi::PredefinedSymbol<1536> {};
