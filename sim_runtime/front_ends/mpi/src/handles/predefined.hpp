// How the well-known symbols behind predefined handles are made.
#pragma once

#include "handles.hpp"

namespace orrery::mpi {

template <typename Symbol>
constexpr Symbol predefined(HandleKind kind, auto which) {
  return {{{predefined_magic, kind, static_cast<std::uint32_t>(which)}, {}}};
}

/// The symbol of what is predefined; null: there is no such.  Types have `predefined_handle`.
void* predefined_symbol(HandleKind kind, std::size_t index);
/// The same of an operation.
void* predefined_operation_symbol(std::size_t index);

}  // namespace orrery::mpi

// One section, so that "is this address one of them" is two comparisons.
#define ORRERY_MPI_SYMBOL __attribute__((section("orrery_mpi_handles"), visibility("default")))
