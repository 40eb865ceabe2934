// How much of what MPI programs do with MPI is checked.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery {

/// What wrong use of MPI is looked for.
enum class MpiChecks : std::uint8_t {
  all,
  /// Wrong arguments and messages that do not fit only: what costs next to nothing.  Buffers that
  /// operations own, conflicting accesses to windows, collective calls that do not fit together
  /// and what is left behind at the end are not looked at.
  arguments,
};

/// `all` or `arguments`.
[[nodiscard]] std::string_view text(MpiChecks checks);
/// The way back.  Throws `UsageError`; `where` names the source of the text.
[[nodiscard]] MpiChecks parse_mpi_checks(std::string_view text, std::string_view where);

}  // namespace orrery
